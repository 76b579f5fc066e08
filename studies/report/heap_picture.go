package report

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CoursePicture draws the heap as an image, 16 by 10 cm, in format svg or png.
// Errors are ErrNoPoints, ErrNotFinite, ErrFormat, or those of writing.
func CoursePicture(w io.Writer, h Heap, format string) error {
	if format != "svg" && format != "png" {
		return fmt.Errorf("draw heap: %w %q: use svg or png", ErrFormat, format)
	}
	p, err := h.plot()
	if err != nil {
		return fmt.Errorf("draw heap: %w", err)
	}
	image, err := p.WriterTo(16*vg.Centimeter, 10*vg.Centimeter, format)
	if err != nil {
		return fmt.Errorf("draw heap: %w", err)
	}
	if _, err := image.WriteTo(w); err != nil {
		return fmt.Errorf("draw heap: %w", err)
	}
	return nil
}

func (h Heap) plot() (*plot.Plot, error) {
	run, slots, err := h.extents()
	if err != nil {
		return nil, err
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = h.Title, slotsTitle
	p.X.Tick.Marker, p.Y.Tick.Marker = unitTicks(Plain), unitTicks(Plain)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = run.min, run.max, slots.min, slots.max
	p.Legend.Left, p.Legend.Top = false, false
	if err := h.addMarks(p, slots); err != nil {
		return nil, err
	}
	if err := h.addLines(p); err != nil {
		return nil, err
	}
	for _, major := range []bool{false, true} {
		if err := h.addCollections(p, major); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (h Heap) addMarks(p *plot.Plot, slots extent) error {
	var names plotter.XYLabels
	for _, m := range h.Marks {
		line, err := plotter.NewLine(plotter.XYs{{X: m.At, Y: slots.min}, {X: m.At, Y: slots.max}})
		if err != nil {
			return err
		}
		line.Color, line.Dashes = color.Gray{Y: 150}, []vg.Length{vg.Points(3), vg.Points(3)}
		p.Add(line)
		names.XYs = append(names.XYs, plotter.XY{X: m.At, Y: slots.max})
		names.Labels = append(names.Labels, m.Name)
	}
	if len(names.Labels) == 0 {
		return nil
	}
	labels, err := plotter.NewLabels(names)
	if err != nil {
		return err
	}
	labels.Offset = vg.Point{X: vg.Points(-2), Y: vg.Points(-10)}
	for i := range labels.TextStyle {
		labels.TextStyle[i].XAlign = draw.XRight
	}
	p.Add(labels)
	return nil
}

// addLines draws the slots as steps, and those in use as they fill up and are freed.
func (h Heap) addLines(p *plot.Plot) error {
	var slots, used plotter.XYs
	x, live := 0.0, 0.0
	for _, c := range h.Collections {
		slots = append(slots, plotter.XY{X: x, Y: c.Slots}, plotter.XY{X: c.At, Y: c.Slots})
		used = append(used, plotter.XY{X: x, Y: live}, plotter.XY{X: c.At, Y: c.Slots}, plotter.XY{X: c.At, Y: c.Live})
		x, live = c.At, c.Live
	}
	slots = append(slots, plotter.XY{X: h.end(), Y: h.Collections[len(h.Collections)-1].Slots})
	for _, line := range []struct {
		name   string
		points plotter.XYs
		color  color.Color
		width  vg.Length
	}{
		{"in use", used, color.Gray{Y: 190}, vg.Points(0.5)},
		{"slots", slots, color.Black, vg.Points(1.5)},
	} {
		drawn, err := plotter.NewLine(line.points)
		if err != nil {
			return err
		}
		drawn.Color, drawn.Width = line.color, line.width
		p.Add(drawn)
		p.Legend.Add(line.name, drawn)
	}
	return nil
}

func (h Heap) addCollections(p *plot.Plot, major bool) error {
	look := looks[onFront]
	if major {
		look = looks[baseline]
	}
	look.Radius = vg.Points(2.5)
	var points plotter.XYs
	for _, c := range h.Collections {
		if c.Major == major {
			points = append(points, plotter.XY{X: c.At, Y: c.Live})
		}
	}
	if len(points) == 0 {
		return nil
	}
	scatter, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	scatter.GlyphStyle = look
	p.Add(scatter)
	p.Legend.Add(h.sign(major).name, scatter)
	return nil
}
