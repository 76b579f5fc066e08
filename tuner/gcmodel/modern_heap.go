package gcmodel

import "math"

// pageBytes is a page with what the collector keeps beside it (struct heap_page).
const (
	slotsPerPage = 409 // gc.c, HEAP_PAGE_OBJ_LIMIT of 2.4 to 3.1
	usedPerPage  = 408.6
	pageBytes    = 16384 + 320
	oldAge       = 3 // gc.c, RVALUE_OLD_AGE
	mostCycles   = 20000
)

// oneHeap simulates the heap of CRuby 2.4 to 3.1 from one collection to the
// next. Where slots are counted, pages are meant by the names with "pages".
type oneHeap struct {
	app *app
	p   params

	a                  float64 // objects allocated
	pages, spare       float64 // allocated, and allowed to be (heap_allocatable_pages)
	used               float64 // slots in use when the collection began
	live               float64 // after it
	excess             float64 // of them, dead old objects
	count, lastMajor   int
	major              bool // need_major_gc
	mallocLimit        float64
	oldBytes, oldLimit float64 // oldmalloc_increase and its limit
	oldObjectsLimit    float64
	shady, shadyLimit  float64
	dead, bootDead     float64 // most bytes of dead objects, so far and in boot
	pending            bool
	carried            float64
	marked             float64 // objects allocated when they were last marked
	wasMajor           bool
	byMajor, byMalloc  bool
}

func newOneHeap(a *app, p params) *oneHeap {
	h := &oneHeap{app: a, p: p, mallocLimit: 16 * mib, oldLimit: p.oldMallocMin}
	// gc.c, Init_heap; gc_set_initial_pages allocates what is wanted beyond that.
	h.pages = math.Floor(10000 / slotsPerPage)
	if p.initGiven {
		h.pages = math.Max(h.pages, math.Floor(p.initSlots[0]/slotsPerPage))
	}
	return h
}

func (h *oneHeap) slots() float64 { return h.pages * usedPerPage }

// step goes on to the next collection. It returns how many objects were
// allocated until then.
func (h *oneHeap) step() float64 {
	room, inc := h.fill()
	h.a += room
	h.startMalloc(inc)
	h.count++
	if h.wasMajor && h.byMalloc {
		// It marks little by little, whenever a page is used up (heap_prepare): with
		// free pages at hand it goes on once these are.
		h.pending = true
		return room
	}
	h.mark(room)
	h.finishMarks()
	return room
}

// fill uses up free slots: first those of the dead, whose freed bytes make up for
// the new ones' (objspace_malloc_increase), then those never used, then pages yet
// to be allocated (heap_prepare). A major collection begins before the last, but
// goes on marking while they are used: the stack has new objects whenever it looks
// there again (gc_marks_finish), so that it ends when pages run out.
func (h *oneHeap) fill() (room, inc float64) {
	if h.pending {
		return h.fillPending()
	}
	again := math.Max(0, h.used-h.live)
	fresh := math.Max(0, h.slots()-math.Max(h.used, h.live))
	until := h.until(h.a+again, h.mallocLimit-h.carried)
	add := h.take(fresh, until)
	h.atBoot(again, again+add)
	inc = h.carried + h.bytes(h.a+again, add)
	h.carried = 0
	return math.Max(1, again+add), inc
}

// take uses fresh slots, and spare pages when these are used up, for at most
// until objects.
func (h *oneHeap) take(fresh, until float64) float64 {
	add := math.Min(fresh+h.spare*usedPerPage, until)
	h.byMalloc = add == until
	if add > fresh {
		pages := math.Min(h.spare, math.Ceil((add-fresh)/usedPerPage))
		h.pages += pages
		h.spare -= pages
	}
	h.used = math.Max(h.used, h.live) + add
	return add
}

// fillPending ends a major collection that malloc has begun: by using up the free
// pages, or at the malloc limit, where all is marked and swept (garbage_collect)
// and another one begins.
func (h *oneHeap) fillPending() (room, inc float64) {
	h.pending = false
	until := h.until(h.a, h.mallocLimit)
	from := h.a
	add := h.take(math.Max(0, h.slots()-h.used), until)
	h.atBoot(0, add)
	inc = h.bytes(from, add)
	h.a += add
	byMalloc := h.byMalloc
	h.wasMajor = true
	h.mark(add)
	h.finishMarks()
	if byMalloc {
		h.byMalloc = true
		dead := h.used - h.live
		h.used = h.live
		h.a -= add // what step adds
		return math.Max(1, add), math.Max(0, inc-h.bytes(h.a+add-dead, dead))
	}
	h.carried = inc
	room, inc = h.fill()
	h.a -= add
	return room + add, inc
}

