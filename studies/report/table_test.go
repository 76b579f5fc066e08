package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies/report"
)

var sample = report.Table{
	Columns: []report.Column{
		{Name: "trial"}, {Name: "reason", Title: "why", Width: 20},
		{Name: "memory_bytes", Title: "memory", Unit: report.Bytes, Interval: true}, {Name: "mean_seconds", Unit: report.Seconds},
	},
	Rows: [][]any{
		{12, "GET /x: 404 \"Not\" | Found, or\nso", report.Interval{Estimate: 131412345, Low: 131e6, High: math.NaN()}, 0.0123},
		{1234567, nil, nil, math.Inf(1)},
	},
}

func write(t *testing.T, table report.Table, f report.Format) string {
	t.Helper()
	var out bytes.Buffer
	if err := table.Write(&out, f); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestText(t *testing.T) {
	want := strings.TrimPrefix(`
┌─────────┬──────────────────────┬──────────┬──────────────┐
│   trial │ why                  │   memory │ mean_seconds │
├─────────┼──────────────────────┼──────────┼──────────────┤
│      12 │ GET /x: 404 "Not" |  │ 131.4 MB │      12.3 ms │
│         │ Found, or so         │          │              │
│ 1234567 │ –                    │        – │            – │
└─────────┴──────────────────────┴──────────┴──────────────┘
`, "\n")
	if diff := cmp.Diff(want, write(t, sample, report.Text)); diff != "" {
		t.Error(diff)
	}
}

func TestMarkdown(t *testing.T) {
	got := write(t, sample, report.Markdown)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], `"Not" \| Found, or so`) || lines[0] != "| trial | why | memory | mean_seconds |" {
		t.Errorf("not one line a row with escaped bars:\n%s", got)
	}
}

func TestCSV(t *testing.T) {
	got, err := csv.NewReader(strings.NewReader(write(t, sample, report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"trial", "reason", "memory_bytes", "memory_bytes_low", "memory_bytes_high", "mean_seconds"},
		{"12", "GET /x: 404 \"Not\" | Found, or\nso", "131412345", "131000000", "", "0.0123"},
		{"1234567", "", "", "", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	text := write(t, sample, report.JSON)
	var got []map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err, text)
	}
	want := []map[string]any{
		{
			"trial": 12.0, "reason": "GET /x: 404 \"Not\" | Found, or\nso", "mean_seconds": 0.0123,
			"memory_bytes": map[string]any{"estimate": 131412345.0, "low": 131e6, "high": nil},
		},
		{"trial": 1234567.0, "reason": nil, "memory_bytes": nil, "mean_seconds": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Index(text, "trial") > strings.Index(text, "reason") {
		t.Error("keys are not in the order of the columns")
	}
	if empty := write(t, report.Table{Columns: sample.Columns}, report.JSON); empty != "[]\n" {
		t.Errorf("no rows: %q", empty)
	}
}

// Reasons quote what measured programs print: it must not reach the terminal
// as a command to it.
func TestTextDrivesNoTerminal(t *testing.T) {
	table := report.Table{Columns: []report.Column{{Name: "reason"}}, Rows: [][]any{{"a\x1b[2Jb\x07\u009b31m\u202ec"}}}
	for _, f := range []report.Format{report.Text, report.Markdown} {
		if got := write(t, table, f); strings.ContainsAny(got, "\x1b\x07\u009b\u202e") {
			t.Errorf("%s: %q", f, got)
		}
	}
}

func TestTableRefuses(t *testing.T) {
	table := report.Table{Columns: sample.Columns, Rows: [][]any{{1}}}
	if err := table.Write(&bytes.Buffer{}, report.Text); err == nil {
		t.Error("a row that is too short was written")
	}
	if err := sample.Write(&bytes.Buffer{}, "xml"); !errors.Is(err, report.ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
	if err := sample.Write(broken{}, report.CSV); !errors.Is(err, errBroken) {
		t.Errorf("%v, want the error of the writer", err)
	}
}

var errBroken = errors.New("broken pipe")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestParseFormat(t *testing.T) {
	for _, f := range report.Formats() {
		if got, err := report.ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
	if _, err := report.ParseFormat("yaml"); !errors.Is(err, report.ErrFormat) || !strings.Contains(err.Error(), "csv") {
		t.Errorf("%v, want ErrFormat that lists the formats", err)
	}
}

func TestUnits(t *testing.T) {
	tests := []struct {
		unit report.Unit
		x    float64
		want string
	}{
		{report.Plain, 0, "0"}, {report.Plain, 12.34567, "12.35"}, {report.Plain, 1234567.8, "1,234,568"}, {report.Plain, -0.00123456, "-0.001235"},
		{report.Bytes, 131412345, "131.4 MB"}, {report.Bytes, -1.5e9, "-1.500 GB"}, {report.Bytes, 0, "0 B"},
		{report.Seconds, 0.0123456, "12.34 ms"}, {report.Seconds, 1.5, "1.5 s"}, {report.Seconds, 119.94, "119.9 s"},
		{report.Seconds, 3700.4, "1h1m40s"}, {report.Seconds, 0, "0 s"},
		{report.Share, 0.1234, "12.34 %"}, {report.Share, 0, "0 %"},
		{report.Change, 1.048, "+4.8 %"}, {report.Change, 999, "+99800.0 %"}, {report.Change, 8.5e10, "more than 1000 times"}, {report.Change, 0.5, "-50.0 %"},
		{report.Bytes, math.NaN(), "–"}, {report.Seconds, math.Inf(1), "–"},
	}
	for _, test := range tests {
		if got := test.unit.Format(test.x); got != test.want {
			t.Errorf("unit %d of %v is %q, want %q", test.unit, test.x, got, test.want)
		}
	}
}
