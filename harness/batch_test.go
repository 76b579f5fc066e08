package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
)

func batch(t *testing.T, script string) *harness.Batch {
	t.Helper()
	return &harness.Batch{Program: program(t, "{ruby}", "-e", script), Work: 100, Timeout: 30 * time.Second}
}

// Children come and go while memory is sampled; one that is just ending must not
// turn the window's PSS into RSS.
func TestBatchWithManyChildrenHasPSS(t *testing.T) {
	got := measure(t, batch(t, `kept = "x" * 20_000_000; 300.times { 4.times.map { fork { exit! } }.each { |pid| Process.wait(pid) } }; kept`), nil)
	wantState(t, got, harness.Complete)
	if len(got.Warnings) > 0 {
		t.Errorf("warnings: %q", got.Warnings)
	}
	if got.Metrics["memory_pss_peak_bytes"] < 20e6 || got.Metrics["work_per_second"] != 100/got.Metrics["window_seconds"] {
		t.Errorf("metrics: %v", got.Metrics)
	}
}

func TestBatchesThatDoNotWork(t *testing.T) {
	setting := map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "100000"}
	slow := batch(t, "sleep 60")
	slow.Timeout = time.Second
	hog := batch(t, `a = []; loop { a << "x" * 10_000_000 }`)
	hog.MemoryCeiling = 300e6
	other := batch(t, "")
	other.Command = []string{"sleep", "0.5"}
	for name, c := range map[string]struct {
		batch  *harness.Batch
		state  harness.State
		reason string
	}{
		"exits with a status": {batch(t, `sleep 0.3; warn "no such table"; exit 3`), harness.Infeasible, "exited with status 3 before its work was done; it printed: no such table"},
		"ends with an exception": {batch(t, `def deep(n) = n.zero? ? raise("no such table") : deep(n - 1)
sleep 0.3
deep(40)`), harness.Infeasible, "no such table (RuntimeError)"},
		"takes too long":   {slow, harness.Infeasible, "took longer than 1s"},
		"takes all memory": {hog, harness.Infeasible, "used more than 300 MB of memory"},
		"runs no Ruby":     {other, harness.Failed, "was seen to run"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := measure(t, c.batch, setting); got.State != c.state || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("%s: %s; want %s with %q", got.State, got.Reason, c.state, c.reason)
			}
		})
	}
}

// Somebody who kills a program says nothing of its setting; a crash does, and so does
// the memory that it took.
func TestKilledBatchIsAnAccident(t *testing.T) {
	setting := map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "100000"}
	hog := batch(t, `a = []; loop { a << "x" * 10_000_000 }`)
	hog.MemoryCeiling = 300e6
	for name, c := range map[string]struct {
		batch    *harness.Batch
		accident bool
	}{
		"killed":           {batch(t, `sleep 0.3; Process.kill(:KILL, $$); sleep`), true},
		"aborted":          {batch(t, `sleep 0.3; trap(:ABRT, "SYSTEM_DEFAULT"); Process.kill(:ABRT, $$); sleep`), false},
		"status":           {batch(t, `sleep 0.3; exit 3`), false},
		"takes all memory": {hog, false},
	} {
		if got := measure(t, c.batch, setting); got.State != harness.Infeasible || got.Accident != c.accident {
			t.Errorf("%s: %s (%s), an accident: %v", name, got.State, got.Reason, got.Accident)
		}
	}
}
