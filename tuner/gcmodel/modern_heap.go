package gcmodel

import "math"

const (
	slotsPerPage = 409 // gc.c, HEAP_PAGE_OBJ_LIMIT of 2.4 to 3.1
	usedPerPage  = 408.6
	pageBytes    = 16384 + 320 // with struct heap_page
)

// oneHeap simulates the heap of CRuby 2.4 to 3.1 from one collection to the
// next.
type oneHeap struct {
	collector
	pages, spare float64 // allocated, and allowed to be (heap_allocatable_pages)
	used         float64 // slots in use when the collection began
}

func newOneHeap(a *app, p params) *oneHeap {
	h := &oneHeap{collector: newCollector(a, p)}
	// gc.c, Init_heap; gc_set_initial_pages allocates what is wanted beyond that.
	h.pages = math.Floor(10000 / slotsPerPage)
	if p.initGiven {
		h.pages = max(h.pages, math.Floor(p.initSlots[0]/slotsPerPage))
	}
	return h
}

func (h *oneHeap) core() *collector { return &h.collector }

// size is that as the run ended.
func (h *oneHeap) size() (pages, slots, bytes float64) {
	if h.ended {
		return h.endPages, h.endSlots, h.endPages * pageBytes
	}
	return h.pages, h.pages * slotsPerPage, h.pages * pageBytes
}

// step goes on to the next collection. It returns how many objects were
// allocated until then.
func (h *oneHeap) step() float64 {
	pages := h.pages
	room, inc := h.fill()
	h.atEnd(pages, room)
	h.a += room
	h.begin(inc)
	if h.wasMajor && h.byMalloc {
		// It marks little by little, whenever a page is used up (heap_prepare): with
		// free pages at hand it goes on once these are.
		h.pending = true
		return room
	}
	h.mark(h.used, room)
	h.finishMarks()
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
	pages := h.pages
	add := h.take(min(h.until(h.a+again, h.mallocLimit-h.carried), asked), h.major)
	if add == asked {
		h.byMalloc = false
		h.ask()
	}
	h.atBoot(pages, again, again+add)
	inc = h.carried + h.bytes(h.a+again, add)
	h.carried = 0
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

// loadedAtOnce is that share of what was allocated so far: so it was of Rails.
const loadedAtOnce = 0.03

// take uses fresh slots, and spare pages when these are used up, for at most
// until objects. While marking it does so until it is quiet.
func (h *oneHeap) take(until float64, marking bool) float64 {
	fresh := max(0, h.pages*usedPerPage-h.used)
	spare := h.spare * usedPerPage
	if marking {
		spare = min(spare, h.quiet())
	}
	add := min(fresh+spare, until)
	h.byMalloc = add == until
	if add > fresh {
		pages := min(h.spare, math.Ceil((add-fresh)/usedPerPage))
		h.pages += pages
		h.spare -= pages
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
	h.finishMarks()
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
	pages = min(h.pages, max(pages, math.Ceil(used/usedPerPage)))
	h.booted(pages, pages*usedPerPage, used)
}

// atEnd notes the heap, of so many pages before, if the run ends within the next
// room objects: a page is taken as it is needed (heap_prepare), and those needed
// after the end were not.
func (h *oneHeap) atEnd(pages, room float64) {
	after := h.a + room - h.app.end
	if after < 0 || h.ended {
		return
	}
	pages = min(h.pages, max(pages, math.Ceil((h.used-after)/usedPerPage)))
	h.endsWith(pages, pages*slotsPerPage)
}

// finishMarks is gc.c, gc_marks_finish.
func (h *oneHeap) finishMarks() {
	total := (h.pages + h.spare) * usedPerPage
	free := max(0, total-h.live)
	full := h.wasMajor
	if free < max(total*h.p.minRatio, h.p.freeSlots) {
		if !full {
			full = h.young()
			h.major = h.major || !full
		}
		if full {
			h.spare = h.p.extend(free, total, h.pages+h.spare, slotsPerPage)
			h.pages++
			h.spare--
		}
	}
	h.giveBack(free, total)
	h.limit(full, 0)
}

// giveBack is gc.c, gc_marks_finish with gc_sweep_step: pages without a live object
// are given back where more than a share of the heap is free. Requests leave so many
// of them that there are enough.
func (h *oneHeap) giveBack(free, total float64) {
	most := max(math.Floor(total*h.p.maxRatio), h.p.initSlots[0])
	if free <= most {
		return
	}
	pages := min(math.Floor((free-most)/slotsPerPage), math.Floor((h.pages*usedPerPage-h.live)/usedPerPage))
	h.pages -= pages
	h.used = max(h.live, h.used-pages*usedPerPage)
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
