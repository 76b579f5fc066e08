package gcmodel

import (
	"fmt"
	"math"
)

// burstShare is how much of what boot allocates in such a heap is allocated then.
const burstShare = 0.7

// bootParts is into how many parts boot is divided.
const bootParts = 8

// poolApp is what a program does to each of the five heaps.
type poolApp struct {
	// phases are the parts of boot, warm-up, the window and what would follow it.
	phases [bootParts + 3]phase
	live   [pools]float64 // in steady state; of the first heap, the rest
	most   [pools]float64 // slots that were in use at some time in boot
}

// phase is a part of a run in which each heap has a constant share of the objects
// allocated.
type phase struct {
	until float64 // objects allocated
	share [pools]float64
	grown [pools]float64 // the part of steady live objects that are alive at its end
}

func newPoolApp(r run, a *app, rules poolRules) (*poolApp, error) {
	of, t := &poolApp{}, r.trace
	n, told := t.allocated()
	if told && rules >= from40 {
		of.live = t.liveOfInUse(shares(difference(n[2], n[1])), a.live.at(a.end))
	} else if told {
		of.live = t.poolLive(shares(difference(n[2], n[1])))
		of.findMost(t, n[0])
	} else if rules < from33 {
		n, of.live, told = t.untold(r.params, a)
	}
	if !told {
		return nil, fmt.Errorf("the marks do not tell the five heaps apart: %w", ErrTooLittle)
	}
	of.boot(a, n[0], t.burst())
	of.phases[bootParts] = phase{t.warm, shares(difference(n[1], n[0])), ones()}
	of.phases[bootParts+1] = phase{t.end, shares(difference(n[2], n[1])), ones()}
	of.phases[bootParts+2] = of.phases[bootParts+1]
	of.phases[bootParts+2].until = math.Inf(1)
	return of, nil
}

// allocated is how many objects of each heap were allocated up to each mark, where the
// interpreter tells: from 3.3 on.
func (t *trace) allocated() (n [3][pools]float64, told bool) {
	for m := range t.marks {
		for i := range pools {
			n[m][i] = finite(t.marks[m].Heaps[i]["total_allocated_objects"])
			if m > 0 {
				n[m][i] = max(n[m][i], n[m-1][i])
			}
		}
	}
	return n, n[0][0] > 0 && n[2][0] > n[1][0]
}

// boot divides what was allocated in boot. What stays alive is mostly of small
// slots: the other heaps have their share of what dies. Those that had many slots
// in use at once have it all then, after burst objects.
func (of *poolApp) boot(a *app, n [pools]float64, burst float64) {
	boot := max(1, a.boot)
	dies := func(a1 float64) float64 { return max(0, a1-a.live.at(a1)) }
	all := max(1, dies(boot))
	before := 0.0
	for i := range bootParts {
		p := phase{until: boot * float64(i+1) / bootParts}
		part := max(0, dies(p.until)-before) / all
		before = max(before, dies(p.until))
		rest := boot / bootParts
		for j := 1; j < pools; j++ {
			once := 0.0
			if of.most[j] > 0 {
				once = max(of.most[j], burstShare*n[j])
			}
			p.share[j] = max(0, n[j]-once) * part
			if burst <= p.until && burst > p.until-boot/bootParts {
				p.share[j] += once
			}
			p.share[j] = min(p.share[j], rest)
			p.grown[j] = min(1, before/all)
			rest -= p.share[j]
		}
		p.share[0] = rest
		p.share = shares(p.share)
		of.phases[i] = p
	}
}

// findMost: a heap that has many more slots than it needs had them in use at once.
// If it was let grow to its initial slots only, it may have been more.
func (of *poolApp) findMost(t *trace, n [pools]float64) {
	for i := 1; i < pools; i++ {
		h := t.marks[0].Heaps[i]
		slots := finite(h["heap_eden_slots"])
		if of.live[i] > slots/4 {
			continue
		}
		of.most[i] = slots
		if spare, known := h["heap_allocatable_pages"]; known && spare == 0 {
			of.most[i] = max(slots, 0.55*n[i])
		}
	}
}

// burst is when, in boot, the heap grew most for nothing that stayed alive.
func (t *trace) burst() float64 {
	at, most := t.boot/2, 0.0
	for i := 1; i < t.iBoot; i++ {
		c, before := t.cycles[i], t.cycles[i-1]
		if grown := (c.slots - before.slots) - max(0, c.live-before.live); grown > most && c.at <= t.boot {
			at, most = c.at, grown
		}
	}
	return at
}

func difference(a, b [pools]float64) [pools]float64 {
	for i := range a {
		a[i] = max(0, a[i]-b[i])
	}
	return a
}

func ones() (one [pools]float64) {
	for i := range one {
		one[i] = 1
	}
	return one
}

func shares(n [pools]float64) [pools]float64 {
	sum := 0.0
	for _, x := range n {
		sum += x
	}
	for i := range n {
		n[i] /= max(1, sum)
	}
	return n
}

func (of *poolApp) at(a float64) *phase {
	i := len(of.phases) - 1 // most of a run is after boot
	for i > 0 && a < of.phases[i-1].until {
		i--
	}
	return &of.phases[i]
}

// shares sets the share of each heap after a objects, and returns for how many
// objects they hold.
func (of *poolApp) shares(a float64, heaps *[pools]pool) float64 {
	p := of.at(a)
	for i := range heaps {
		heaps[i].share = p.share[i]
	}
	return p.until - a
}

// liveOfInUse is poolLive where empty pages are for all heaps, and no heap runs out
// before others: what is in use beyond all that live has been allocated since the last
// collection.
func (t *trace) liveOfInUse(share [pools]float64, all float64) (live [pools]float64) {
	var inUse [pools]float64
	since := -all
	for i := range pools {
		h := t.marks[2].Heaps[i]
		inUse[i] = max(0, finite(h["total_allocated_objects"])-finite(h["total_freed_objects"]))
		since += inUse[i]
	}
	for i := 1; i < pools; i++ {
		live[i] = max(0, inUse[i]-share[i]*max(0, since))
	}
	return live
}

// poolLive finds the live objects of each heap in the window. The log tells only
// their sum, the marks how many each heap had in use. One of the heaps ran out at
// each collection: it is the one with which the others come out right.
func (t *trace) poolLive(share [pools]float64) [pools]float64 {
	var slots, each, inUse [pools]float64
	m := t.marks[2]
	cycles := max(1, float64(t.iEnd-t.iWarm))
	for i := range pools {
		h := m.Heaps[i]
		slots[i] = finite(h["heap_eden_slots"])
		inUse[i] = max(0, finite(h["total_allocated_objects"])-finite(h["total_freed_objects"]))
		each[i] = share[i] * (t.end - t.warm) / cycles
	}
	best, least := [pools]float64{}, math.Inf(1)
	for b := 1; b < pools; b++ {
		if m.Heaps[b]["heap_allocatable_pages"] > 0 || each[b] <= 0 {
			continue
		}
		phase := (inUse[b] - max(0, slots[b]-each[b])) / each[b]
		wrong := math.Abs(phase - max(0, min(1, phase)))
		phase = max(0, min(1, phase))
		var live [pools]float64
		for i := 1; i < pools; i++ {
			live[i] = max(0, inUse[i]-phase*each[i])
			if m.Heaps[i]["heap_allocatable_pages"] == 0 {
				most := max(0, slots[i]-each[i])
				wrong += max(0, live[i]-most) / max(1, slots[i])
				live[i] = min(live[i], most)
			}
		}
		if wrong < least {
			best, least = live, wrong
		}
	}
	return best
}
