package gcmodel

import "math"

// lazyRun is the heap during a simulated run of 1.9.3 or 2.0. Its slots are the most that
// it has had.
type lazyRun struct {
	legacyRun
	h     *lazyHeap
	tuned lazyTuning
	pages float64
	// more are the pages that it may still grow by (heaps_inc).
	more float64
	// sweeps: the last collection goes on with sweeping as slots run out; otherwise all is
	// swept.
	sweeps bool
	// found are the slots that its sweep finds, and those added since (free_num); least
	// are to be found (free_min).
	found, least float64
	// counted are the malloc bytes as their count began anew (malloc_increase).
	counted float64
}

// simulate goes from collection to collection, until they go on as they did.
func (h *lazyHeap) simulate(t lazyTuning, c legacyChance) legacyRun {
	r := lazyRun{
		legacyRun: legacyRun{p: &h.program, t: legacyTuning{start: t.start, floor: t.floor, freeMin: t.freeMin}, c: c, limit: t.start},
		h:         h, tuned: t,
	}
	r.pages = math.Max(h.rules.first, math.Floor(t.minSlots/h.rules.perPage)) // initial_expand_heap
	r.free = r.pages * h.rules.used
	const tooMany, enough = 5000, 4
	alike := 0
	for n := 0; n < tooMany && alike < enough; n++ {
		at, malloc := r.following()
		if at >= r.p.end {
			break
		}
		before := r.pages
		r.collect(at, malloc)
		if alike++; r.pages != before || !r.settled() || r.limit < t.floor {
			alike = 0
		}
	}
	r.goOn()
	return r.legacyRun
}

// goOn adds what remains. A heap whose live slots grow is looked at some times more.
func (r *lazyRun) goOn() {
	const looks = 30
	for n := looks; n > 0; n-- {
		part := (r.p.end - r.at) / float64(n)
		if r.p.slope == 0 {
			part = r.p.end - r.at
		}
		until := r.at + part
		at, malloc := r.following()
		r.use(math.Min(at, until), malloc)
		r.garbage(math.Min(at, until))
		r.collections += r.density() * math.Max(0, until-math.Max(r.at, r.p.warm))
		if until >= r.p.end {
			return
		}
		r.settle(until, !malloc)
	}
}

// density is the number of collections for each object, as a mean over some. Malloc begins
// one when it has given out as many bytes as its limit: with how many objects differs by
// the burst, more or less.
func (r *lazyRun) density() float64 {
	rate := math.Max(r.p.rate*r.c.rate, 1e-9)
	usual := r.limit / rate
	room := math.Max(1, r.free+r.more*r.h.rules.used)
	burst := math.Min(r.h.burst, usual/2)
	const some = 64
	objects, counted, sweeps := 0.0, math.Max(0, r.c.rate*(r.bytes-r.counted)/rate), r.sweeps
	for i, draw := 0, 0; i < some; i++ {
		limit := usual + burst*(2*math.Mod(0.5+float64(draw)*golden, 1)-1)
		if limit-counted <= room {
			objects += math.Max(1, limit-counted)
			counted, sweeps, draw = 0, false, draw+1
			continue
		}
		objects += room
		if counted += room; sweeps && r.h.rules.ends {
			counted, draw = 0, draw+1
		}
		sweeps = true
	}
	return some / objects
}

// golden leaves no two of many even steps through 0 to 1 close together.
const golden = 0.6180339887

// following is when the next collection comes, and whether malloc begins it. Pages that
// the heap may grow by are added before slots have run out (heaps_increment): in a sweep
// one at each step, else one by one.
func (r *lazyRun) following() (at float64, malloc bool) {
	slots := r.at + r.free + r.more*r.h.rules.used
	if bytes := r.moment(r.counted + r.limit/r.c.rate); bytes < slots {
		return math.Max(bytes, r.at+1), true
	}
	return math.Max(slots, r.at+1), false
}

