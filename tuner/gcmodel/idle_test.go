package gcmodel_test

import (
	"math"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// Where clients are few, most workers of a cluster answer next to nothing: they
// neither collect nor grow, whatever the setting.
func TestWorkersThatAreIdle(t *testing.T) {
	busy := readRecorded(t, "workers-3.1.json").Logs[0]
	some := readRecorded(t, "workers-3.1.json").Logs[0]
	for range 6 {
		some.Processes = append(some.Processes, idle(some.Processes[1]))
	}
	want, got := mustCalibrate(t, busy), mustCalibrate(t, some)
	if a, b := want.Predict(nil).CollectionsPer1000.Estimate, got.Predict(nil).CollectionsPer1000.Estimate; math.Abs(b/a-1) > 0.02 {
		t.Errorf("%.1f collections with idle workers, want %.1f", b, a)
	}
	large := map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "900000", "RUBY_GC_MALLOC_LIMIT": "256m", "RUBY_GC_MALLOC_LIMIT_MAX": "256m", "RUBY_GC_OLDMALLOC_LIMIT": "256m"}
	if a, b := want.Predict(large).CollectionsPer1000.Estimate, got.Predict(large).CollectionsPer1000.Estimate; math.Abs(b/a-1) > 0.1 {
		t.Errorf("%.1f collections with idle workers in a large heap, want %.1f", b, a)
	}
	more := func(p *gcmodel.Profile) float64 {
		return p.Predict(large).MemoryBytes.Estimate - p.Predict(nil).MemoryBytes.Estimate
	}
	if a, b := more(want), more(got); math.Abs(b/a-1) > 0.1 {
		t.Errorf("%.0f bytes more in a large heap with idle workers, want %.0f", b, a)
	}
}

// idle is a worker that has booted as another, and has done nothing since.
func idle(p gcmodel.Process) gcmodel.Process {
	boot := p.Marks[0]
	still := gcmodel.Process{Collections: p.Collections[:boot.Collections]}
	for _, m := range p.Marks {
		boot.Name, boot.Requests = m.Name, m.Requests
		still.Marks = append(still.Marks, boot)
	}
	return still
}
