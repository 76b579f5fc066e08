package gcmodel_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

// One more or less is chance: windows begin and end anywhere.
func TestTheRunLearntFromIsPredictedAsItWas(t *testing.T) {
	for _, name := range []string{"blog-3.1.json", "blog-3.3.json", "strings-3.1.json", "rails-3.1.json", "chosen-3.1.json", "pages-3.2.json", "pages-4.0.json", "shop-2.1.json", "shop-2.3.json"} {
		l := readRecorded(t, name).Logs[0]
		p := mustCalibrate(t, l).Predict(l.Setting)
		marks := l.Processes[0].Marks
		seen := float64(marks[len(marks)-1].Collections - marks[len(marks)-2].Collections)
		per := 1000 / l.Requests
		if got := p.CollectionsPer1000.Estimate / per; math.Abs(got-seen) > 0.51 {
			t.Errorf("%s: %.1f collections, want %.0f", name, got, seen)
		}
		if low, high := p.CollectionsPer1000.Low/per, p.CollectionsPer1000.High/per; high-low > 4+0.4*seen || low > seen || seen > high {
			t.Errorf("%s: collections from %.1f to %.1f, want about %.0f", name, low, high, seen)
		}
		if got := p.MemoryBytes.Estimate; math.Abs(got/l.MemoryBytes-1) > 0.005 {
			t.Errorf("%s: memory %.0f, want %.0f", name, got, l.MemoryBytes)
		}
		if wide := (p.MemoryBytes.High - p.MemoryBytes.Low) / 2; wide > 0.1*l.MemoryBytes {
			t.Errorf("%s: memory within %.0f of %.0f", name, wide, l.MemoryBytes)
		}
	}
}

// Bounds are of use if they hold and are narrow.
func TestBoundsOfARailsApplication(t *testing.T) {
	r := readRecorded(t, "rails-3.1.json")
	c := compare(t, r, r.Logs[0])
	if c.within < c.runs-3 || c.memoryWithin < c.runs-3 {
		t.Errorf("of %d runs, %d collections and %d memories were within the bounds", c.runs, c.within, c.memoryWithin)
	}
	if c.rank < 0.88 || c.memoryRank < 0.9 || c.memoryError > 0.045 {
		t.Errorf("rank correlations %.3f of collections, %.3f of memory, whose median error is %.3f", c.rank, c.memoryRank, c.memoryError)
	}
	profile := mustCalibrate(t, r.Logs[0])
	var collections, memory []float64
	for _, m := range r.Measured {
		p := profile.Predict(m.Setting)
		of := p.CollectionsPer1000
		half := 500 / r.Logs[0].Requests // of a collection: the least of a bound may be none
		collections = append(collections, (of.High+half)/(of.Low+half))
		memory = append(memory, (p.MemoryBytes.High-p.MemoryBytes.Low)/2/p.MemoryBytes.Estimate)
	}
	slices.Sort(collections)
	slices.Sort(memory)
	if median, widest := collections[len(collections)/2], collections[len(collections)-1]; median > 2 || widest > 12 {
		t.Errorf("bounds of collections: a factor of %.1f between them, %.1f at most", median, widest)
	}
	if median, widest := memory[len(memory)/2], memory[len(memory)-1]; median > 0.13 || widest > 0.4 {
		t.Errorf("bounds of memory: ±%.0f %%, ±%.0f %% at most", 100*median, 100*widest)
	}
}

// A search is drawn to where a model promises too much. So it was with heaps in
// which all collections are major, and with such as have hardly any free slots.
func TestSettingsThatASearchChose(t *testing.T) {
	r := readRecorded(t, "chosen-3.1.json")
	profile := mustCalibrate(t, r.Logs[0])
	for i, m := range r.Measured {
		p := profile.Predict(m.Setting)
		n := m.Collections * 1000 / r.Logs[0].Requests
		if of := p.CollectionsPer1000; n < of.Low || n > of.High || math.Abs(of.Estimate-n) > 0.2*n+15 {
			t.Errorf("setting %d: %.0f collections, predicted %.0f, %.0f to %.0f", i, n, of.Estimate, of.Low, of.High)
		}
		if of := p.MemoryBytes; m.MemoryBytes < of.Low || m.MemoryBytes > of.High || math.Abs(of.Estimate/m.MemoryBytes-1) > 0.16 {
			t.Errorf("setting %d: memory %.0f, predicted %.0f, %.0f to %.0f", i, m.MemoryBytes, of.Estimate, of.Low, of.High)
		}
	}
}

// Where the log does not tell what strings take, bounds are wide where that
// matters, and only there.
func TestWideBoundsWhereMallocMatters(t *testing.T) {
	l := readRecorded(t, "strings-3.1.json").Logs[0]
	profile := mustCalibrate(t, l)
	width := func(slots int) float64 {
		of := profile.Predict(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": strconv.Itoa(slots)}).CollectionsPer1000
		return of.High / max(1, of.Low)
	}
	if small, large := width(20_000), width(1_000_000); small > 3 || large < 5 || large > 1e4 {
		t.Errorf("a factor of %.1f between the bounds in a small heap, %.1f in a large one", small, large)
	}
}

// Garbage cannot have taken more memory than there was.
func TestMemoryBoundsWhatObjectsHaveBesideTheirSlots(t *testing.T) {
	large := map[string]string{
		"RUBY_GC_HEAP_INIT_SLOTS": "900000", "RUBY_GC_MALLOC_LIMIT": "10g", "RUBY_GC_MALLOC_LIMIT_MAX": "10g", "RUBY_GC_OLDMALLOC_LIMIT": "10g",
	}
	width := func(memory float64) float64 {
		l := steady(200_000, 100_000)
		l.MemoryBytes = memory
		of := mustCalibrate(t, l).Predict(large).MemoryBytes
		return of.High - of.Low
	}
	if little, much := width(14<<20), width(100<<20); little > much/2 {
		t.Errorf("bounds are %.0f apart for a run with little memory, %.0f with much", little, much)
	}
}
