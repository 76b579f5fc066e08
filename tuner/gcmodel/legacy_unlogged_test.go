package gcmodel_test

import (
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// MBARI builds with constants compiled in ran the page that the log of a
// Railsbench build is of. The program is the same, only the collector differs: its
// rules must make of the one what the other did. The setting says what Railsbench
// does where nothing is set.
func TestLegacyRulesOfMBARI(t *testing.T) {
	m := readLegacyRuns(t, "legacy-mbari.json")
	l := readLegacyRuns(t, "legacy-blog.json").Logs[0]
	l.Ruby = m.Logs[0].Ruby
	l.Setting = map[string]string{"GC_MALLOC_LIMIT": "8000000", "RUBY_HEAP_SLOTS_INCREMENT": "10000", "RUBY_HEAP_SLOTS_GROWTH_FACTOR": "1.8"}
	p := calibrate(t, l)
	collections, memory := predicted(m, p)
	if r := collections.explained(); r < 0.98 {
		t.Errorf("collections: R² %.3f", r)
	}
	if r := memory.explained(); r < 0.98 {
		t.Errorf("memory: R² %.3f", r)
	}
	if outside := append(collections.outside, memory.outside...); len(outside) > 2 {
		t.Errorf("outside their bounds: %v", outside)
	}
	// Each slab 1.8 times the one before: add_heap, by hand.
	if got, want := p.Predict(nil).Slots.Estimate, 10000.0+18000+32400+58320+104976+188956+340120; got != want {
		t.Errorf("%.0f slots, want %.0f", got, want)
	}
}

// Without a log bounds must be wide, and hold nevertheless.
func TestLegacyWithoutLogs(t *testing.T) {
	m := readLegacyRuns(t, "legacy-mbari.json")
	for n := 1; n <= len(m.Logs); n++ {
		collections, memory := predicted(m, calibrate(t, m.Logs[:n]...))
		if r := collections.explained(); r < 0.7 {
			t.Errorf("%d runs: collections: R² %.3f", n, r)
		}
		if r := memory.explained(); r < 0.5 {
			t.Errorf("%d runs: memory: R² %.3f", n, r)
		}
		if outside := append(collections.outside, memory.outside...); len(outside) > len(m.Runs)/4 {
			t.Errorf("%d runs: outside their bounds: %v", n, outside)
		}
	}
}

// Where collections were not counted either, nobody knows how many there are.
func TestLegacyUncounted(t *testing.T) {
	m := readLegacyRuns(t, "legacy-mbari.json")
	for _, l := range m.Logs {
		for i := range l.Processes[0].Marks {
			l.Processes[0].Marks[i].Collections = 0
		}
	}
	collections, _ := predicted(m, calibrate(t, m.Logs...))
	if len(collections.outside) > len(m.Runs)/8 {
		t.Errorf("outside their bounds: %v", collections.outside)
	}
}

func predicted(m legacyRuns, p *gcmodel.Profile) (collections, memory outcomes) {
	for _, r := range m.Runs {
		q := p.Predict(r.Setting)
		collections.add(r.CollectionsPer1000, q.CollectionsPer1000)
		memory.add(r.MemoryBytes, q.MemoryBytes)
	}
	return collections, memory
}
