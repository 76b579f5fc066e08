package gcmodel

import "math"

const (
	poolPageSlots = 1638 // gc.c, HEAP_PAGE_OBJ_LIMIT from 3.2 on
	poolPageBytes = 65536 + 400
)

// pool is one of the five heaps (rb_size_pool_t; from 3.4 on, rb_heap_t).
type pool struct {
	perPage      float64
	pages, spare float64 // spare: allocatable_pages, up to 3.3
	used         float64 // that ever were
	live         float64 // that have an object, be it dead since the last collection
	inUse        float64 // those, as that began
	share        float64 // of the objects allocated next
	starved      int     // major collections before which it ran out
	// From 4.0 on:
	touched float64 // pages with something that lives
	unused  float64 // slots that it had and that were free as the last collection began
}

func (p *pool) slots() float64 { return p.pages * p.perPage }
func (p *pool) again() float64 { return max(0, p.used-p.live) }

// fiveHeaps simulates the heap of CRuby 3.2 and later.
type fiveHeaps struct {
	collector
	rules poolRules
	of    *poolApp
	pools [pools]pool
	// From 3.4 on:
	slots float64 // to grow by, for all heaps: heap_pages.allocatable_slots
	late  float64 // of them, what the first heap adds, which is swept last
	// From 4.0 on:
	empty float64 // pages, which any heap may take (objspace->empty_pages)
	most  float64 // pages in the window, of which some may have been given back
}

func newFiveHeaps(a *app, of *poolApp, p params, r poolRules) *fiveHeaps {
	h := &fiveHeaps{collector: newCollector(a, p), rules: r, of: of}
	h.mallocLimit = p.mallocMin // gc.c, ruby_gc_set_params
	for i := range h.pools {
		p := &h.pools[i]
		p.perPage = math.Floor(poolPageSlots/float64(int(1)<<i)) - 0.5
		switch {
		case r >= from34:
		case r == from33: // gc.c, gc_set_initial_pages
			p.spare = math.Ceil(h.p.initSlots[i] / (p.perPage - 0.5))
		default:
			h.init32(i)
		}
	}
	return h
}

func (h *fiveHeaps) core() *collector { return &h.collector }

// size is that as the run ended: the collection that ends the last step may come
// long after, and pages are taken only as they are needed (heap_prepare).
func (h *fiveHeaps) size() (pages, slots, bytes float64) {
	pages, slots, bytes = h.endPages, h.endSlots, h.endPages*poolPageBytes
	if !h.ended {
		pages, slots, bytes = h.sizeNow()
	}
	return pages, slots, max(bytes, h.most*poolPageBytes)
}

func (h *fiveHeaps) sizeNow() (pages, slots, bytes float64) {
	for i := range h.pools {
		pages += h.pools[i].pages
		slots += h.pools[i].slots()
	}
	pages += h.empty
	return pages, slots, pages * poolPageBytes
}

func (h *fiveHeaps) used() float64 {
	sum := 0.0
	for i := range h.pools {
		sum += h.pools[i].used
	}
	return sum
}

// step goes on to the next collection, which begins when one of the heaps has no
// more slots, or at the malloc limit.
func (h *fiveHeaps) step() float64 {
	room, fresh := 0.0, 0.0
	from := h.used()
	limit := h.mallocLimit - h.carried
	h.byMalloc = false
	h.sweep()
	for {
		x, out := h.next()
		// Mostly the limit is out of reach, which is quickly seen.
		if (fresh+h.freshOf(x))*h.app.mostBytes > limit {
			if until := h.until(h.a+room, limit-h.bytes(h.a, fresh)); until < h.freshOf(x) {
				x, out, h.byMalloc = h.inverseFresh(x, until), true, true
			}
		}
		if asked := h.untilAsked(); asked <= x {
			x, out, h.byMalloc = asked, true, false
			h.ask()
		}
		h.allocate(x)
		room += x
		fresh = h.used() - from
		if out {
			h.a += x
			break
		}
		h.a = h.of.at(h.a).until
		h.crossBoot()
		h.crossEnd()
	}
	inc := h.carried + h.bytes(h.a-room, fresh)
	h.carried = 0
	return h.collect(max(1, room), inc)
}

