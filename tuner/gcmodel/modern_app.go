package gcmodel

import (
	"math"
	"slices"
)

// app is what a program does to a heap, whatever the setting.
type app struct {
	costs costs
	// live are the objects that a major collection would find alive, by the objects
	// allocated so far.
	live curve
	// bytes are what was allocated beside the slots, by the objects allocated so far.
	bytes curve
	// last and request are such bytes of one object, as boot ends and later.
	last, request float64
	mostBytes     float64 // that an object has at any time
	// tiltLater is what is left of a tilt when the program has booted.
	tiltLater float64
	// The objects allocated when the program had booted, and when the window began
	// and ended.
	boot, warm, end float64
	requestObjects  float64
	// asked are the collections that the program itself starts.
	asked []asked
	// quiet is after how many objects the stack refers to none that is new.
	quiet float64
	// promoted are the objects that each minor collection makes old although they
	// die soon: those of the request that it falls into.
	promoted float64
	// young of the live objects are not old.
	young float64
	// emptied is the share of the pages beyond those that boot has used in which nothing
	// lives when they are swept; of 2.1 to 2.3.
	emptied float64
	// shady are the unprotected objects that live long, and what each minor
	// collection adds to them.
	shady, shadyGrowth float64
	// seconds of a collection of each kind, in a heap of so many slots.
	minorSeconds, majorSeconds, slots float64
}

// asked is a collection that a program starts after so many objects.
type asked struct {
	at    float64
	major bool
}

func (t *trace) asked() (all []asked) {
	for _, c := range t.cycles[:t.iEnd] {
		if c.asked {
			all = append(all, asked{c.at, c.major})
		}
	}
	return all
}

// costs are the bytes that objects have beside their slots, where a log does not
// tell, and what memory these take. They were measured on a Rails application.
type costs struct {
	// Bytes of an object that is allocated as the program begins to load its code,
	// by the end of boot, and by a request.
	first, boot, request float64
	// Memory for each byte of the dead in boot and later, fragments included.
	bootMemory, memory float64
	// kept is the share of the bytes of boot that stays.
	kept float64
	// spread is how far predictions for it were from what was measured.
	spread spread
	// rules are those of its heap, where there is one.
	rules *rules
}

func (k costs) pageBytes() float64 {
	if k.rules == nil {
		return poolPageBytes
	}
	return k.rules.bytes
}

var (
	oneHeapCosts = costs{first: 85, boot: 15, request: 40, bootMemory: 1.5, memory: 0.95, kept: 0.3,
		spread: spread{collections: 0.12, major: 0.5, memory: 0.05, pages: 0.12}, rules: &modernRules}
	// Before 3.1 pages are of malloc's memory, and fill what boot left free there
	// (gc.c, rb_aligned_malloc).
	alignedCosts = costs{first: 85, boot: 15, request: 40, bootMemory: 0.9, memory: 1.2, kept: 0.3,
		spread: spread{collections: 0.12, major: 0.5, memory: 0.05, pages: 0.12}, rules: &modernRules}
	fiveHeapsCosts = costs{first: 55, boot: 15, request: 40, bootMemory: 0.4, memory: 1.5, kept: 0.3,
		spread: spread{collections: 0.17, major: 0.5, memory: 0.055, pages: 0.2}}
)

// scriptQuiet is that of a program that runs to its end: most of its steps are
// small.
const scriptQuiet = 4000

func newApp(r run, k costs) app {
	t := r.trace
	a := app{costs: k, boot: t.boot, warm: t.warm, end: t.end}
	// The marks count requests of all processes.
	a.requestObjects = max(1, r.working*(t.end-t.warm)/max(1, t.marks[2].Requests-t.marks[1].Requests))
	a.quiet = a.requestObjects
	if t.marks[2].Requests <= t.marks[1].Requests+1 {
		a.quiet = scriptQuiet
	}
	a.asked = t.asked()
	a.emptied = t.emptied(k)
	a.promoted = t.promotion()
	a.live = t.liveCurve(a, r.forked)
	a.last = k.boot
	if x, ok := t.freshBytes(0, t.iBoot); ok && !k.drifts() {
		a.last = min(k.first, x)
	}
	a.generations(t, r.params)
	a.times(t)
	return a
}

// setRequestBytes sets how many bytes an object of a request has beside its slot.
func (a *app) setRequestBytes(x float64) {
	a.request = x
	a.bytes = bytesCurve(max(1, a.boot), a.costs.first, a.last, x)
	a.mostBytes = max(a.costs.first, a.last, x)
}

// promotion is how much the live objects grow with each minor collection, on
// average over the spans between major ones.
func (t *trace) promotion() float64 {
	for _, from := range []int{t.iWarm, t.iBoot} {
		if slope, n := t.growth(from, t.iEnd); n >= 3 {
			return max(0, min(slope, t.mostPromotion()))
		}
	}
	return 0
}

// mostPromotion is by how much the live objects can have grown with each minor
// collection of the longest span between major ones: a few collections tell a slope by
// chance, and there may be hundreds of them. Of a rise that is all in one step, least
// squares make a slope of step times that.
func (t *trace) mostPromotion() float64 {
	const step = 1.5
	longest, rise := 0, 0.0
	least, most := math.Inf(1), math.Inf(-1)
	for _, c := range t.cycles[:t.iEnd] {
		switch {
		case c.major:
			least, most = math.Inf(1), math.Inf(-1)
		case c.known:
			least, most = min(least, c.live), max(most, c.live)
			if c.minors >= longest {
				longest, rise = c.minors, most-least
			}
		}
	}
	if longest == 0 {
		return math.Inf(1)
	}
	return step * rise / float64(longest)
}

