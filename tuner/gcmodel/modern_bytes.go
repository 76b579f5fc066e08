package gcmodel

import "math"

// perObject are the bytes that an object of a request has beside its slot. The
// truth is between least and most in 95 of 100 cases. It is a guess where nothing
// tells it.
type perObject struct {
	bytes, least, most float64
	guess              bool
}

// How far such bytes may be from what is found, as standard deviations of
// logarithms: where malloc began collections, where its bytes were counted while
// new slots were used, and where nothing tells. The last is what
// scripts that build strings and others that build small objects differ by.
const (
	toldByMalloc = 0.15
	toldByMarks  = 0.5
	untold       = 1.7
)

// Bytes of an object that are believed.
const (
	leastBytes = 0.1
	mostBytes  = 1e6
)

// set finds the bounds; none is beyond what the log leaves possible.
func (b *perObject) set(bytes, spread, possible float64) {
	b.bytes = max(leastBytes, min(mostBytes, bytes))
	b.least = max(leastBytes, b.bytes*math.Exp(-1.96*spread))
	b.most = max(b.bytes, min(b.bytes*math.Exp(1.96*spread), possible))
}

// perObject is what the log tells of the bytes beside the slots. Slots that are
// used again free as much as they take: what the interpreter counts is for those
// that were never used.
func (r run) perObject(k costs, perHeap bool) perObject {
	t, possible := r.trace, r.possible(k)
	var b perObject
	// Part of what is counted is of what requests leave for good, at first.
	if x, ok := t.untilOldMalloc(); ok {
		if perHeap { // new slots of five sizes say too little
			x = k.request
		}
		b.set(math.Sqrt(x*k.request), toldByMarks, possible)
	} else if x, ok := t.untilMalloc(); ok && !perHeap {
		b.set(math.Sqrt(x*k.request), toldByMarks, possible)
	} else if x, ok := t.betweenMarks(); ok {
		if !perHeap { // five heaps have strings of several sizes in slots of their own
			x = math.Sqrt(x * k.request)
		}
		b.set(x, toldByMarks, possible)
	} else if x, ok := t.freshBytes(2, t.iEnd); ok && !k.drifts() {
		b.set(x, toldByMarks, possible)
	} else {
		b.guess = true
		b.set(min(k.request, possible/slack), untold, possible)
	}
	return b
}

func (t *trace) betweenMarks() (float64, bool) {
	boot, warm := t.marks[0], t.marks[1]
	if boot.Stat["major_gc_count"] != warm.Stat["major_gc_count"] {
		return 0, false
	}
	fresh := finite(warm.Stat["heap_available_slots"]) - finite(boot.Stat["heap_available_slots"])
	bytes := finite(warm.Stat["oldmalloc_increase_bytes"]) - finite(boot.Stat["oldmalloc_increase_bytes"])
	if fresh <= leastFresh*finite(boot.Stat["heap_available_slots"]) || bytes <= 0 {
		return 0, false
	}
	return min(mostBytes, bytes/fresh), true
}

// leastFresh is the share of a heap that must be new slots for bytes to be told by
// them.
const leastFresh = 0.05

// untilOldMalloc: where malloc made the first collection after boot a major one,
// the slots that were new since had as many bytes as were lacking to the limit.
func (t *trace) untilOldMalloc() (float64, bool) {
	for _, c := range t.cycles[t.iBoot:t.iEnd] {
		if c.major {
			lacking, fresh := t.lacking(), c.slots-finite(t.marks[0].Stat["heap_available_slots"])
			return lacking / fresh, c.byOldMalloc && lacking > 0 && fresh > leastFresh*c.slots
		}
	}
	return 0, false
}

// untilMalloc: where malloc began the first collection after boot, the slots that were
// new since had as many bytes as were lacking to its limit.
func (t *trace) untilMalloc() (float64, bool) {
	if t.iBoot >= t.iEnd {
		return 0, false
	}
	c, s := t.cycles[t.iBoot], t.marks[0].Stat
	lacking := finite(s["malloc_increase_bytes_limit"]) - finite(s["malloc_increase_bytes"])
	fresh := c.slots - finite(s["heap_available_slots"])
	return lacking / fresh, c.malloc && lacking > 0 && fresh > leastFresh*c.slots
}

// lacking are the bytes between what was counted as the program had booted and
// the limit that makes the next collection a major one.
func (t *trace) lacking() float64 {
	s := t.marks[0].Stat
	return finite(s["oldmalloc_increase_bytes_limit"]) - finite(s["oldmalloc_increase_bytes"])
}

// slack is for what is freed meanwhile.
const slack = 1.3

// possible is the most that an object can have: with more, malloc would have begun
// collections, or made them major, that it did not, or garbage would have taken
// more memory than there was.
func (r run) possible(k costs) float64 {
	t := r.trace
	most, room := mostBytes, 0.0
	limit := max(finite(t.marks[0].Stat["malloc_increase_bytes_limit"]), finite(t.marks[2].Stat["malloc_increase_bytes_limit"]))
	booted, lacking, majors := finite(t.marks[0].Stat["heap_available_slots"]), t.lacking(), 0
	for i := max(1, t.iBoot); i < t.iEnd; i++ {
		c := t.cycles[i]
		if c.major {
			majors++
		}
		fresh := c.slots - t.cycles[i-1].slots
		if limit > 0 && !c.malloc && fresh > leastFresh*c.slots {
			most = min(most, limit/fresh)
		}
		fresh = c.slots - booted
		if lacking > 0 && majors == 0 && i+1 < t.iEnd && !t.cycles[i+1].major && fresh > leastFresh*c.slots {
			most = min(most, lacking/fresh)
		}
		if i > t.iWarm {
			room = max(room, c.room)
		}
	}
	most = min(most, r.grown(k), r.takenOn(k, room))
	if free := r.memory/r.processes - t.cycles[max(0, t.iEnd-1)].slots*slotBytes; room > 0 && free > 0 {
		most = min(most, free/(room*k.memory))
	}
	return max(leastBytes, most*slack)
}

const slotBytes = 40

// takenOn is the most that an object of a request has beside its slot, by how much the
// memory beside the pages was more when the window was over than when a single process
// had booted: where what boot left is no more than half of the room. Before 2.4 see grown.
func (r run) takenOn(k costs, room float64) float64 {
	boot, window := r.trace.marks[0], r.trace.marks[2]
	left := room - max(0, finite(boot.Stat["heap_live_slots"])-finite(boot.Stat["heap_marked_slots"]))
	if k.early() || r.processes != 1 || r.forked || boot.RSSBytes <= 0 || window.RSSBytes <= 0 || left <= room/2 {
		return mostBytes
	}
	pages := finite(window.Stat["heap_allocated_pages"]) - finite(boot.Stat["heap_allocated_pages"])
	grown := finite(float64(window.RSSBytes)) - finite(float64(boot.RSSBytes)) - pages*k.pageBytes()
	return max(0, grown) / (left * k.memory)
}

// freshBytes is how many bytes beside its slot an object has, by what was
// allocated in new slots between the last major collection and a mark.
func (t *trace) freshBytes(mark, over int) (float64, bool) {
	s, last := t.marks[mark].Stat, -1
	for i, c := range t.cycles[:over] {
		if c.major {
			last = i
		}
	}
	if last < 0 {
		return 0, false
	}
	before := t.cycles[last].slots
	fresh := finite(s["heap_available_slots"]) - before
	return max(1, min(mostBytes, finite(s["oldmalloc_increase_bytes"])/max(1, fresh))), fresh > 0.1*before
}
