package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Heap is what a plot of a heap over a run shows.
type Heap struct {
	Collections []Collection
	Marks       []Mark
	// Title names the horizontal axis, on which collections and marks are placed.
	Title string
}

// Collection is a garbage collection of a run.
type Collection struct {
	At float64
	// Slots of the heap then, and those found in use.
	Slots, Live float64
	Major       bool
}

// Mark is where a part of a run ends, which has its name.
type Mark struct {
	Name string
	At   float64
}

const slotsTitle = "slots"

var heapSymbols = struct{ slots, minor, major, mark symbol }{
	slots: symbol{'─', text.FgHiBlack, "slots"},
	minor: symbol{'○', text.FgGreen, "live after a minor collection"},
	major: symbol{'●', text.FgYellow, "live after a major one"},
	mark:  symbol{'┊', text.FgHiBlack, ""},
}

// Course draws the heap in characters, slots upwards and the run to the right.
// Errors are ErrNoPoints, ErrNotFinite, or those of writing.
func Course(w io.Writer, h Heap, s Screen) error {
	run, slots, err := h.extents()
	if err != nil {
		return err
	}
	labels := ticks(slots, Plain)
	margin := widest(labels)
	g := newGrid(max(s.width()-margin-2, 20), max(s.height()-5, 5), s.Color)
	h.drawMarks(g, run)
	h.drawSlots(g, run, slots)
	for _, c := range h.Collections {
		g.set(run.place(c.At, g.columns), slots.place(c.Live, g.rows), h.sign(c.Major))
	}
	var out strings.Builder
	fmt.Fprintln(&out, slotsTitle)
	g.draw(&out, margin, rowLabels(labels, slots, g.rows))
	drawFoot(&out, margin, g.columns, run, Plain)
	fmt.Fprintf(&out, "%*s\n%s\n", margin+2+g.columns, h.Title, h.legend(s.Color))
	_, err = io.WriteString(w, out.String())
	return err
}

// extents begin at 0: how much of the heap is in use is to be seen.
func (h Heap) extents() (run, slots extent, err error) {
	if len(h.Collections) == 0 {
		return run, slots, ErrNoPoints
	}
	for _, c := range h.Collections {
		for _, x := range []float64{c.At, c.Slots, c.Live} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return run, slots, fmt.Errorf("%w: a collection at %v with %v slots, %v live", ErrNotFinite, c.At, c.Slots, c.Live)
			}
		}
		run, slots = run.with(c.At), slots.with(c.Slots).with(c.Live)
	}
	for _, m := range h.Marks {
		if math.IsNaN(m.At) || math.IsInf(m.At, 0) {
			return run, slots, fmt.Errorf("%w: the mark %s at %v", ErrNotFinite, m.Name, m.At)
		}
		run = run.with(m.At)
	}
	// The names of the marks are above all slots.
	run.max, slots.max = max(run.max*1.05, 1e-9), max(slots.max*1.15, 1e-9)
	return run, slots, nil
}

// drawMarks writes the name of what a mark ends before its line, where there is room.
func (h Heap) drawMarks(g grid, run extent) {
	from := 0
	for _, m := range h.Marks {
		column := run.place(m.At, g.columns)
		for row := range g.rows {
			g.set(column, row, heapSymbols.mark)
		}
		if name := []rune(m.Name); column-from >= len(name) {
			for i, r := range name {
				g.set(column-len(name)+i, g.rows-1, symbol{rune: r})
			}
		}
		from = column + 1
	}
}

// drawSlots: up to a collection the heap had the slots that it had then; from the last
// one on it is taken to have kept them.
func (h Heap) drawSlots(g grid, run, slots extent) {
	from := 0
	for _, c := range h.Collections {
		to := run.place(c.At, g.columns)
		for column := from; column <= to; column++ {
			g.set(column, slots.place(c.Slots, g.rows), heapSymbols.slots)
		}
		from = to + 1
	}
	last := h.Collections[len(h.Collections)-1]
	for column := from; column <= run.place(h.end(), g.columns); column++ {
		g.set(column, slots.place(last.Slots, g.rows), heapSymbols.slots)
	}
}

// end is where the run is over.
func (h Heap) end() float64 {
	end := h.Collections[len(h.Collections)-1].At
	for _, m := range h.Marks {
		end = max(end, m.At)
	}
	return end
}

func (h Heap) legend(color bool) string {
	parts := []string{heapSymbols.slots.draw(color) + " " + heapSymbols.slots.name}
	for _, major := range []bool{false, true} {
		if sign := h.sign(major); h.has(major) {
			parts = append(parts, sign.draw(color)+" "+sign.name)
		}
	}
	return strings.Join(parts, "   ")
}

func (h Heap) has(major bool) bool {
	return slices.ContainsFunc(h.Collections, func(c Collection) bool { return c.Major == major })
}

// sign is that of a kind of collection, which is not named where there is only one:
// without generations all are major.
func (h Heap) sign(major bool) symbol {
	if !major {
		return heapSymbols.minor
	}
	sign := heapSymbols.major
	if !h.has(false) {
		sign.name = "live after a collection"
	}
	return sign
}
