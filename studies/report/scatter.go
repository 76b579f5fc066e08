package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"gonum.org/v1/plot"
)

// The chart libraries for terminals that were looked at either draw lines only
// or query the terminal when the program starts; so this one is drawn here.

// Screen is what a plot in a terminal may use.
type Screen struct {
	Width, Height int // in characters; 0 is 80 by 24
	Color         bool
}

// symbol is how a kind of point looks: its rune tells it apart without colour.
type symbol struct {
	rune  rune
	color text.Color
	name  string
}

var symbols = map[kind]symbol{
	beaten:      {'·', text.FgHiBlack, "beaten"},
	unconfirmed: {'○', text.FgCyan, "not measured again"},
	onFront:     {'●', text.FgGreen, "front, with the trial's number"},
	baseline:    {'◆', text.FgYellow, "baseline"},
}

// Scatter draws the front in characters, throughput upwards and memory to the
// right. Errors are ErrNoPoints, ErrNotFinite, or those of writing.
func Scatter(w io.Writer, f Front, s Screen) error {
	all, err := f.points()
	if err != nil {
		return err
	}
	memory, throughput := extents(all)
	labels := ticks(throughput, f.ThroughputUnit)
	margin := widest(labels)
	g := newGrid(max(s.width()-margin-2, 20), max(s.height()-5, 5), s.Color)
	for _, p := range all {
		g.set(memory.place(p.Memory, g.columns), throughput.place(p.Throughput, g.rows), symbols[p.kind])
	}
	for _, p := range f.Front {
		g.label(memory.place(p.Memory, g.columns), throughput.place(p.Throughput, g.rows), strconv.Itoa(p.Trial))
	}
	var out strings.Builder
	fmt.Fprintln(&out, f.ThroughputTitle)
	g.draw(&out, margin, rowLabels(labels, throughput, g.rows))
	drawFoot(&out, margin, g.columns, memory, f.MemoryUnit)
	fmt.Fprintf(&out, "%*s\n", margin+2+g.columns, f.MemoryTitle)
	fmt.Fprintln(&out, legend(all, s.Color))
	_, err = io.WriteString(w, out.String())
	return err
}

func (s Screen) width() int {
	if s.Width == 0 {
		return 80
	}
	return s.Width
}

func (s Screen) height() int {
	if s.Height == 0 {
		return 24
	}
	return s.Height
}

// tick is a labelled place on an axis.
type tick struct {
	value float64
	label string
}

func ticks(e extent, u Unit) []tick {
	var all []tick
	for _, t := range (plot.DefaultTicks{}).Ticks(e.min, e.max) {
		if !t.IsMinor() {
			all = append(all, tick{t.Value, u.Format(t.Value)})
		}
	}
	return all
}

func widest(all []tick) int {
	width := 0
	for _, t := range all {
		width = max(width, text.StringWidthWithoutEscSequences(t.label))
	}
	return width
}

func rowLabels(all []tick, e extent, rows int) map[int]string {
	labels := map[int]string{}
	for _, t := range all {
		labels[e.place(t.value, rows)] = t.label
	}
	return labels
}

// drawFoot draws the horizontal axis with its labels, leaving out those that
// would run into the one before.
func drawFoot(out *strings.Builder, margin, columns int, e extent, u Unit) {
	axis := []rune(strings.Repeat("─", columns))
	var line strings.Builder
	end := 0
	for _, t := range ticks(e, u) {
		at := e.place(t.value, columns)
		width := text.StringWidthWithoutEscSequences(t.label)
		start := min(max(at-width/2, 0), columns-width)
		if start < end {
			continue
		}
		axis[at] = '┬'
		line.WriteString(strings.Repeat(" ", start-(max(end-1, 0))) + t.label)
		end = start + width + 1
	}
	fmt.Fprintf(out, "%s └%s\n", strings.Repeat(" ", margin), string(axis))
	fmt.Fprintf(out, "%s  %s\n", strings.Repeat(" ", margin), line.String())
}

// legend explains the symbols that are there.
func legend(all []kindPoint, color bool) string {
	there := map[kind]bool{}
	for _, p := range all {
		there[p.kind] = true
	}
	var parts []string
	for _, k := range []kind{onFront, unconfirmed, baseline, beaten} {
		if there[k] {
			parts = append(parts, symbols[k].draw(color)+" "+symbols[k].name)
		}
	}
	return strings.Join(parts, "   ")
}

func (s symbol) draw(color bool) string {
	if !color || s.color == 0 {
		return string(s.rune)
	}
	return text.Escape(string(s.rune), s.color.EscapeSeq())
}
