package gcmodel

import "math"

// rules are those of interpreters with one heap that changed from line to line.
type rules struct {
	// perPage are the most slots of a page (gc.c, HEAP_OBJ_LIMIT, later
	// HEAP_PAGE_OBJ_LIMIT), used those that one has on average, and bytes its memory,
	// with struct heap_page.
	perPage, used, bytes float64
	// atOnce: a major collection marks all in one go, and what has lived through one
	// collection is old.
	atOnce bool
	// lags: as a collection begins, the bytes since the last major one are reset if the one
	// before was one (gc.c, gc_reset_malloc_info, which asks before gc_marks_start says).
	lags bool
	// emptied is the share of pages in which nothing lives, where no mark tells (see app).
	emptied float64
	// early is the share of the dead that are swept ahead of what takes their places.
	early float64
	// overtime is the share of the free slots that a major collection takes of new pages
	// as it marks, since the half of them that is kept for it (gc_sweep_step) is not enough.
	overtime float64
	// finish decides, once all is marked, whether the heap grows and whether the next
	// collection is to be a major one.
	finish func(*oneHeap)
}

// modernRules are those of 2.4 to 3.1.
var modernRules = rules{perPage: 409, used: 408.6, bytes: 16384 + 320, finish: (*oneHeap).finishMarks}

// oneHeap simulates the heap of CRuby up to 3.1 from one collection to the next.
type oneHeap struct {
	collector
	rules        *rules
	pages, spare float64 // allocated, and allowed to be (heap_allocatable_pages)
	used         float64 // slots in use when the collection began
	least        float64 // that are to be free, where it was decided before (heap_pages_min_free_slots)
	tomb         float64 // pages of spare that are allocated (heap_tomb)
	dirty        float64 // pages that boot has used
	buried       float64 // slots of pages in the tomb that were in use until the last collection
}

func newOneHeap(a *app, p params) *oneHeap {
	h := &oneHeap{collector: newCollector(a, p), rules: a.costs.rules}
	h.oldAtOnce, h.lags = h.rules.atOnce, h.rules.lags
	// gc.c, Init_heap; gc_set_initial_pages allocates what is wanted beyond that.
	h.pages = math.Floor(10000 / h.rules.perPage)
	if p.initGiven {
		h.pages = max(h.pages, math.Floor(p.initSlots[0]/h.rules.perPage))
		if h.rules.atOnce {
			h.beforeSettings()
		}
	}
	return h
}

func (h *oneHeap) core() *collector { return &h.collector }

// size is that as the run ended.
func (h *oneHeap) size() (pages, slots, bytes float64) {
	if h.ended {
		return h.endPages, h.endSlots, h.endPages * h.rules.bytes
	}
	pages = h.pages + h.tomb
	return pages, pages * h.rules.perPage, pages * h.rules.bytes
}

// step goes on to the next collection. It returns how many objects were
// allocated until then.
func (h *oneHeap) step() float64 {
	pages, tomb := h.pages, h.tomb
	room, inc := h.fill()
	h.atEnd(pages, tomb, room)
	h.a += room
	h.begin(inc)
	if h.wasMajor && h.byMalloc && !h.rules.atOnce {
		// It marks little by little, whenever a page is used up (heap_prepare): with
		// free pages at hand it goes on once these are.
		h.pending = true
		return room
	}
	h.mark(h.used, room)
	h.rules.finish(h)
	return room
}

// fill uses up free slots: first those of the dead, whose freed bytes make up for
// the new ones' (objspace_malloc_increase), then those never used, then pages yet
// to be allocated (heap_prepare). A major collection begins before the last, but
// goes on marking while some are used (see quiet).
func (h *oneHeap) fill() (room, inc float64) {
	if h.pending {
		return h.fillPending()
	}
	again, asked := max(0, h.used-h.live), h.untilAsked()
	if again > asked { // free slots are free, whether they were used before or not
		h.used, again = h.live+asked, asked
	}
	asked -= again
	early := h.rules.early * again // what is freed before its place is taken makes up for nothing
	pages, free := h.pages, again-early+h.buried
	add := h.take(min(max(0, free+h.until(h.a+free, h.mallocLimit-h.carried)-again), asked), h.major && !h.rules.atOnce)
	if add == asked {
		h.byMalloc = false
		h.ask()
	}
	h.atBoot(pages, again, again+add)
	inc = h.carried + h.bytes(h.a+free, max(0, again+add-free))
	h.ahead = h.bytes(h.a+free, max(0, min(again+add, free+early)-free))
	h.carried, h.buried = 0, 0
	return max(1, again+add), inc
}

// quiet is how many objects a program allocates until there is none of them that
// its stack refers to. A major collection that has marked everything looks there
// again with each further page (gc_marks_continue), and goes on for as long as it
// finds some (gc_marks_finish). It does until a request is over; code that is
// loaded calls more and more other code.
func (h *oneHeap) quiet() float64 {
	if h.a < h.app.boot {
		return loadedAtOnce * h.a
	}
	return h.app.quiet
}