func (h *fiveHeaps) collect(room, inc float64) float64 {
	h.begin(inc)
	h.mark(h.used(), room)
	h.split()
	h.finishMarks()
	return room
}

// crossBoot notes the dead as the program has booted.
func (h *fiveHeaps) crossBoot() {
	if h.a == h.app.boot {
		for i := range h.pools {
			h.reserve(i, h.of.most[i]-h.pools[i].slots())
		}
		h.touch()
		h.note(h.used()-h.app.live.at(h.a), h.a)
		pages, slots, _ := h.sizeNow()
		h.booted(pages, slots, h.used())
		h.marked = h.a // what has died so far is counted
	}
}

// crossEnd notes what the heap is as the run ends.
func (h *fiveHeaps) crossEnd() {
	if h.a == h.app.end {
		pages, slots, _ := h.sizeNow()
		h.endsWith(pages, slots)
	}
}

// sweep adds pages to the heaps that need some while the first is swept, although
// they will have free slots: of those found first, gc_sweep_step keeps some for a
// major collection to come, and gives them back when all heaps are swept. What the
// first lets them grow by is there when it is swept (gc_sweep_finish_heap).
func (h *fiveHeaps) sweep() {
	if h.a == 0 {
		return
	}
	room, _ := h.next()
	h.slots -= h.late
	first := &h.pools[0]
	free := func(p *pool) float64 { return max(0, p.slots()-p.live) }
	swept := min(room, free(first)/(freeStep+h.kept(first))*freeStep/max(1e-3, first.share))
	for i := range h.pools {
		p := &h.pools[i]
		kept := h.kept(p)
		have := max(0, free(p)-kept*math.Ceil(free(p)/(freeStep+kept)))
		switch {
		case h.major && have == 0:
			h.reserve(i, 1)
		case h.major && free(p) <= room*p.share+1:
			// The last step of its sweep finds too few to give any, one time in so many.
			if p.starved++; p.starved%int((freeStep+kept)/kept) == 0 {
				h.reserve(i, 1)
			}
		case !h.major && i > 0:
			h.reserve(i, p.share*swept-have)
		}
	}
	h.slots, h.late = h.slots+h.late, 0
}

// Slots found in one step of a sweep that can be had at once, and those that are kept:
// gc.c, GC_INCREMENTAL_SWEEP_SLOT_COUNT and GC_INCREMENTAL_SWEEP_POOL_SLOT_COUNT.
const (
	freeStep = 2048
	keptStep = 1024
)

// kept are the slots of a heap that are kept in a step. In 3.2 it is one page with free
// slots (gc_sweep_step, need_pool).
func (h *fiveHeaps) kept(p *pool) float64 {
	if h.rules < from33 {
		return max(1, (p.slots()-p.live)/max(1, p.pages))
	}
	return keptStep
}

// reserve adds pages for so many slots to a heap, as far as it may grow.
func (h *fiveHeaps) reserve(i int, slots float64) {
	if slots <= 0 {
		return
	}
	p := &h.pools[i]
	pages := math.Ceil(slots / p.perPage)
	if h.rules.shared() {
		h.reserveShared(i, pages)
		return
	}
	pages = min(pages, p.spare)
	p.spare -= pages
	p.pages += pages
}

// next is how many objects can be allocated until a heap runs out, or until what
// the program allocates changes.
func (h *fiveHeaps) next() (x float64, out bool) {
	until := h.of.shares(h.a, &h.pools)
	x = math.Inf(1)
	if h.rules.shared() {
		x = h.untilShared()
	} else {
		for i := range h.pools {
			p := &h.pools[i]
			free := p.again() + max(0, p.slots()-p.used)
			if !h.major {
				free += p.spare * p.perPage
			}
			if p.share > 0 {
				x = min(x, free/p.share)
			}
		}
	}
	if x >= until {
		return until, false
	}
	return max(0, x), true
}

// allocate gives the heaps their share of x objects.
func (h *fiveHeaps) allocate(x float64) {
	reused := h.reusedBy(x)
	for i := range h.pools {
		p := &h.pools[i]
		n := p.share * x
		again := min(n, p.again())
		p.live += n // places of dead ones and new ones: no longer to be had
		p.used += n - again
		if lack := math.Ceil((p.used-p.slots())/p.perPage - 1e-6); lack > 0 {
			p.pages += lack
			if h.rules.shared() {
				h.draw(p, lack-lack*reused, i)
			} else {
				p.spare = max(0, p.spare-lack)
			}
		}
	}
}

