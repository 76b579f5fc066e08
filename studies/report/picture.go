package report

import (
	"fmt"
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// looks are the colours and shapes of a picture; the shapes tell the kinds
// apart in print and for the colour-blind, see https://jfly.uni-koeln.de/color/.
var looks = map[kind]draw.GlyphStyle{
	beaten:      {Color: color.Gray{Y: 150}, Radius: vg.Points(2), Shape: draw.CircleGlyph{}},
	unconfirmed: {Color: color.RGBA{G: 114, B: 178, A: 255}, Radius: vg.Points(4), Shape: draw.RingGlyph{}},
	onFront:     {Color: color.RGBA{G: 114, B: 178, A: 255}, Radius: vg.Points(4), Shape: draw.CircleGlyph{}},
	baseline:    {Color: color.RGBA{R: 213, G: 94, A: 255}, Radius: vg.Points(5), Shape: draw.PyramidGlyph{}},
}

// Picture draws the front as an image, 16 by 10 cm, in format svg or png.
// Errors are ErrNoPoints, ErrNotFinite, ErrFormat, or those of writing.
func Picture(w io.Writer, f Front, format string) error {
	if format != "svg" && format != "png" {
		return fmt.Errorf("draw front: %w %q: use svg or png", ErrFormat, format)
	}
	p, err := f.plot()
	if err != nil {
		return fmt.Errorf("draw front: %w", err)
	}
	image, err := p.WriterTo(16*vg.Centimeter, 10*vg.Centimeter, format)
	if err != nil {
		return fmt.Errorf("draw front: %w", err)
	}
	if _, err := image.WriteTo(w); err != nil {
		return fmt.Errorf("draw front: %w", err)
	}
	return nil
}

func (f Front) plot() (*plot.Plot, error) {
	all, err := f.points()
	if err != nil {
		return nil, err
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = f.MemoryTitle, f.ThroughputTitle
	p.X.Tick.Marker, p.Y.Tick.Marker = unitTicks(f.MemoryUnit), unitTicks(f.ThroughputUnit)
	memory, throughput := extents(all)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = memory.min, memory.max, throughput.min, throughput.max
	p.Legend.Left, p.Legend.Top = false, false // much memory and little throughput: few settings are there
	if err := f.addNumbers(p); err != nil {
		return nil, err
	}
	for _, k := range []kind{beaten, unconfirmed, onFront, baseline} {
		if err := addKind(p, all, k); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func addKind(p *plot.Plot, all []kindPoint, k kind) error {
	var xys plotter.XYs
	for _, point := range all {
		if point.kind == k {
			xys = append(xys, plotter.XY{X: point.Memory, Y: point.Throughput})
		}
	}
	if len(xys) == 0 {
		return nil
	}
	scatter, err := plotter.NewScatter(xys)
	if err != nil {
		return err
	}
	scatter.GlyphStyle = looks[k]
	p.Add(scatter)
	p.Legend.Add(symbols[k].name, scatter)
	return nil
}

// addNumbers writes the trials' numbers beside the points of the front.
func (f Front) addNumbers(p *plot.Plot) error {
	if len(f.Front) == 0 {
		return nil
	}
	var numbers plotter.XYLabels
	for _, point := range f.Front {
		numbers.XYs = append(numbers.XYs, plotter.XY{X: point.Memory, Y: point.Throughput})
		numbers.Labels = append(numbers.Labels, strconv.Itoa(point.Trial))
	}
	labels, err := plotter.NewLabels(numbers)
	if err != nil {
		return err
	}
	labels.Offset = vg.Point{X: vg.Points(6), Y: vg.Points(-3)}
	p.Add(labels)
	return nil
}

// unitTicks writes the labels of an axis in its unit.
type unitTicks Unit

func (u unitTicks) Ticks(min, max float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(min, max)
	for i := range all {
		if !all[i].IsMinor() {
			all[i].Label = Unit(u).Format(all[i].Value)
		}
	}
	return all
}
