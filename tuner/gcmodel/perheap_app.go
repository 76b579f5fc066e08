package gcmodel

import (
	"fmt"
	"math"
)

// poolApp is what a program does to each of the five heaps.
type poolApp struct {
	// share of the objects allocated in boot, in warm-up and afterwards.
	share [3][pools]float64
	until [3]float64
	live  [pools]float64 // in steady state; of the first heap, the rest
	boot  float64
}

func newPoolApp(t *trace) (*poolApp, error) {
	of := &poolApp{boot: math.Max(1, t.boot), until: [3]float64{t.boot, t.warm, math.Inf(1)}}
	var before [pools]float64
	for m := range t.marks {
		sum := 0.0
		for i := range pools {
			n := finite(t.marks[m].Heaps[i]["total_allocated_objects"])
			of.share[m][i] = math.Max(0, n-before[i])
			sum += of.share[m][i]
			before[i] = n
		}
		if sum <= 0 && m != 1 {
			return nil, fmt.Errorf("the marks do not tell the five heaps apart: %w", ErrTooLittle)
		}
		for i := range pools {
			of.share[m][i] /= math.Max(1, sum)
		}
	}
	of.live = t.poolLive(of)
	return of, nil
}

// shares sets the share of each heap after a objects, and returns for how many
// objects they hold.
func (of *poolApp) shares(a float64, of5 *[pools]pool) float64 {
	phase := 0
	for phase < 2 && a >= of.until[phase] {
		phase++
	}
	for i := range of5 {
		of5[i].share = of.share[phase][i]
	}
	return of.until[phase] - a
}

// liveAt is how many objects are alive in a heap but the first.
func (of *poolApp) liveAt(i int, a float64) float64 {
	return of.live[i] * math.Min(1, a/of.boot)
}

// poolLive finds the live objects of each heap in the window. The log tells only
// their sum, the marks how many each heap had in use. One of the heaps ran out at
// each collection: it is the one with which the others come out right.
func (t *trace) poolLive(of *poolApp) [pools]float64 {
	var slots, each, inUse [pools]float64
	m := t.marks[2]
	cycles := math.Max(1, float64(t.iEnd-t.iWarm))
	for i := range pools {
		h := m.Heaps[i]
		slots[i] = finite(h["heap_eden_slots"])
		inUse[i] = math.Max(0, finite(h["total_allocated_objects"])-finite(h["total_freed_objects"]))
		each[i] = of.share[2][i] * (t.end - t.warm) / cycles
	}
	best, least := [pools]float64{}, math.Inf(1)
	for b := 1; b < pools; b++ {
		if m.Heaps[b]["heap_allocatable_pages"] > 0 || each[b] <= 0 {
			continue
		}
		phase := (inUse[b] - math.Max(0, slots[b]-each[b])) / each[b]
		wrong := math.Abs(phase - math.Max(0, math.Min(1, phase)))
		phase = math.Max(0, math.Min(1, phase))
		var live [pools]float64
		for i := 1; i < pools; i++ {
			live[i] = math.Max(0, inUse[i]-phase*each[i])
			if m.Heaps[i]["heap_allocatable_pages"] == 0 {
				most := math.Max(0, slots[i]-each[i])
				wrong += math.Max(0, live[i]-most) / math.Max(1, slots[i])
				live[i] = math.Min(live[i], most)
			}
		}
		if wrong < least {
			best, least = live, wrong
		}
	}
	return best
}
