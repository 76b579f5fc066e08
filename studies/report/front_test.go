package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies/report"
)

var front = report.Front{
	Baseline: &report.Point{Trial: 0, Throughput: 100, Memory: 80e6},
	Front: []report.Point{
		{Trial: 3, Throughput: 101, Memory: 79e6}, {Trial: 12, Throughput: 108, Memory: 120e6}, {Trial: 7, Throughput: 112, Memory: 160e6},
	},
	Beaten:          []report.Point{{Trial: 1, Throughput: 90, Memory: 100e6}, {Trial: 2, Throughput: 95, Memory: 150e6}},
	ThroughputTitle: "requests per CPU second", MemoryTitle: "peak memory", MemoryUnit: report.Bytes,
}

func scatter(t *testing.T, f report.Front, s report.Screen) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Scatter(&out, f, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestScatter(t *testing.T) {
	// Positions worked out by hand: 55 columns for 74.95 to 164.05 MB, 10 rows
	// for 88.9 to 113.1 requests.
	want := strings.TrimPrefix(`
requests per CPU second
    │                                                    ●7
110 ┤
    │                           ●12
    │
    │  ●3
100 ┤   ◆
    │
    │                                             ·
    │
 90 ┤               ·
    └───┬───────────────────────┬────────────────────────┬──
     80.00 MB               120.0 MB                160.0 MB
                                                 peak memory
● front, with the trial's number   ◆ baseline   · beaten
`, "\n")
	got := scatter(t, front, report.Screen{Width: 60, Height: 15})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What was not measured again, where others were, is not called beaten.
func TestScatterUnconfirmed(t *testing.T) {
	f := front
	f.Unconfirmed, f.Beaten = f.Beaten[1:], f.Beaten[:1]
	got := scatter(t, f, report.Screen{Width: 60, Height: 15})
	want := strings.Replace(scatter(t, front, report.Screen{Width: 60, Height: 15}), "·", "○", 1) // the upper one
	want = strings.Replace(want, "number   ", "number   ○ not measured again   ", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Numbers go where there is room; a point or another number is never written
// over, and two numbers never read as one.
func TestScatterNumbers(t *testing.T) {
	at := func(trial int, memory float64) report.Point {
		return report.Point{Trial: trial, Memory: memory, Throughput: 1}
	}
	tests := []struct {
		points []report.Point
		want   string
	}{
		// 74 columns for -5 to 105: one is about 1.5.
		{[]report.Point{at(17, 0), at(18, 1.5), at(19, 3), at(2, 100)}, "17●●●19"},
		{[]report.Point{at(1, 0), at(17, 50), at(18, 52), at(5, 44.73), at(2, 100)}, "5● 17●●18"},
		{[]report.Point{at(1, 0), at(17, 50), at(18, 52), at(5, 46.25), at(2, 100)}, "5●17●●18"},
	}
	for _, test := range tests {
		got := scatter(t, report.Front{Front: test.points}, report.Screen{})
		if !strings.Contains(got, test.want) {
			t.Errorf("no %s in\n%s", test.want, got)
		}
	}
}

func TestScatterColor(t *testing.T) {
	got := scatter(t, front, report.Screen{Color: true})
	for _, symbol := range []string{"\x1b[32m●\x1b[0m", "\x1b[33m◆\x1b[0m", "\x1b[90m·\x1b[0m"} {
		if !strings.Contains(got, symbol) {
			t.Errorf("no %q in\n%s", symbol, got)
		}
	}
	if plain := scatter(t, front, report.Screen{}); strings.Contains(plain, "\x1b") {
		t.Errorf("colour without being asked:\n%s", plain)
	}
}

func TestScatterFits(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {30, 10}, {100, 50}, {79, 24}} {
		width, height := max(size[0], 0), max(size[1], 0)
		got := scatter(t, front, report.Screen{Width: width, Height: height})
		if width == 0 {
			width, height = 80, 24
		}
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(lines) > height {
			t.Errorf("%d lines on a screen of %d", len(lines), height)
		}
		for _, line := range lines[:len(lines)-1] { // the legend may wrap
			if utf8.RuneCountInString(line) > width {
				t.Errorf("wider than %d: %q", width, line)
			}
		}
	}
}

func TestPlotsOfFewPoints(t *testing.T) {
	tests := map[string]report.Front{
		"one":        {Baseline: &report.Point{Throughput: 5, Memory: 5}},
		"same twice": {Front: []report.Point{{Trial: 1, Throughput: 1, Memory: 2}, {Trial: 2, Throughput: 1, Memory: 2}}},
		"zero":       {Beaten: []report.Point{{}}},
		"extremes":   {Front: []report.Point{{Throughput: -math.MaxFloat64 / 4, Memory: 1e-300}, {Throughput: math.MaxFloat64 / 4, Memory: math.MaxFloat64 / 4}}},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			got := scatter(t, f, report.Screen{})
			plot := got[:strings.LastIndex(strings.TrimSpace(got), "\n")]
			if !strings.ContainsAny(plot, "●◆·") {
				t.Errorf("no point in\n%s", got)
			}
			if err := report.Picture(io.Discard, f, "svg"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPlotsRefuse(t *testing.T) {
	tests := []struct {
		name  string
		front report.Front
		want  error
	}{
		{"no points", report.Front{}, report.ErrNoPoints},
		{"NaN", report.Front{Front: []report.Point{{Trial: 4, Throughput: math.NaN()}}}, report.ErrNotFinite},
		{"infinite", report.Front{Beaten: []report.Point{{Memory: math.Inf(1)}}}, report.ErrNotFinite},
	}
	for _, test := range tests {
		if err := report.Scatter(io.Discard, test.front, report.Screen{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if err := report.Picture(io.Discard, test.front, "svg"); !errors.Is(err, test.want) {
			t.Errorf("picture of %s: %v, want %v", test.name, err, test.want)
		}
	}
	if err := report.Picture(io.Discard, front, "exe"); !errors.Is(err, report.ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
}

func TestPicture(t *testing.T) {
	var vector, raster bytes.Buffer
	if err := report.Picture(&vector, front, "svg"); err != nil {
		t.Fatal(err)
	}
	text := vector.String()
	for _, part := range []string{"requests per CPU second", "peak memory", "baseline", "beaten", "120.0 MB", ">12<"} {
		if !strings.Contains(text, part) {
			t.Errorf("the picture does not say %q", part)
		}
	}
	decoder := xml.NewDecoder(&vector)
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := report.Picture(&raster, front, "png"); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&raster); err != nil {
		t.Error(err)
	}
}

func TestScreenOfAFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := report.ScreenOf(f, func(string) string { return "" }); got != (report.Screen{}) {
		t.Errorf("a file is taken for a terminal: %+v", got)
	}
}
