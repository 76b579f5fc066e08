package gcmodel

import (
	"fmt"
	"math"
)

// legacyStretch is the time between two collections.
type legacyStretch struct {
	from, objects, live float64
	slots               float64 // of the heap meanwhile
	bytes               float64 // by malloc: as many, or where not known at most as many
	known               bool
	next                float64 // the most bytes that the stretch after it can have
}

// legacyStretches follow gc_sweep's log: what was allocated since the last
// collection is what was free after it, with the slab added then, less what is
// free now.
func legacyStretches(p Process, t legacyTuning, rate func(float64) float64) []legacyStretch {
	var all []legacyStretch
	at, live := 0.0, 0.0
	for _, c := range p.Collections {
		if c.Slots <= 0 || c.Live < 0 || c.Live > c.Slots || c.Free > c.Slots {
			continue
		}
		s := legacyStretch{from: at, slots: float64(c.Slots), live: float64(c.Live)}
		s.objects = math.Max(1, s.slots-live-float64(c.Free))
		s.known = c.Free > 0 || c.MallocBytes > 0
		s.bytes = float64(c.MallocBytes)
		all = append(all, s)
		at, live = at+s.objects, s.live
	}
	fillBytes(all, t, rate)
	return all
}

// fillBytes finds how many bytes each stretch can have had: the limit that was
// live then.
func fillBytes(all []legacyStretch, t legacyTuning, rate func(float64) float64) {
	change := len(all)
	if t.floor > t.start {
		change = limitChange(all, t, rate)
	}
	for i := range all {
		s := &all[i]
		s.next = math.Max(t.start, t.floor)
		if s.bytes == 0 {
			s.bytes = t.start
			if i >= change {
				s.bytes = t.floor
			}
		}
	}
}

// limitChange is the first stretch under the floor. Which it is is not told; that
// comes after the first collection that malloc started, and is where bytes per
// object change least from stretch to stretch if the limit changed there, and agree
// best with those of another log.
func limitChange(all []legacyStretch, t legacyTuning, rate func(float64) float64) int {
	step := math.Log(t.floor / t.start)
	best, least, cost := len(all), 0.0, 0.0
	before, found := 0.0, false // logarithm of the last rate, at the lower limit
	costs := make([]float64, len(all))
	for i, s := range all {
		low := math.Log(t.start / s.objects)
		if found {
			jump := low - before
			costs[i] = cost
			if s.known {
				costs[i] += step * (step + 2*jump) // (jump+step)² for jump²
			}
		} else {
			costs[i] = math.Inf(1)
		}
		near := before
		if rate != nil {
			near = math.Log(rate(s.from + s.objects/2))
		}
		if rate != nil || found && !s.known {
			cost += misfit(near-low, s.known) - misfit(near-low-step, s.known)
		}
		if s.known {
			before, found = low, true
		}
	}
	for i, c := range costs {
		if c -= cost; c < least { // against no change at all
			best, least = i, c
		}
	}
	return best
}

// misfit is of a logarithm of a rate. One that is known only to be at most so
// high, since malloc did not start the collection, cannot be too high.
func misfit(missing float64, known bool) float64 {
	if !known {
		missing = math.Max(0, missing)
	}
	return missing * missing
}

// shareBytes divides the bytes up to a collection that malloc began among all stretches
// since the one before: those that ended for want of slots leave their count as it is. Where
// early is not 0 those before the first one are left.
func shareBytes(all []legacyStretch, early float64) {
	first, objects := 0, 0.0
	for i := range all {
		objects += all[i].objects
		if !all[i].known {
			continue
		}
		if each := all[i].bytes / objects; first > 0 || early == 0 {
			for k := first; k <= i; k++ {
				all[k].bytes, all[k].known = each*all[k].objects, true
			}
		}
		first, objects = i+1, 0
	}
}

// legacyMarks are the collections that were over at the marks, and the requests
// between the last two.
type legacyMarks struct {
	ready, warm, end int
	requests         float64
}

func marksOf(p Process, collections int) (legacyMarks, error) {
	m := legacyMarks{end: collections}
	var from, to float64
	found := false
	for _, k := range p.Marks {
		n := int(math.Max(0, math.Min(float64(k.Collections), float64(collections))))
		switch k.Name {
		case Boot:
			m.ready, m.warm, from = n, n, k.Requests
		case Warmup:
			m.warm, from = n, k.Requests
		case Window:
			m.end, to, found = n, k.Requests, true
		}
	}
	if !found || m.ready > m.warm || m.warm > m.end {
		return m, fmt.Errorf("a log without the window's end, or with marks out of order: %w", ErrTooLittle)
	}
	m.requests = to - from
	return m, nil
}
