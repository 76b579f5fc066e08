package harness_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/ruby"
)

// A server's log has every collection of each process that serves, and what it was
// like at the marks.
func TestLogOfServers(t *testing.T) {
	cluster := server(t, "puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "-w", "2", "--preload", "config.ru")
	for name, c := range map[string]struct {
		server    *harness.Server
		processes int
	}{"puma": {puma(t), 1}, "cluster": {cluster, 2}} {
		t.Run(name, func(t *testing.T) {
			got := measure(t, c.server, nil)
			wantState(t, got, harness.Complete)
			if got.Log == nil || len(got.Log.Processes) != c.processes || !strings.HasPrefix(got.Log.Ruby, "ruby ") {
				t.Fatalf("log %+v; warnings %q", got.Log, got.Warnings)
			}
			inWindow := 0.0
			for _, p := range got.Log.Processes {
				inWindow += float64(checkMarks(t, p, []float64{1, 42, 242})) // ready, each request once, 40 and 200 more
			}
			if count := got.Metrics["gc_count"]; inWindow < count-2 || inWindow > count+2 || count == 0 { // some may be sweeping at an edge
				t.Errorf("%v collections in the window by the log, %v by the counters", inWindow, count)
			}
		})
	}
}

// checkMarks returns the number of collections between the last two marks.
func checkMarks(t *testing.T, p harness.ProcessLog, requests []float64) int64 {
	t.Helper()
	names, counts := []string{}, []int64{}
	for i, m := range p.Marks {
		names, counts = append(names, m.Name), append(counts, m.Collections)
		if m.Requests != requests[i] {
			t.Errorf("%s after %v requests, want %v", m.Name, m.Requests, requests[i])
		}
		if m.PSS <= 0 || m.PSS > m.RSS || m.RSS > m.PeakRSS || m.Collections > int64(len(p.Collections)) || m.Stat["count"] < float64(m.Collections) {
			t.Errorf("%+v", m)
		}
	}
	if !slices.Equal(names, []string{harness.MarkBoot, harness.MarkWarmup, harness.MarkWindow}) || !slices.IsSorted(counts) {
		t.Fatalf("marks %v, after %v of %d collections", names, counts, len(p.Collections))
	}
	for i, c := range p.Collections {
		if c.Live > c.Slots || c.Slots == 0 && int64(i) >= counts[0] {
			t.Errorf("collection %d: %+v", i, c)
		}
	}
	return counts[2] - counts[1]
}

// Adaptive lengths settle afterwards where the window began; the marks are there.
func TestLogOfAdaptiveLengths(t *testing.T) {
	s := puma(t)
	s.Warmup, s.Window = 0, harness.Window{}
	got := run(t, s, harness.Trial{Lengths: &harness.Lengths{Least: 400, Most: 300}})
	wantState(t, got, harness.Complete)
	if got.Log == nil || len(got.Log.Processes) != 1 || len(got.Log.Processes[0].Marks) != 3 {
		t.Fatalf("log %+v; warnings %q", got.Log, got.Warnings)
	}
	marks := got.Log.Processes[0].Marks
	if from := marks[1]; from.Name != harness.MarkWarmup || from.Requests != 2+got.Metrics["warmup_requests"] || from.RSS <= 0 {
		t.Errorf("%+v, of %v requests", from, got.Metrics["warmup_requests"])
	}
	if window := marks[2].Requests - marks[1].Requests; window != got.Metrics["requests"] {
		t.Errorf("a window of %v requests, want %v", window, got.Metrics["requests"])
	}
}

func run(t *testing.T, w harness.Workload, trial harness.Trial) harness.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	trial.OutputPath = filepath.Join(t.TempDir(), "output.log")
	result, err := w.Run(ctx, trial)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A batch reports as it ends, and meanwhile when it takes long; it does not notice.
func TestLogOfABatch(t *testing.T) {
	b := batch(t, `ended = Time.now + 2.5; sleep 0.1 while Time.now < ended; 300_000.times { Object.new }; 7.times { GC.start }; exit!(1) unless GC.count > 7`)
	got := measure(t, b, nil)
	wantState(t, got, harness.Complete)
	if got.Log == nil || len(got.Log.Processes) != 1 || len(got.Warnings) > 0 {
		t.Fatalf("log %+v; warnings %q", got.Log, got.Warnings)
	}
	p := got.Log.Processes[0]
	boot, window := p.Marks[0], p.Marks[1]
	if boot.Name != harness.MarkBoot || boot.Requests != 0 || window.Name != harness.MarkWindow || window.Requests != 100 || window.PeakRSS < window.RSS || window.RSS == 0 {
		t.Errorf("marks %+v", p.Marks)
	}
	called := 0
	for _, c := range p.Collections[boot.Collections:window.Collections] {
		if c.By == "method" {
			called++
		}
	}
	if called != 7 || int64(len(p.Collections)) != window.Collections {
		t.Errorf("%d of 7 calls; marks %+v of %d collections", called, p.Marks, len(p.Collections))
	}
}

// Of many processes those with the most collections are kept, and how many there were.
func TestLogOfManyProcesses(t *testing.T) {
	got := measure(t, batch(t, `20.times { |i| fork { (i + 1).times { 20_000.times { "x".dup } } } }; Process.waitall; sleep 0.3`), nil)
	wantState(t, got, harness.Complete)
	if got.Log == nil || len(got.Log.Processes) != 16 || got.Log.Ran != 21 {
		t.Errorf("log %+v; warnings %q", got.Log, got.Warnings)
	}
}

// What cannot be recorded is no fault of the program.
func TestRunsWithoutALog(t *testing.T) {
	unwritable := batch(t, `Dir.mkdir(File.join(ENV["GCTUNE_PROBE_DIR"], "collections-#{$$}")); sleep 0.3`)
	damaged := batch(t, `at_exit { file = File.join(ENV["GCTUNE_PROBE_DIR"], "collections-#{$$}"); File.write(file, "x" * 5000) if File.exist?(file) }; sleep 1.5; GC.start`)
	unrecorded := batch(t, `sleep 0.3`)
	unrecorded.Unrecorded = true
	for name, b := range map[string]*harness.Batch{"unwritable": unwritable, "damaged": damaged, "unrecorded": unrecorded} {
		t.Run(name, func(t *testing.T) {
			got := measure(t, b, nil)
			wantState(t, got, harness.Complete)
			warned := strings.Contains(strings.Join(got.Warnings, " "), "collections could not be recorded in full")
			if complete := got.Log != nil && !warned; complete || warned != (name == "damaged") {
				t.Errorf("log %+v; warnings %q", got.Log, got.Warnings)
			}
		})
	}
}

// A Ruby before 2.1 that writes a log itself has it read, and a configuration that wants
// that log for itself keeps it.
func TestLogOf187(t *testing.T) {
	path := os.Getenv("GCTUNE_TEST_RUBY187_RAILSBENCH")
	if path == "" {
		t.Skip("GCTUNE_TEST_RUBY187_RAILSBENCH names no build")
	}
	in, err := ruby.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	b := batch(t, `system("`+path+`", "-e", "200_000.times { Object.new }"); 400_000.times { Object.new }; sleep 0.3; GC.start`)
	b.Interpreter = in
	setting := map[string]string{"RUBY_HEAP_MIN_SLOTS": "30000"}
	got := measure(t, b, setting)
	wantState(t, got, harness.Complete)
	if got.Log == nil || len(got.Warnings) > 0 {
		t.Fatalf("log %+v; warnings %q", got.Log, got.Warnings)
	}
	all := got.Log.Processes[0].Collections
	if first, last := all[0], all[len(all)-1]; first.By != "newobj" || first.Slots < 30000 || last.By != "malloc" || last.Free == 0 || len(all) < 5 {
		t.Errorf("%+v", all)
	}
	theirs := filepath.Join(t.TempDir(), "theirs")
	b.Variables = map[string]string{"RUBY_GC_STATS": "1", "RUBY_GC_DATA_FILE": theirs}
	got = measure(t, b, setting)
	wantState(t, got, harness.Complete)
	if text, err := os.ReadFile(theirs); err != nil || got.Log != nil || !strings.Contains(string(text), "live objects") || strings.Contains(string(text), "gctune") {
		t.Errorf("%v; log %+v; their file: %s", err, got.Log, text)
	}
}
