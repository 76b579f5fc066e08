package problems

import (
	"math"

	"github.com/gctune/gctune/tuner/space"
)

// slotHeap are the constants of a collector like that of Ruby 1.8 to 2.0: a heap
// of slots that grows by steps, and collections when slots or allocated bytes run
// out.
type slotHeap struct {
	live, transient float64 // slots that a request finds, and adds for a time
	allocation      float64 // slots that a request allocates
	bytes           float64 // that a request allocates
	milliseconds    float64 // of a request without collections
	mark, sweep     float64 // nanoseconds a slot
	base, extra     float64 // bytes beside the heap
	growth          float64 // of the step
	requests        float64
}

// evaluate returns requests per second and megabytes.
func (w slotHeap) evaluate(slots, step, free, limit float64) (float64, float64) {
	live := w.live + w.transient
	need := live + max(free, 4096)
	growths := 0.0
	for ; slots < need && growths < 400; growths++ {
		slots += step
		step = math.Floor(step * w.growth)
	}
	slots = max(slots, need)
	period := max(min((slots-live)/w.allocation, limit/w.bytes), 0.02)
	collections := math.Ceil(w.requests / period)
	pause := (w.mark*live + w.sweep*slots) / 1e6
	request := w.milliseconds*(1+0.02*math.Log2(1+slots*40/8e6)) + (collections+growths)*pause/w.requests
	memory := w.base + 40*slots + w.extra + 1.25*w.bytes*min(period, w.requests)
	return 1000 / request, memory / 1e6
}

// generational are the constants of a collector like that of Ruby 2.1 and later:
// minor collections when free slots or bytes run out, major ones when old objects
// or their bytes do.
type generational struct {
	old, young         float64 // slots
	allocation, bytes  float64 // slots and bytes that a request allocates
	promoted           float64 // slots that a request makes old
	promotedBytes      float64
	milliseconds       float64 // of a request without collections
	mark, sweep        float64 // nanoseconds a slot
	base, extra        float64 // bytes beside the heap
	requests           float64
	pauseOfOldInMinors float64 // share of the old slots that a minor one visits
}

// evaluate returns requests per second and megabytes. Factors are in per cent.
func (w generational) evaluate(v [8]float64) (float64, float64) {
	slots, free, growthMax, growth := v[0], v[1], v[2], v[3]
	limit, oldFactor, oldLimit, limitGrowth := v[4], v[5], v[6], v[7]
	major := min(w.old*(oldFactor/100-1)/w.promoted, oldLimit/w.promotedBytes)
	peak := w.old + w.promoted*min(major, w.requests) + w.young
	need := peak*1.08 + max(free*0.05, 2000)
	grew := false
	for n := 0; slots < need && n < 500; n++ {
		slots += max(min(slots*(growth/100-1), growthMax), 2000)
		grew = true
	}
	if grew { // it settles a little above what is needed
		slots = need + 0.1*max(slots-need, 0)
	}
	available := slots - (w.old + w.promoted*min(major, w.requests)/2 + w.young)
	limit *= 1 - 0.02*math.Exp(-(limitGrowth-105)/100)
	minor := max(min(available/w.allocation, limit/w.bytes), 0.02)
	pause := (w.mark*(w.young+w.pauseOfOldInMinors*w.old) + w.sweep*slots*0.6) / 1e6
	fullPause := (w.mark*peak + w.sweep*slots) / 1e6
	request := w.milliseconds*(1+0.015*math.Log2(1+40*slots/3e7)) +
		(math.Ceil(w.requests/minor)*pause+math.Ceil(w.requests/major)*fullPause)/w.requests
	memory := w.base + 40*slots + w.extra + 1.2*w.bytes*min(minor, w.requests) + 1.2*w.promotedBytes*min(major, w.requests)
	return 1000 / request, memory / 1e6
}

func slotHeapParameters() []space.Parameter {
	return logarithmic(
		bound{"min_slots", 10_000, 4_000_000}, bound{"increment", 5000, 1_000_000},
		bound{"free_min", 1000, 1_000_000}, bound{"malloc_limit", 1_000_000, 500_000_000})
}

func generationalParameters() []space.Parameter {
	return logarithmic(
		bound{"init_slots", 10_000, 4_000_000}, bound{"free_slots", 1000, 1_000_000},
		bound{"growth_max", 1000, 1_000_000}, bound{"growth_factor_pct", 105, 400},
		bound{"malloc_limit_max", 1_000_000, 500_000_000}, bound{"old_factor_pct", 105, 800},
		bound{"oldmalloc_limit_max", 4_000_000, 2_000_000_000}, bound{"malloc_growth_pct", 105, 400})
}

type bound struct {
	name      string
	low, high float64
}

func logarithmic(bounds ...bound) []space.Parameter {
	parameters := make([]space.Parameter, len(bounds))
	for i, b := range bounds {
		parameters[i] = space.Parameter{Name: b.name, Scale: space.Log, Min: b.low, Max: b.high}
	}
	return parameters
}

// ordered returns the values in the order of the parameters.
func ordered(parameters []space.Parameter, values map[string]float64) []float64 {
	list := make([]float64, len(parameters))
	for i, p := range parameters {
		list[i] = values[p.Name]
	}
	return list
}
