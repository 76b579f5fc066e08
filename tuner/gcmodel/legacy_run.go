package gcmodel

import "math"

// legacyChance is what one simulated run has of its own.
type legacyChance struct {
	// live scales the live slots, rate the malloc bytes.
	live, rate float64
	// patience is how long malloc starts collections before one finds the limit
	// overshot, as an exponential variable of mean 1. ruby_xmalloc collects before it
	// would pass the limit, ruby_xrealloc passes it and leaves the collection to the
	// malloc after it: which of the two comes at the limit is chance.
	patience float64
	// overshoots is the share of such collections that do, in the window.
	overshoots float64
	// boot is that share before the server is ready.
	boot float64
}

// legacyRun is the heap during a simulated run.
type legacyRun struct {
	p    *legacyProgram
	t    legacyTuning
	c    legacyChance
	knot int // the first after at

	at, bytes, live        float64 // at the last collection
	slots, next, increment float64
	free, limit            float64
	hazard                 float64 // of an overshot limit, so far

	held float64 // slots' worth of memory that was given back and is not the system's again

	collections float64 // in the window
	boot, work  float64 // most bytes of garbage before and after the server was ready
}

// simulate goes from collection to collection.
func (p *legacyProgram) simulate(t legacyTuning, c legacyChance) legacyRun {
	r := legacyRun{p: p, t: t, c: c, next: t.minSlots, increment: t.increment, limit: t.start}
	r.grow() // Init_heap
	r.free = r.slots
	const tooMany = 5000 // of a heap that hardly grows while a program is read that does
	for n := 0; n < tooMany; n++ {
		at, malloc := r.following()
		if at >= p.end {
			break
		}
		if grown := r.collect(at, malloc, r.alike(at)); !grown && r.steady() {
			break
		}
	}
	r.goOn()
	return r
}

// alike is how many stretches like the one up to a moment are taken together: in
// the window, where each differs little from the one before, a thirtieth of those
// that remain.
func (r *legacyRun) alike(at float64) float64 {
	if !r.settled() {
		return 1
	}
	return math.Max(1, math.Floor((r.p.end-r.at)/(at-r.at)/30))
}

// settled: what is left of the run goes on evenly.
func (r *legacyRun) settled() bool { return r.at >= r.p.knots[len(r.p.knots)-1].at }

// grow is add_heap. Sizes are of C's int: what it cannot hold becomes the least
// int, and a slab of less than nothing starts again at the first size.
func (r *legacyRun) grow() {
	r.slots += r.next
	if r.t.multiplies {
		r.next = math.Floor(r.next * 1.8)
	} else {
		r.next += r.increment
		r.increment = math.Floor(r.increment * r.t.factor)
		if r.increment > math.MaxInt32 {
			r.increment = math.MinInt32
		}
	}
	if r.next <= 0 || r.next > math.MaxInt32 {
		r.next = r.t.minSlots
	}
}

// following is when the next collection comes, and whether malloc starts it:
// rb_newobj finds no free slot, or ruby_xmalloc passes the limit.
func (r *legacyRun) following() (at float64, malloc bool) {
	slots := r.at + r.free
	bytes := r.moment(r.bytes + r.limit/r.c.rate)
	if bytes < slots {
		return math.Max(bytes, r.at+1), true
	}
	return math.Max(slots, r.at+1), false
}

// moment is when so many bytes had been allocated.
func (r *legacyRun) moment(bytes float64) float64 {
	knots := r.p.knots
	i := r.knot
	for i < len(knots) && knots[i].bytes < bytes {
		i++
	}
	if i == len(knots) {
		last := knots[i-1]
		return last.at + (bytes-last.bytes)/math.Max(r.p.rate, 1e-9)
	}
	a, b := knots[i-1], knots[i]
	return a.at + (b.at-a.at)*(bytes-a.bytes)/(b.bytes-a.bytes)
}

// state gives the malloc bytes and live slots at a moment, and the first knot
// after it, which is not before the one given.
func (r *legacyRun) state(at float64, knot int) (bytes, live float64, after int) {
	knots := r.p.knots
	for knot < len(knots) && knots[knot].at < at {
		knot++
	}
	if knot == len(knots) {
		last := knots[len(knots)-1]
		since := at - last.at
		return last.bytes + since*r.p.rate, r.c.live * (r.p.live + r.p.slope*since), knot
	}
	a, b := knots[max(knot-1, 0)], knots[knot]
	f := 0.0
	if b.at > a.at {
		f = (at - a.at) / (b.at - a.at)
	}
	return a.bytes + f*(b.bytes-a.bytes), r.c.live * (a.live + f*(b.live-a.live)), knot
}

// collect is garbage_collect with gc_sweep, n times where that many stretches are
// alike. It tells whether the heap grew.
func (r *legacyRun) collect(at float64, malloc bool, n float64) bool {
	r.garbage(at)
	r.count(at, n)
	if malloc {
		r.overshoot(at, n)
	}
	at = r.at + n*(at-r.at)
	bytes, live, knot := r.state(at, r.knot)
	live = math.Min(live, r.slots)
	grown := r.slots-live < math.Max(math.Floor(r.slots/5), r.t.freeMin)
	if grown {
		r.grow()
	}
	r.at, r.bytes, r.live, r.free, r.knot = at, bytes, live, r.slots-live, knot
	return grown
}

// overshoot is the end of gc_sweep: a limit that was overshot goes up to the
// floor at once. By how much it goes up where it is above is little, and left out.
func (r *legacyRun) overshoot(at, n float64) {
	chance := r.c.boot
	if at > r.p.ready {
		chance = r.c.overshoots
	}
	if r.hazard -= n * math.Log1p(-chance); r.hazard > r.c.patience {
		r.limit = math.Max(r.limit, r.t.floor)
	}
}

// count adds n stretches like the one that ends at a moment, as far as they lie in
// the window. So a window that begins or ends between two collections has the
// number to be expected, whatever the phase.
func (r *legacyRun) count(at, n float64) {
	each := at - r.at
	inside := math.Min(r.at+n*each, r.p.end) - math.Max(r.at, r.p.warm)
	r.collections += math.Max(0, inside) / each
}

// garbage keeps the most bytes that are garbage at a time, with a collection or
// the run's end ahead. What was there when the server was ready lies among the
// objects that stay, and counts by itself.
func (r *legacyRun) garbage(at float64) {
	if r.at < r.p.ready {
		until := math.Min(at, r.p.ready)
		bytes, live, _ := r.state(until, r.knot)
		r.boot = math.Max(r.boot, r.dead(bytes, live, until))
	}
	if at > r.p.ready {
		bytes, live, _ := r.state(at, r.knot)
		r.work = math.Max(r.work, r.dead(bytes, live, at))
	}
}

func (r *legacyRun) dead(bytes, live, at float64) float64 {
	share := 1 - math.Max(0, live-r.live)/math.Max(at-r.at, 1)
	return r.c.rate * (bytes - r.bytes) * math.Max(0, share)
}

// steady: from here on each stretch is like the one before.
func (r *legacyRun) steady() bool {
	return r.settled() && r.p.slope == 0 && r.limit >= r.t.floor
}

// goOn adds what remains as if it were all alike.
func (r *legacyRun) goOn() {
	at, _ := r.following()
	r.garbage(math.Min(at, r.p.end))
	r.count(at, math.Max(1, (r.p.end-r.at)/(at-r.at)))
}
