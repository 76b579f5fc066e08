package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies/report"
)

// course is the heap over the run, as plots know it.
func (e *explanation) course() report.Heap {
	course := e.heap.Course()
	h := report.Heap{Title: "objects allocated, millions"}
	for _, p := range course.Points {
		if p.Slots > 0 {
			h.Collections = append(h.Collections, report.Collection{At: p.Objects, Slots: p.Slots, Live: p.Live, Major: p.Major})
		}
	}
	for _, m := range course.Marks {
		h.Marks = append(h.Marks, report.Mark{Name: stageTitles[m.Name], At: m.Objects})
	}
	return h
}

func (e *explanation) plotCourse(c *cli.Context) error {
	screen := report.Screen{}
	if file, ok := c.App.Writer.(*os.File); ok {
		screen = report.ScreenOf(file, os.Getenv)
	}
	if err := report.Course(c.App.Writer, e.course(), screen); err != nil {
		return e.noCourse(err)
	}
	fmt.Fprintln(c.App.Writer)
	return nil
}

func (e *explanation) drawCourse(path string) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if format != "svg" && format != "png" {
		return usagef("--picture %s: the name must end in .svg or .png", path)
	}
	h := e.course()
	if len(h.Collections) == 0 {
		return e.noCourse(report.ErrNoPoints)
	}
	return writeWhole(path, func(w io.Writer) error { return report.CoursePicture(w, h, format) })
}

// noCourse tells a heap that cannot be drawn from a place that cannot be written to.
func (e *explanation) noCourse(err error) error {
	switch {
	case errors.Is(err, report.ErrNoPoints):
		return fmt.Errorf("the heap of trial %d cannot be drawn: its log has no collection whose slots are known; --from N takes another trial", e.trial.Number)
	case !errors.Is(err, report.ErrNotFinite):
		return fmt.Errorf("drawing the heap of trial %d: %w", e.trial.Number, err)
	}
	return fmt.Errorf("the heap of trial %d cannot be drawn: %w; --from N takes another trial", e.trial.Number, err)
}
