package report_test

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies/report"
)

var heap = report.Heap{
	Title: "objects, millions",
	Collections: []report.Collection{
		{At: 1, Slots: 100, Live: 50}, {At: 2, Slots: 100, Live: 40, Major: true}, {At: 4, Slots: 200, Live: 90},
	},
	Marks: []report.Mark{{Name: "boot", At: 2}, {Name: "window", At: 4}},
}

// The run goes on after the last collection.
func TestCourseBeyondTheLastCollection(t *testing.T) {
	h := report.Heap{Collections: heap.Collections[:1], Marks: []report.Mark{{Name: "window", At: 4}}}
	got := course(t, h, report.Screen{Width: 40, Height: 12})
	if line := strings.Repeat("─", 33); !strings.Contains(got, "┤"+line+"\n") { // up to column 32
		t.Errorf("the slots do not go on in\n%s", got)
	}
}

func course(t *testing.T, h report.Heap, s report.Screen) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Course(&out, h, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCourse(t *testing.T) {
	// Positions worked out by hand: 35 columns for 0 to 4.2 millions (column 8.1 a
	// million), 7 rows for 0 to 230 slots (a row is 38.3 slots).
	want := strings.TrimPrefix(`
slots
    │            boot┊         window┊
200 ┤                ┊────────────────
    │                ┊               ┊
100 ┤─────────────────               ┊
    │                ┊               ○
    │        ○       ●               ┊
  0 ┤                ┊               ┊
`, "\n")
	got := course(t, heap, report.Screen{Width: 40, Height: 12})
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		t.Error(diff)
	}
	if want := "─ slots   ○ live after a minor collection   ● live after a major one\n"; !strings.HasSuffix(got, want) {
		t.Errorf("no legend in\n%s", got)
	}
	onlyMajor := report.Heap{Collections: heap.Collections[1:2]}
	if got := course(t, onlyMajor, report.Screen{}); !strings.HasSuffix(got, "● live after a collection\n") || strings.Contains(got, "○") {
		t.Errorf("a kind that is not there is explained:\n%s", got)
	}
}

func TestCourseColor(t *testing.T) {
	if got := course(t, heap, report.Screen{Color: true}); !strings.Contains(got, "\x1b[33m●\x1b[0m") {
		t.Errorf("no coloured collection in\n%s", got)
	}
	if plain := course(t, heap, report.Screen{}); strings.Contains(plain, "\x1b") {
		t.Errorf("colour without being asked:\n%s", plain)
	}
}

func TestCourseFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {30, 10}, {100, 50}} {
		lines := strings.Split(strings.TrimSuffix(course(t, heap, report.Screen{Width: size[0], Height: size[1]}), "\n"), "\n")
		if len(lines) > size[1] {
			t.Errorf("%d lines on a screen of %d", len(lines), size[1])
		}
		for _, line := range lines[:len(lines)-1] { // the legend may wrap
			if utf8.RuneCountInString(line) > size[0] {
				t.Errorf("wider than %d: %q", size[0], line)
			}
		}
	}
}

func TestCoursesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		heap report.Heap
		want error
	}{
		"none":          {report.Heap{}, report.ErrNoPoints},
		"NaN":           {report.Heap{Collections: []report.Collection{{Slots: math.NaN()}}}, report.ErrNotFinite},
		"infinite mark": {report.Heap{Collections: heap.Collections, Marks: []report.Mark{{At: math.Inf(1)}}}, report.ErrNotFinite},
	} {
		if err := report.Course(io.Discard, c.heap, report.Screen{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err := report.CoursePicture(io.Discard, c.heap, "svg"); !errors.Is(err, c.want) {
			t.Errorf("picture of %s: %v, want %v", name, err, c.want)
		}
	}
	if err := report.CoursePicture(io.Discard, heap, "gif"); !errors.Is(err, report.ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
}

func TestCoursePicture(t *testing.T) {
	var vector, raster bytes.Buffer
	if err := report.CoursePicture(&vector, heap, "svg"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"objects, millions", ">boot<", ">window<", "live after a major one", ">slots<"} {
		if !strings.Contains(vector.String(), part) {
			t.Errorf("the picture does not say %q", part)
		}
	}
	if err := report.CoursePicture(&raster, heap, "png"); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&raster); err != nil {
		t.Error(err)
	}
}
