package gcmodel_test

import (
	"strconv"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// The program of steadyHeaps allocates bootObjects in boot, and has liveSlots alive.
const bootObjects, liveSlots = 500_000, 100_000

// steadyHeaps is the log of Ruby 3.4 running a program that keeps liveSlots objects
// from its boot on. Nine of ten objects, and all that live, have the smallest slots; the
// others die, in the second heap.
func steadyHeaps() gcmodel.Log {
	const window, slots = 10_000_000, 166_000
	const perCycle = (slots - liveSlots) * 10 / 9
	p := gcmodel.Process{}
	for range (bootObjects + window) / perCycle {
		p.Collections = append(p.Collections, gcmodel.Collection{Slots: slots + slots/10, Live: liveSlots, By: "newobj"})
	}
	mark := func(name string, allocated, requests float64) gcmodel.Mark {
		heaps := map[int]map[string]float64{2: {}, 3: {}, 4: {}}
		heaps[0] = map[string]float64{"heap_eden_slots": slots, "total_allocated_objects": allocated * 0.9, "total_freed_objects": allocated*0.9 - liveSlots}
		heaps[1] = map[string]float64{"heap_eden_slots": slots / 10, "total_allocated_objects": allocated * 0.1, "total_freed_objects": allocated * 0.1}
		return gcmodel.Mark{Name: name, Collections: int64(allocated) / perCycle, Requests: requests, Heaps: heaps, Stat: map[string]float64{
			"total_allocated_objects": allocated, "heap_available_slots": slots + slots/10,
			"heap_allocated_pages": slots/1638 + slots/10/819, "heap_marked_slots": liveSlots, "old_objects": liveSlots,
		}}
	}
	p.Marks = []gcmodel.Mark{mark(gcmodel.Boot, bootObjects, 0), mark(gcmodel.Warmup, bootObjects, 0), mark(gcmodel.Window, bootObjects+window, 1000)}
	return gcmodel.Log{Ruby: "ruby 3.4.5 (2025-07-16)", Processes: []gcmodel.Process{p}, Requests: 1000, MemoryBytes: 50 << 20}
}

// gc/default/default.c of 3.4: gc_sweep_finish_heap lets heaps grow only where less
// than 30 % of one is free, and heap_allocatable_slots_expand until 40 % are: the
// first heap has at most liveSlots/0.6 slots, and the second one at most a place for
// each object that it has in boot.
func TestHeapsStopToGrow(t *testing.T) {
	const most = liveSlots/0.6 + bootObjects/10
	profile := mustCalibrate(t, steadyHeaps())
	for name, test := range map[string]struct{ init, malloc string }{
		// gc_sweep_start forgets what is left of the slots to grow by when malloc begins
		// a collection.
		"what is not used is lost": {"1", "1m"},
		// The second heap has fewer free slots than 30 % of its initial ones, but most
		// of them had been empty before: it does not let heaps grow.
		"a heap that is not used up": {"1000000", "100g"},
	} {
		p := profile.Predict(map[string]string{
			"RUBY_GC_HEAP_1_INIT_SLOTS": test.init, "RUBY_GC_HEAP_2_INIT_SLOTS": "1",
			"RUBY_GC_HEAP_3_INIT_SLOTS": "1", "RUBY_GC_HEAP_4_INIT_SLOTS": "1",
			"RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO": "0.3", "RUBY_GC_OLDMALLOC_LIMIT": "100g",
			"RUBY_GC_MALLOC_LIMIT": test.malloc, "RUBY_GC_MALLOC_LIMIT_MAX": test.malloc,
		})
		if p.Slots.Estimate > most {
			t.Errorf("%s: %.0f slots, want at most %.0f", name, p.Slots.Estimate, float64(most))
		}
	}
}

// A heap that is to be all free, and in which nothing lives, has no size to grow to.
func TestAGoalOfAllFree(t *testing.T) {
	profile := mustCalibrate(t, readRecorded(t, "blog-3.3.json").Logs[0])
	setting := map[string]string{"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO": "1", "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO": "1"}
	for heap := range 5 {
		setting["RUBY_GC_HEAP_"+strconv.Itoa(heap)+"_INIT_SLOTS"] = "100000000"
		if err := sane(profile.Predict(setting)); err != nil {
			t.Errorf("%v: %v", setting, err)
		}
	}
}