// freshOf is how many of x objects take slots that were never used.
func (h *fiveHeaps) freshOf(x float64) float64 {
	sum := 0.0
	for i := range h.pools {
		sum += max(0, x*h.pools[i].share-h.pools[i].again())
	}
	return sum
}

func (h *fiveHeaps) inverseFresh(most, fresh float64) float64 {
	low, high := 0.0, most
	for range 20 {
		if mid := (low + high) / 2; h.freshOf(mid) < fresh {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// split divides what is alive among the heaps.
func (h *fiveHeaps) split() {
	sum := 0.0
	grown := &h.of.at(h.a).grown
	for i := range h.pools {
		h.pools[i].inUse = h.pools[i].live
	}
	for i := 1; i < pools; i++ {
		p := &h.pools[i]
		p.live = min(p.used, h.of.live[i]*grown[i])
		sum += p.live
	}
	h.pools[0].live = max(0, min(h.pools[0].used, h.live-sum))
}

// finishMarks is gc.c, gc_marks_finish, and then for each heap
// gc_sweep_finish_size_pool.
func (h *fiveHeaps) finishMarks() {
	total, live := 0.0, 0.0
	for i := range h.pools {
		p := &h.pools[i]
		total += p.slots()
		if !h.rules.shared() {
			total += p.spare * p.perPage
		}
		live += p.live
	}
	full := h.wasMajor
	if (!h.rules.shared() || h.slots == 0) && total-live < max(total*h.p.minRatio, h.p.freeSlots) {
		if !full {
			full = h.young()
			h.major = h.major || !full
		}
		if full && h.rules >= from40 {
			h.slots += h.expand(0, total-live, total)
		}
	}
	h.limit(full)
	if h.late = 0; h.rules < from40 {
		h.slots = 0 // gc_sweep_start: what is left of that number is lost
	}
	if h.rules >= from40 {
		h.release()
		h.giveBack(total, live)
		return
	}
	h.finishSweep()
}

func (h *fiveHeaps) finishSweep() {
	for i := range h.pools {
		if h.rules.shared() {
			h.growShared(i)
		} else {
			h.grow(i)
		}
	}
}

// grow is gc.c of 3.2 and 3.3, gc_sweep_finish_size_pool.
func (h *fiveHeaps) grow(i int) {
	p := &h.pools[i]
	slots := p.slots()
	swept := slots - p.live
	if h.rules < from33 {
		h.keepInitial(i, swept)
	}
	if swept >= h.leastFree(i) {
		return
	}
	grow := h.wasMajor
	if !grow && (p.spare == 0 || h.rules < from33) {
		if h.young() || h.rules >= from33 && slots < h.p.initSlots[i] {
			grow = true
		} else if p.spare == 0 && h.growing(p) {
			h.major = true
		}
	}
	if !grow {
		return
	}
	if slots == 0 {
		p.spare = max(p.spare, math.Ceil(h.p.initSlots[i]/(p.perPage-0.5)))
		return
	}
	p.spare = max(p.spare, h.p.extend(swept, slots, p.pages, poolPageSlots))
}

// leastFree is how many slots of a heap are to be free. From 3.3 on it is a share of the
// initial ones if there are more of these.
func (h *fiveHeaps) leastFree(i int) float64 {
	slots := h.pools[i].slots()
	if h.rules >= from33 {
		slots = max(slots, h.p.initSlots[i])
	}
	return math.Floor(slots * h.p.minRatio)
}

// growing: more slots were freed than had been empty. Those of a heap that is not
// used up are mostly empty again, however often they were used before.
func (h *fiveHeaps) growing(p *pool) bool {
	if h.rules >= from40 {
		empty := min(p.slots()-p.live, p.unused)
		return p.pages > 0 && (empty < 1 || p.slots()-p.live-empty > empty)
	}
	empty := p.slots() - p.inUse
	return empty < 1 || p.inUse-p.live > empty
}