// markingTakes is how many slots of new pages a major collection takes as it marks.
func (h *oneHeap) markingTakes() float64 {
	if h.rules.overtime == 0 || h.a < h.app.boot {
		return h.quiet()
	}
	return min(h.quiet(), scriptQuiet) + h.rules.overtime*(h.pages*h.rules.used-h.live)
}

// loadedAtOnce is that share of what was allocated so far: so it was of Rails.
const loadedAtOnce = 0.03

// take uses fresh slots, and spare pages when these are used up, for at most
// until objects. While marking it does so until it is quiet.
func (h *oneHeap) take(until float64, marking bool) float64 {
	fresh := max(0, h.pages*h.rules.used-h.used)
	spare := h.spare * h.rules.used
	if marking {
		spare = min(spare, h.markingTakes())
	}
	add := min(fresh+spare, until)
	h.byMalloc = add == until
	if add > fresh {
		pages := min(h.spare, math.Ceil((add-fresh)/h.rules.used))
		h.pages += pages
		h.spare -= pages
		h.tomb = max(0, h.tomb-pages)
	}
	h.used += add
	return add
}

// fillPending ends a major collection that malloc has begun: by using up the free
// pages, or at the malloc limit, where all is marked and swept (garbage_collect)
// and another one begins.
func (h *oneHeap) fillPending() (room, inc float64) {
	h.pending = false
	pages := h.pages
	add := h.take(h.until(h.a, h.mallocLimit), true)
	h.atBoot(pages, 0, add)
	inc = h.bytes(h.a, add)
	h.a += add
	h.mark(h.used, add)
	h.rules.finish(h)
	if h.byMalloc {
		dead := h.used - h.live
		inc = max(0, inc-h.bytes(h.a-dead, dead))
		h.used = h.live
	} else {
		h.carried = inc
		room, inc = h.fill()
	}
	h.a -= add // step adds it
	return max(1, room+add), inc
}

// atBoot notes the dead at the end of boot, if that lies within the next room
// objects, of which the first again take dead ones' places. Of the pages beyond those
// before, a process that is forked then takes its own.
func (h *oneHeap) atBoot(pages, again, room float64) {
	x := h.app.boot - h.a
	if x <= 0 || x > room {
		return
	}
	used := h.used - max(0, room-max(x, again))
	h.note(used-h.app.live.at(h.app.boot), h.app.boot)
	pages = min(h.pages, max(pages, math.Ceil(used/h.rules.used)))
	h.booted(pages, pages*h.rules.used, used)
	h.dirty = math.Ceil(used / h.rules.used)
}

// atEnd notes the heap, of so many pages before and so many beside, if the run ends
// within the next room objects: a page is taken as it is needed (heap_prepare), and those
// needed after the end were not.
func (h *oneHeap) atEnd(pages, tomb, room float64) {
	after := h.a + room - h.app.end
	if after < 0 || h.ended {
		return
	}
	now := min(h.pages, max(pages, math.Ceil((h.used-after)/h.rules.used)))
	now += max(0, tomb-(now-pages))
	h.endsWith(now, now*h.rules.perPage)
}

// finishMarks is gc.c, gc_marks_finish, from 2.4 on.
func (h *oneHeap) finishMarks() {
	total := (h.pages + h.spare) * h.rules.used
	free := max(0, total-h.live)
	full := h.wasMajor
	if free < max(total*h.p.minRatio, h.p.freeSlots) {
		if !full {
			full = h.young()
			h.major = h.major || !full
		}
		if full {
			h.spare = h.p.extend(free, total, h.pages+h.spare, h.rules.perPage)
			h.pages++
			h.spare--
		}
	}
	h.giveBack(free, total)
	h.limit(full)
}

// giveBack is gc.c, gc_marks_finish with gc_sweep_step: pages without a live object
// are given back where more than a share of the heap is free. Requests leave so many
// of them that there are enough.
func (h *oneHeap) giveBack(free, total float64) {
	most := max(math.Floor(total*h.p.maxRatio), h.p.initSlots[0])
	if free <= most {
		return
	}
	pages := min(math.Floor((free-most)/h.rules.perPage), math.Floor((h.pages*h.rules.used-h.live)/h.rules.used))
	h.pages -= pages
	h.used = max(h.live, h.used-pages*h.rules.used)
}

// extend is gc.c, heap_extend_pages: how many pages to add to so many.
func (p params) extend(free, total, pages, perPage float64) float64 {
	next := math.Floor(pages * p.growth(free, total))
	if p.growthMaxSlots > 0 {
		next = min(next, pages+math.Floor(p.growthMaxSlots/perPage))
	}
	return max(1, next-pages)
}

// growth is the factor by which a heap is to grow so that the goal ratio of it is
// free.
func (p params) growth(free, total float64) float64 {
	if p.goalRatio == 0 {
		return p.growthFactor
	}
	goal := (1 - p.goalRatio) * total
	if goal == 0 { // a heap that is to be all free is never large enough, be it empty
		return p.growthFactor
	}
	f := min((total-free)/goal, p.growthFactor)
	if f < 1 {
		return 1.1
	}
	return f
}