// garbage keeps the most bytes that are garbage at a time. As many objects may have as many
// more bytes than usual as the burst has objects, up to the malloc limit.
func (r *lazyRun) garbage(at float64) {
	r.legacyRun.garbage(at)
	if at <= r.p.ready || r.at < r.p.ready {
		return
	}
	bytes, live, _ := r.state(at, r.knot)
	most := r.dead(bytes, live, at) + r.h.burst*r.p.rate*r.c.rate
	r.work = math.Max(r.work, math.Min(most, r.limit))
}

// use adds the pages that were needed until a moment.
func (r *lazyRun) use(at float64, malloc bool) {
	needed := at - r.at
	if malloc && r.at >= r.p.ready {
		needed += r.h.burst
	}
	added := math.Min(r.more, math.Max(0, math.Ceil((needed-r.free)/r.h.rules.used)))
	r.grow(added)
}

func (r *lazyRun) grow(pages float64) {
	if r.pages, r.more = r.pages+pages, r.more-pages; r.h.rules.adds {
		r.found += pages * r.h.rules.used
	}
	r.slots = r.pages * r.h.rules.used
}

// collect is gc_lazy_sweep (2.0: gc_prepare_free_objects) where slots have run out, and
// garbage_collect where malloc begins it.
func (r *lazyRun) collect(at float64, malloc bool) {
	r.garbage(at)
	r.count(at, 1)
	r.use(at, malloc)
	ended := r.sweeps && (malloc || r.h.rules.ends || r.at < r.p.ready)
	if ended {
		r.endSweep()
	}
	if malloc && r.counted > 0 { // the first is of the interpreter's own libraries
		r.overshoot(at, 1)
	}
	r.settle(at, !malloc)
	if malloc || ended {
		r.counted = r.bytes
	}
}

// settle marks what is live at a moment and begins to sweep.
func (r *lazyRun) settle(at float64, lazily bool) {
	bytes, live, knot := r.state(at, r.knot)
	r.at, r.bytes, r.live, r.knot = at, bytes, math.Min(live, r.pages*r.h.rules.used), knot
	r.beginSweep(lazily)
}

// endSweep is after_gc_sweep: a heap in which too little was found may grow, and does so by
// a page at once.
func (r *lazyRun) endSweep() {
	if r.found < r.least {
		r.allow()
		r.grow(1)
	}
}

// allow is set_heaps_increment.
func (r *lazyRun) allow() { r.more = math.Max(1, math.Floor(r.pages*1.8)-r.pages) }

// beginSweep is before_gc_sweep with what follows it. A sweep that goes on as slots run
// out adds a page at each of its steps, of which there are as many as pages (lazy_sweep).
func (r *lazyRun) beginSweep(lazily bool) {
	rules := r.h.rules
	slots := r.pages * rules.perPage
	kept := math.Floor(slots * 0.65)
	r.least = math.Floor(slots * 0.2)
	if r.least < r.tuned.freeMin {
		if r.least = r.tuned.freeMin; rules.keeps {
			kept = slots
		} else {
			kept = math.Max(kept, r.least)
		}
	}
	if lazily && r.least > slots-r.live {
		r.allow()
	}
	swept := r.pages
	r.giveBack(kept)
	r.found = r.pages*rules.used - r.live
	if r.sweeps = lazily; lazily {
		r.grow(math.Min(r.more, swept))
	} else {
		r.endSweep()
	}
	r.free = math.Max(0, r.pages*rules.used-r.live)
}

// giveBack takes pages away in which nothing lives, beyond so many free slots (slot_sweep,
// free_unused_heaps). Pages are looked at in their order, and some with live objects come
// after so many were found: as many slots as there are live stay, as was seen.
func (r *lazyRun) giveBack(kept float64) {
	free := r.pages*r.h.rules.used - r.live
	given := math.Max(0, math.Floor((free-r.live-kept)/r.h.rules.used))
	r.pages -= given
	const stays = 0.7 // of their memory: others take it up, or gaps remain
	r.held += stays * given * r.h.rules.used
}
