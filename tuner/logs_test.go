package tuner_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
)

// recorded has a log in every run but those of trial 2.
func recorded(ctx context.Context, n int, t harness.Trial) (harness.Result, error) {
	result := figures(t)
	if n == 2 {
		return result, nil
	}
	result.Log = &harness.Log{Ruby: "ruby 9", Processes: []harness.ProcessLog{{
		Collections: []harness.Collection{{}, {Slots: 9, Live: int64(n), Free: 3, Seconds: 0.25, Major: true, By: "malloc", MajorBy: "shady"}},
		Marks: []harness.Mark{{Name: harness.MarkWindow, Collections: 2, Requests: 7, RSS: 5, PSS: 4, PeakRSS: 6,
			Stat: map[string]float64{"count": 2}, Heaps: map[int]map[string]float64{3: {"slot_size": 320}}}},
	}}}
	return result, nil
}

func TestLogs(t *testing.T) {
	l := newLoop(t, &scripted{measure: recorded})
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	logs, err := tuner.Logs(t.Context(), l.Store.(*studies.Store), l.Study)
	if err != nil || len(logs) != 4 || len(logs[2]) != 0 {
		t.Fatalf("%v, %v", logs, err)
	}
	trials, err := l.Store.Trials(t.Context(), l.Study.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := gcmodel.Log{
		Ruby: "ruby 9", Setting: trials[1].Setting, Requests: 250, MemoryBytes: trials[1].Runs[0].Metrics["memory"],
		Processes: []gcmodel.Process{{
			Collections: []gcmodel.Collection{{}, {Slots: 9, Live: 1, Free: 3, Seconds: 0.25, Major: true, By: "malloc", MajorBy: "shady"}},
			Marks: []gcmodel.Mark{{Name: gcmodel.Window, Collections: 2, Requests: 7, RSSBytes: 5, PSSBytes: 4, PeakRSSBytes: 6,
				Stat: map[string]float64{"count": 2}, Heaps: map[int]map[string]float64{3: {"slot_size": 320}}}},
		}},
	}
	if diff := cmp.Diff([]gcmodel.Log{want}, logs[1]); diff != "" {
		t.Error(diff)
	}
}

// A log that is damaged is told, and keeps nobody from the others.
func TestDamagedLogs(t *testing.T) {
	l := newLoop(t, &scripted{measure: recorded})
	l.Budget = 2
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var empty bytes.Buffer
	w := gzip.NewWriter(&empty)
	if _, err := w.Write([]byte("null")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for _, log := range [][]byte{[]byte("no log"), empty.Bytes()} {
		if err := l.Store.AddRun(t.Context(), l.Study.ID, 1, studies.Run{Log: log}); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := tuner.Logs(t.Context(), l.Store.(*studies.Store), l.Study)
	if err == nil || strings.Count(err.Error(), "trial 1") != 2 || len(logs[0]) != 1 || len(logs[1]) != 1 {
		t.Errorf("%v; %v", err, logs)
	}
}

// The marks of the harness are those of the models.
func TestMarksAreTheSame(t *testing.T) {
	if harness.MarkBoot != gcmodel.Boot || harness.MarkWarmup != gcmodel.Warmup || harness.MarkWindow != gcmodel.Window {
		t.Error("marks differ")
	}
}