// until is how many objects after the a-th bring so many bytes.
func (h *oneHeap) until(a, bytes float64) float64 {
	return math.Max(1, h.app.bytes.inverse(h.app.bytes.at(a)+math.Max(0, bytes))-a)
}

func (h *oneHeap) bytes(a, objects float64) float64 {
	return h.app.bytes.at(a+objects) - h.app.bytes.at(a)
}

// atBoot notes the dead at the end of boot, if that lies within the next room
// objects, of which the first again take dead ones' places.
func (h *oneHeap) atBoot(again, room float64) {
	x := h.app.boot - h.a
	if x <= 0 || x > room {
		return
	}
	used := h.used - math.Max(0, room-math.Max(x, again))
	h.note(used-h.app.live.at(h.app.boot), h.app.boot)
	h.bootDead, h.dead = h.dead, 0
}

// note keeps the most bytes that the dead had: their share of what was allocated
// since objects were last marked. While the program boots they leave room for what
// it keeps later.
func (h *oneHeap) note(dead, a float64) {
	since := math.Max(1, a-h.marked)
	share := math.Max(0, math.Min(1, dead/since))
	later := math.Max(0, h.app.bytes.at(h.app.boot)-h.app.bytes.at(a))
	h.dead = math.Max(h.dead, h.bytes(a-since, since)*share-keptBytes*later)
}

// startMalloc is gc.c, gc_reset_malloc_info.
func (h *oneHeap) startMalloc(inc float64) {
	if inc >= h.mallocLimit*0.999999 {
		h.mallocLimit = math.Min(inc*h.p.mallocGrowth, h.p.mallocMax)
	} else {
		h.mallocLimit = math.Max(h.mallocLimit*0.98, h.p.mallocMin)
	}
	h.oldBytes += inc
	h.wasMajor = h.major
	switch {
	case h.major:
		h.oldBytes = 0
		if !h.byMajor {
			h.oldLimit = math.Max(h.oldLimit/((h.p.oldMallocGrowth-1)/10+1), h.p.oldMallocMin)
		}
	case h.oldBytes > h.oldLimit:
		h.byMajor = true
		h.oldLimit = math.Min(h.oldLimit*h.p.oldMallocGrowth, h.p.oldMallocMax)
	}
}

// mark finds what is alive.
func (h *oneHeap) mark(room float64) {
	byOldMalloc := h.byMajor
	if h.wasMajor {
		h.excess, h.lastMajor, h.shady = 0, h.count, h.app.shady
		byOldMalloc = false
	} else {
		promoted := h.app.promoted * math.Min(1, room/h.app.requestObjects)
		h.excess += promoted
		h.oldBytes += promoted * slope(0, 0, 1, bytesAtRequest)
		h.shady += h.app.shadyGrowth
	}
	h.major, h.byMajor = byOldMalloc, byOldMalloc
	h.live = math.Min(h.used, math.Max(0, h.app.live.at(h.a))+h.excess)
	h.note(h.used-h.live, h.a)
	h.marked = h.a
}

// old objects have been through three collections, or are reached from some that
// have (rgengc_check_relation).
func (h *oneHeap) old() float64 {
	share := 1.0
	switch h.count {
	case 1:
		share = 0.02
	case 2:
		share = 0.3
	}
	return math.Max(1, (h.live-h.app.young)*share)
}

// finishMarks is gc.c, gc_marks_finish.
func (h *oneHeap) finishMarks() {
	total := (h.pages + h.spare) * usedPerPage
	sweep := math.Max(0, total-h.live)
	full := h.wasMajor
	if sweep < math.Max(total*h.p.minRatio, h.p.freeSlots) {
		if !full {
			if h.count-h.lastMajor < oldAge {
				full = true
			} else {
				h.major = true
			}
		}
		if full {
			h.spare = h.extend(sweep, total)
			h.pages++
			h.spare--
		}
	}
	if full {
		h.shadyLimit = math.Floor(h.shady * h.p.oldFactor)
		h.oldObjectsLimit = h.old() * h.p.oldFactor
	}
	if h.shady > h.shadyLimit || h.old() > h.oldObjectsLimit {
		h.major = true
	}
}

// extend is gc.c, heap_extend_pages.
func (h *oneHeap) extend(free, total float64) float64 {
	used := h.pages + h.spare
	next := math.Floor(used * h.p.growthFactor)
	if h.p.goalRatio > 0 {
		f := (total - free) / ((1 - h.p.goalRatio) * total)
		f = math.Min(f, h.p.growthFactor)
		if f < 1 {
			f = 1.1
		}
		next = math.Floor(f * used)
	}
	if h.p.growthMaxSlots > 0 {
		next = math.Min(next, used+math.Floor(h.p.growthMaxSlots/slotsPerPage))
	}
	return math.Max(1, next-used)
}
