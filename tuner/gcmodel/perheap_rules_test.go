package gcmodel_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// noMalloc keeps malloc from beginning collections.
func noMalloc(setting map[string]string) map[string]string {
	for _, name := range []string{"MALLOC_LIMIT", "MALLOC_LIMIT_MAX", "OLDMALLOC_LIMIT", "OLDMALLOC_LIMIT_MAX"} {
		setting["RUBY_GC_"+name] = "100g"
	}
	return setting
}

// heapsOf32 is steadyHeaps as 3.2 tells it: not what was allocated in each heap, but
// what each may grow to. The second one's pages have 819 slots; of its 10,000 initial
// slots, ten pages were used, and three are left.
func heapsOf32() gcmodel.Log {
	l := steadyHeaps()
	l.Ruby = "ruby 3.2.8 (2025-03-26)"
	for _, m := range l.Processes[0].Marks {
		m.Heaps[0] = map[string]float64{"heap_eden_slots": 166_000, "heap_eden_pages": 102, "heap_allocatable_pages": 0}
		m.Heaps[1] = map[string]float64{"heap_eden_slots": 8190, "heap_eden_pages": 10, "heap_allocatable_pages": 3}
	}
	return l
}

// gc.c of 3.2, gc_sweep_finish_size_pool: as long as its least share of free slots is
// fewer than the initial slots, a heap may have these free after each collection. Nine of
// ten objects are in the first heap, and all that live: it has liveSlots and the initial
// ones, and a collection comes when these are used up.
func TestInitialSlotsAreFreeAfterEachCollection(t *testing.T) {
	const window = 10_000_000
	profile := mustCalibrate(t, heapsOf32())
	for _, init := range []int{60_000, 150_000, 300_000} {
		p := profile.Predict(noMalloc(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": strconv.Itoa(init)}))
		collections := window * 0.9 / float64(init)
		if got := p.CollectionsPer1000.Estimate; math.Abs(got/collections-1) > 0.1 {
			t.Errorf("%d initial slots: %.1f collections, want %.1f", init, got, collections)
		}
		slots := liveSlots + float64(init)/0.9
		if got := p.Slots.Estimate; math.Abs(got/slots-1) > 0.1 {
			t.Errorf("%d initial slots: %.0f slots, want %.0f", init, got, slots)
		}
	}
}

// The same setting of 3.2 and of 3.3, whose heaps may have initial slots in all, and not
// free ones: a heap of 3.3 that has more than 300,000 does not grow for them.
func TestInitialSlotsOf33AreAllSlots(t *testing.T) {
	l := steadyHeaps()
	l.Ruby = "ruby 3.3.8 (2025-04-09)"
	setting := noMalloc(map[string]string{})
	for heap := range 5 {
		setting["RUBY_GC_HEAP_"+strconv.Itoa(heap)+"_INIT_SLOTS"] = "300000"
	}
	// Of the first heap 200,000 slots are free, and each takes 0.9 of an object.
	const collections = 10_000_000 * 0.9 / 200_000
	if got := mustCalibrate(t, l).Predict(setting).CollectionsPer1000.Estimate; math.Abs(got/collections-1) > 0.1 {
		t.Errorf("%.1f collections, want %.1f", got, collections)
	}
}

// A server of plain Ruby, no run of which a cost of bytes was fitted to. 3.2 does not
// tell heaps apart, 4.0 has empty pages for all.
func TestHeapsOfPlainRuby(t *testing.T) {
	for name, most := range map[string]float64{"pages-3.2.json": 0.04, "pages-4.0.json": 0.06} {
		t.Run(name, func(t *testing.T) {
			r := readRecorded(t, name)
			c := compare(t, r, r.Logs[0])
			if c.rank < 0.93 || c.memoryRank < 0.9 || c.memoryError > most {
				t.Errorf("rank correlations %.3f of collections, %.3f of memory, whose median error is %.3f; want 0.93, 0.9, %.2f", c.rank, c.memoryRank, c.memoryError, most)
			}
			if c.within < c.runs-2 || c.memoryWithin < c.runs-2 {
				t.Errorf("of %d runs, %d collections and %d memories were within the bounds", c.runs, c.within, c.memoryWithin)
			}
		})
	}
}

// gc/default/default.c of 4.0: heaps of few free slots are swept before the empty pages of
// others are found, and let the heap grow (gc_sweep_finish_heap), until more than the
// greatest share is free, and empty pages are given back (heap_pages_free_unused_pages).
func TestEmptyPagesAreGivenBack(t *testing.T) {
	profile := mustCalibrate(t, readRecorded(t, "pages-4.0.json").Logs[0])
	memory := func(most string) float64 {
		return profile.Predict(map[string]string{"RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO": most}).MemoryBytes.Estimate
	}
	little, some, much := memory("0.45"), memory("0.65"), memory("0.9")
	if little > 0.9*some || much < 1.1*some {
		t.Errorf("with at most 45, 65 and 90 %% free %.1f, %.1f and %.1f MiB", little/(1<<20), some/(1<<20), much/(1<<20))
	}
}

// In 4.0 a collection comes when all free pages are used up, whichever heap needed them:
// each slot that was free has had an object. In 3.4 it comes when one heap is used up, and
// the other has free slots.
func TestEmptyPagesAreForAllHeaps(t *testing.T) {
	l := steadyHeaps()
	setting := noMalloc(map[string]string{})
	for heap := range 5 {
		setting["RUBY_GC_HEAP_"+strconv.Itoa(heap)+"_INIT_SLOTS"] = "1"
	}
	for ruby, all := range map[string]bool{"ruby 3.4.5 (2025-07-16)": false, "ruby 4.0.1 (2026-01-13)": true} {
		l.Ruby = ruby
		p := mustCalibrate(t, l).Predict(setting)
		free := (p.Slots.Estimate - liveSlots) * p.CollectionsPer1000.Estimate / 10_000_000
		if all != (free < 1.1) {
			t.Errorf("%s: %.2f free slots for each object", ruby, free)
		}
	}
}