func (t *trace) growth(from, to int) (float64, int) {
	var sxy, sxx float64
	n := 0
	for i := from; i < to; {
		j := i + 1
		for j < to && !t.cycles[j].major {
			j++
		}
		span := make([]cycle, 0, j-i)
		for _, c := range t.cycles[i:j] {
			if c.known && !c.major {
				span = append(span, c)
			}
		}
		mx, my := 0.0, 0.0
		for _, c := range span {
			mx += float64(c.minors) / float64(len(span))
			my += c.live / float64(len(span))
		}
		for _, c := range span {
			sxy += (float64(c.minors) - mx) * (c.live - my)
			sxx += (float64(c.minors) - mx) * (float64(c.minors) - mx)
		}
		n += len(span)
		i = j
	}
	if sxx == 0 {
		return 0, 0
	}
	return sxy / sxx, n
}

// dies is the share of what is allocated between two collections that dies while
// a major one marks: it is counted as freed, but not as allocated before.
func (t *trace) dies(promoted float64) float64 {
	sum, n := 0.0, 0
	for i := t.iBoot; i+1 < t.iEnd; i++ {
		c, next := t.cycles[i], t.cycles[i+1]
		if c.major && c.known && !next.major && next.known && c.room > 0 {
			sum += (next.live - promoted - c.live) / c.room
			n++
		}
	}
	if n == 0 {
		return 0.05
	}
	return max(0, min(0.6, sum/float64(n)))
}

// bytesCurve rises ever less steeply while the program boots: code that is loaded
// has much beside its slots, what a program makes of it has little.
func bytesCurve(boot, first, last, request float64) curve {
	const knots = 12
	var bytes curve
	bytes.add(0, 0)
	for i := 1.0; i <= knots; i++ {
		share := i / knots
		bytes.add(boot*share, boot*(share*first+share*share/2*(last-first)))
	}
	bytes.add(boot+1e6, bytes.at(boot)+1e6*request)
	return bytes
}

// liveCurve has the live objects where collections told them. What forked processes
// need was loaded before the fork, for them to share: what the first collection after
// it finds lived then.
func (t *trace) liveCurve(a app, forked bool) curve {
	var live curve
	live.add(0, 0)
	dies := t.dies(a.promoted)
	for i, c := range t.cycles[:t.iEnd] {
		if !c.known {
			continue
		}
		x := c.live + dies*c.room
		if !c.major {
			x = max(0, c.live-a.promoted*float64(c.minors)*min(1, c.room/a.requestObjects))
		}
		if forked && i == t.iBoot {
			live.add(a.boot, x)
		}
		live.add(c.at, x)
	}
	// Beyond the last collection the level stays.
	n := len(live.x)
	live.add(live.x[n-1]+1, live.y[n-1])
	live.add(max(live.x[n-1]+2, a.end+1), live.y[n-1])
	return live
}

// dead is how many bytes the dead of requests had at most, or what the model says
// where there was no collection in the window.
func (t *trace) dead(a *app, model float64) float64 {
	most, found := 0.0, false
	for i := max(1, t.iWarm); i < t.iEnd; i++ {
		// After a major one more seems to be free than is (see dies).
		if !t.cycles[i-1].major && t.cycles[i].at-t.cycles[i].room >= t.boot {
			room := t.cycles[i].room
			if a.costs.drifts() {
				room = max(room, t.cycles[i].slots-a.live.at(t.cycles[i].at))
			}
			most, found = max(most, room), true
		}
	}
	if !found {
		return model
	}
	return most * a.request
}

// generations reads what the interpreter says of old objects at the last mark.
func (a *app) generations(t *trace, p params) {
	s := t.marks[2].Stat
	a.young = max(0, t.marked(s)-finite(s["old_objects"]))
	a.shady = finite(s["remembered_wb_unprotected_objects_limit"])
	if p.oldFactor > 0 {
		a.shady /= p.oldFactor
	}
	minors := 0
	if t.iEnd > 0 {
		minors = t.cycles[t.iEnd-1].minors
	}
	if minors > 0 {
		a.shadyGrowth = max(0, finite(s["remembered_wb_unprotected_objects"])-a.shady) / float64(minors)
	}
}

// marked are the slots that the last collection marked: 2.1 does not tell, but what it
// left was marked.
func (t *trace) marked(stat map[string]float64) float64 {
	if slots, told := stat["heap_marked_slots"]; told {
		return finite(slots)
	}
	for _, c := range slices.Backward(t.cycles[:t.iEnd]) {
		if c.known {
			return c.live
		}
	}
	return 0
}

func (a *app) times(t *trace) {
	var sum [2]float64
	var n [2]float64
	for _, c := range t.cycles[t.iBoot:t.iEnd] {
		kind := 0
		if c.major {
			kind = 1
		}
		sum[kind] += c.seconds
		n[kind]++
		a.slots = c.slots
	}
	a.minorSeconds = sum[0] / max(1, n[0])
	a.majorSeconds = sum[1] / max(1, n[1])
	if n[1] == 0 {
		a.majorSeconds = 2 * a.minorSeconds
	}
}
