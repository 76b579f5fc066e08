package gcmodel

import "math"

const oldAge = 3 // gc.c, RVALUE_OLD_AGE

// collector is what collectors from 2.1 on have in common, whatever their heap.
type collector struct {
	app  *app
	p    params
	tilt float64 // by how much more of what lives is taken to live

	a         float64 // objects allocated
	live      float64 // objects that the last collection found
	excess    float64 // of them, dead old ones
	marked    float64 // objects allocated when they were last marked
	count     int
	asked     int // collections that the program has asked for so far
	wasMajor  bool
	byMalloc  bool // malloc began it
	oldAtOnce bool // what has lived through one collection is old
	lags      bool // what malloc makes of a collection goes by the kind of the one before
	major     bool // need_major_gc: the next is to be a major one
	pending   bool // a major one has begun and goes on once free pages are used up

	lastMajor         int
	mallocLimit       float64
	carried           float64 // malloc_increase when the cycle began
	ahead             float64 // part of malloc_increase that was freed ahead: it never falls below 0
	oldBytes          float64 // oldmalloc_increase
	oldBytesLimit     float64
	byOldMalloc       bool
	nearMalloc        float64 // the most of the malloc limits that was reached
	oldLimit          float64 // old_objects_limit
	shady, shadyLimit float64

	dead, bootDead float64 // most bytes of dead objects, so far and in boot
	bootPages      float64 // and what the heap was as it had booted
	bootFree       float64 // slots
	bootLeft       float64 // of them, those of dead objects

	// What the heap is as the run ends, which is before the last collection simulated.
	ended              bool
	endPages, endSlots float64
}

func newCollector(a *app, p params) collector {
	return collector{app: a, p: p, mallocLimit: 16 * mib, oldBytesLimit: p.oldMallocMin}
}

// until is how many objects after the a-th bring so many bytes.
func (c *collector) until(a, bytes float64) float64 {
	return max(1, c.app.bytes.inverse(c.app.bytes.at(a)+max(0, bytes))-a)
}

func (c *collector) bytes(a, objects float64) float64 {
	return c.app.bytes.at(a+objects) - c.app.bytes.at(a)
}

// note keeps the most bytes that the dead had: their share of what was allocated
// since objects were last marked. While the program boots they leave room for what
// it keeps later.
func (c *collector) note(dead, a float64) {
	since := max(1, a-c.marked)
	share := max(0, min(1, dead/since))
	later := 0.0
	if a < c.app.boot {
		later = c.bytes(a, c.app.boot-a)
	}
	old := 0.0
	if c.oldAtOnce {
		old = c.excess * c.app.request
	}
	c.dead = max(c.dead, c.bytes(a-since, since)*share+old-c.app.costs.kept*later)
}

// booted begins to count the dead of requests, in a heap of so many pages and
// slots, so many of which are in use.
func (c *collector) booted(pages, slots, used float64) {
	live := c.app.live.at(c.app.boot)
	c.bootDead, c.dead = c.dead, 0
	c.bootPages, c.bootFree, c.bootLeft = pages, max(0, slots-live), max(0, used-live)
}

// endsWith keeps what the heap is as the run ends.
func (c *collector) endsWith(pages, slots float64) {
	c.ended, c.endPages, c.endSlots = true, pages, slots
}

// untilAsked is how many objects are allocated until the program asks for a
// collection.
func (c *collector) untilAsked() float64 {
	if c.asked == len(c.app.asked) {
		return math.Inf(1)
	}
	return max(0, c.app.asked[c.asked].at-c.a)
}

// ask is a collection that the program asks for: it happens whatever the setting.
func (c *collector) ask() {
	c.major = c.major || c.app.asked[c.asked].major
	c.asked++
}

// begin is gc.c, gc_start with gc_reset_malloc_info: inc bytes were allocated
// beside the slots since the last collection.
func (c *collector) begin(inc float64) {
	c.count++
	limit := c.mallocLimit
	if inc >= c.mallocLimit*0.999999 {
		c.mallocLimit = min(inc*c.p.mallocGrowth, c.p.mallocMax)
	} else {
		c.mallocLimit = max(c.mallocLimit*0.98, c.p.mallocMin)
	}
	c.oldBytes += inc - c.ahead
	c.ahead = 0
	c.nearMalloc = max(c.nearMalloc, inc/limit, c.oldBytes/c.oldBytesLimit)
	full := c.major
	if c.lags {
		full = c.wasMajor || c.count == 1
	}
	c.wasMajor = c.major
	byOldMalloc := c.byOldMalloc
	c.byOldMalloc = false
	switch {
	case full:
		c.oldBytes = 0
		if !byOldMalloc {
			c.oldBytesLimit = max(c.oldBytesLimit/((c.p.oldMallocGrowth-1)/10+1), c.p.oldMallocMin)
		}
	case c.oldBytes > c.oldBytesLimit:
		c.byOldMalloc = true
		c.oldBytesLimit = min(c.oldBytesLimit*c.p.oldMallocGrowth, c.p.oldMallocMax)
	}
	c.major = c.byOldMalloc
}

// mark finds what is alive of so many slots in use, room objects after the last
// collection.
func (c *collector) mark(used, room float64) {
	if c.wasMajor {
		c.excess, c.lastMajor, c.shady = 0, c.count, c.app.shady
	} else {
		promoted := c.app.promoted * min(1, room/c.app.requestObjects)
		c.excess += promoted
		c.oldBytes += promoted * c.app.request
		c.shady += c.app.shadyGrowth
	}
	tilt := c.tilt
	if c.a > c.app.boot {
		tilt *= c.app.tiltLater
	}
	c.live = min(used, max(0, c.app.live.at(c.a)*(1+tilt))+c.excess)
	c.note(used-c.live, c.a)
	c.marked = c.a
}

// old objects have been through three collections, or are reached from some that
// have (gc.c, rgengc_check_relation); in 2.1, through one (gc_mark_children).
func (c *collector) old() float64 {
	share := 1.0
	switch {
	case c.oldAtOnce:
	case c.count == 1:
		share = 0.02
	case c.count == 2:
		share = 0.3
	}
	return max(1, (c.live-c.app.young)*share)
}

// young says whether the last major collection is so recent that heaps may grow
// without another one.
func (c *collector) young() bool { return c.count-c.lastMajor < oldAge }

// limit is the part of gc.c, gc_marks_finish that is about old objects.
func (c *collector) limit(full bool) {
	old := c.old()
	if full {
		c.shadyLimit = max(math.Floor(c.shady*c.p.oldFactor), math.Floor(old*c.p.shadyRatio))
		c.oldLimit = old * c.p.oldFactor
	}
	if c.shady > c.shadyLimit || old > c.oldLimit {
		c.major = true
	}
}
