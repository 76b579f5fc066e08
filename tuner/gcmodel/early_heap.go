package gcmodel

import "math"

// finishIncremental is gc.c of 2.2 and 2.3, gc_marks_finish with gc_sweep_start: how many
// slots are to be free was decided as the sweep before began.
func (h *oneHeap) finishIncremental() {
	if free := (h.pages+h.spare)*h.rules.used - h.live; free < h.least {
		const soon = 3
		if h.wasMajor || h.count-h.lastMajor <= soon {
			h.spare = h.p.extendEarly(h.pages, h.rules.perPage, 0) - 1
			h.pages++ // heap_increment
			h.tomb = max(0, h.tomb-1)
		} else {
			h.major = true
		}
	}
	h.spare = max(h.spare, h.tomb)
	h.least = h.leastFree()
	free, most := (h.pages+h.spare)*h.rules.used-h.live, max(math.Floor((h.pages+h.tomb)*h.rules.used*h.p.maxRatio), h.p.initSlots[0])
	h.limit(h.wasMajor)
	h.bury()
	// heap_pages_free_unused_pages: beyond a share pages are given back from the tomb.
	h.tomb -= min(h.tomb, math.Floor(max(0, free-most)/h.rules.perPage))
}

// bury is gc.c of 2.2 and 2.3, gc_sweep_step: of the pages without a live object some go
// to the tomb, until the heap is let grow (heap_increment), for which they are taken before
// new ones are. So growth is less by them; and before a collection that is to be a major
// one nothing comes back (gc_sweep_continue).
func (h *oneHeap) bury() {
	pages := h.empty()
	if !h.major {
		h.spare = max(h.spare-pages, h.tomb)
		return
	}
	h.pages -= pages
	h.tomb += pages
	h.spare = max(h.spare, h.tomb)
	used := max(h.live, min(h.used, h.pages*h.rules.used))
	h.buried, h.used = h.used-used, used
}

// empty are the pages that go to the tomb. Up to three do before one is kept to be used
// while a major collection marks, and one is used: of those that were not in use, three in
// five.
func (h *oneHeap) empty() float64 {
	const unused = 0.6
	return math.Floor(unused*max(0, h.pages-math.Ceil(h.used/h.rules.used)) + h.emptied())
}

// emptied are the pages that were in use and have nothing in them that lives.
func (h *oneHeap) emptied() float64 {
	if h.dirty == 0 {
		return 0
	}
	grown := max(0, h.live-h.app.live.at(h.app.boot)) / h.rules.used
	return math.Floor(h.app.emptied * max(0, min(h.pages, math.Ceil(h.used/h.rules.used))-h.dirty-grown))
}

// finishAtOnce is gc.c of 2.1, gc_after_sweep. That last_major_gc is nowhere set makes
// the third collection the first that asks for a major one in place of growing. What lies
// in the tomb since the sweep before, and was not needed, is not among what is swept; a
// heap grows by a share of what is not in the tomb.
func (h *oneHeap) finishAtOnce() {
	left := h.unneeded()
	free := max(0, (h.pages-left)*h.rules.used-h.live)
	if least := h.leastFree(); free < least {
		const soon = 2
		if h.wasMajor || h.count <= soon {
			eden := h.pages - left - h.emptied()
			h.spare = max(0, eden+h.p.extendEarly(eden, h.rules.perPage, math.Floor((least-free)/h.rules.perPage))-h.pages)
		} else {
			h.major = true
		}
	}
	h.giveBack(free, h.pages*h.rules.used)
	h.limit(h.wasMajor)
	if h.byMalloc {
		h.sweepAtOnce()
	}
}

// unneeded are pages that the last sweep found empty (gc_page_sweep) and that were not
// used since: what boot has used never is.
func (h *oneHeap) unneeded() float64 {
	if h.dirty == 0 {
		return 0
	}
	return max(0, min(math.Floor(h.pages-h.used/h.rules.used), h.pages-h.dirty))
}

// beforeSettings is the first collection of 2.1: it starts with more objects than it has
// slots, before it reads what it is set to (ruby.c, process_options). They are old then,
// so that the next collection is a major one.
func (h *oneHeap) beforeSettings() {
	h.begin(0)
	h.major = true
}

// sweepAtOnce is a collection that malloc has begun in 2.1 (gc.c, objspace_malloc_increase
// with gc_sweep). All that it frees it does before the next object is allocated, so that it
// does not make up for what that object has.
func (h *oneHeap) sweepAtOnce() {
	dead := max(0, h.used-h.live)
	h.oldBytes = max(0, h.oldBytes-h.bytes(h.a-dead, dead))
	h.used = h.live
}

// leastFree are the slots that are to be free.
func (h *oneHeap) leastFree() float64 {
	return max(math.Floor((h.pages+h.tomb)*h.rules.used*h.p.minRatio), h.p.freeSlots)
}

// extendEarly is gc.c, heap_set_increment, in 2.2 and 2.3 with heap_extend_pages: how many
// pages to add to so many. What is lacking in 2.1 is a number of all pages, not of those
// to be added, and so counts only where it is more than the heap has.
func (p params) extendEarly(pages, perPage, lacking float64) float64 {
	next := math.Floor(pages * p.growthFactor)
	if p.growthMaxSlots > 0 {
		next = min(next, pages+math.Floor(p.growthMaxSlots/perPage))
	}
	return max(next, pages+1, lacking) - pages
}
