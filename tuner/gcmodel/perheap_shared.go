package gcmodel

import "math"

// From 3.4 on a heap below its initial slots always gets a page (heap_prepare,
// in gc/default/default.c); all others take theirs from one number of slots,
// which counts a slot of any size as one.

// untilShared is how many objects can be allocated until that number is used up
// and a heap runs out. Empty pages go first.
func (h *fiveHeaps) untilShared() float64 {
	from := 0.0
	if h.empty > 0 {
		var out drains
		for i := range h.pools {
			if p := &h.pools[i]; p.share > 0 {
				out.add((p.again()+max(0, p.slots()-p.used))/p.share, p.share/p.perPage)
			}
		}
		from = out.spend(0, h.empty)
	}
	var out drains
	for i := range h.pools {
		if p := &h.pools[i]; p.share > 0 {
			had := max(0, from*p.share-p.again()-max(0, p.slots()-p.used)) // of empty pages
			free := p.again() + max(0, max(p.slots()+had, h.p.initSlots[i]+p.perPage/2)-p.used)
			out.add(free/p.share, p.share)
		}
	}
	if out.n == 0 {
		return math.Inf(1)
	}
	return out.spend(max(from, out.at[0]), h.slots)
}

// drains are the heaps in the order in which they run out, each with the rate at which it
// takes what all have in common from then on.
type drains struct {
	at, rate [pools]float64
	n        int
}

func (d *drains) add(at, rate float64) {
	j := d.n
	for ; j > 0 && d.at[j-1] > at; j-- {
		d.at[j], d.rate[j] = d.at[j-1], d.rate[j-1]
	}
	d.at[j], d.rate[j] = at, rate
	d.n++
}

// spend is when so much is used up of which none was taken before from.
func (d *drains) spend(from, left float64) float64 {
	all := 0.0
	for j := range d.n {
		if need := all * (d.at[j] - from); d.at[j] > from {
			if need > left {
				break
			}
			left, from = left-need, d.at[j]
		}
		all += d.rate[j]
	}
	if all == 0 {
		return from
	}
	return from + left/all
}

// draw takes the slots of new pages beyond the initial ones from the number.
func (h *fiveHeaps) draw(p *pool, pages float64, i int) {
	beyond := max(0, min(pages, (p.slots()-h.p.initSlots[i])/p.perPage))
	h.slots = max(0, h.slots-beyond*p.perPage)
}

// reserveShared adds pages: below the heap's initial slots without asking
// (heap_page_allocate_and_initialize_force), and then from the number.
func (h *fiveHeaps) reserveShared(i int, pages float64) {
	p := &h.pools[i]
	reused := h.reuse(pages)
	p.pages, pages = p.pages+reused, pages-reused
	forced := min(pages, max(0, math.Ceil((h.p.initSlots[i]-p.slots())/p.perPage)))
	drawn := min(pages-forced, math.Ceil(h.slots/p.perPage))
	h.slots = max(0, h.slots-drawn*p.perPage)
	p.pages += forced + drawn
}

// growShared is gc/default/default.c, gc_sweep_finish_heap with
// heap_allocatable_slots_expand.
func (h *fiveHeaps) growShared(i int) {
	p := &h.pools[i]
	slots := p.slots()
	swept := slots - p.live
	least := h.leastFree(i)
	if swept >= least || !h.growing(p) {
		return
	}
	if reused := h.reuse(math.Ceil((least - swept) / p.perPage)); reused > 0 {
		p.pages, slots, swept = p.pages+reused, slots+reused*p.perPage, swept+reused*p.perPage
		if swept >= least {
			return
		}
	}
	if !h.wasMajor && !h.young() {
		h.major = true
		return
	}
	if h.rules >= from40 && h.slots >= least {
		return
	}
	add := h.expand(h.p.initSlots[i], swept, slots)
	h.slots += add
	if i == 0 {
		h.late = add
	}
}

// expand is heap_allocatable_slots_expand: by how many slots to grow.
func (h *fiveHeaps) expand(initial, swept, slots float64) float64 {
	next := initial
	if slots > 0 {
		next = math.Floor(slots * h.p.growth(swept, slots))
	}
	if h.p.growthMaxSlots > 0 {
		next = min(next, slots+h.p.growthMaxSlots)
	}
	return max(1, next-slots)
}
