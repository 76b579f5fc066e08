package gcmodel

import "math"

// From 3.4 on a heap below its initial slots always gets a page (heap_prepare,
// in gc/default/default.c); all others take theirs from one number of slots,
// which counts a slot of any size as one.

// untilShared is how many objects can be allocated until that number is used up
// and a heap runs out.
func (h *fiveHeaps) untilShared() float64 {
	var at, share [pools]float64
	n := 0
	for i := range h.pools {
		p := &h.pools[i]
		if p.share <= 0 {
			continue
		}
		free := p.again() + max(0, max(p.slots(), h.p.initSlots[i]+p.perPage/2)-p.used)
		// Insertion by the time at which it runs out.
		j := n
		for ; j > 0 && at[j-1] > free/p.share; j-- {
			at[j], share[j] = at[j-1], share[j-1]
		}
		at[j], share[j] = free/p.share, p.share
		n++
	}
	left, rate := h.slots, 0.0
	for j := range n {
		if j > 0 {
			if need := rate * (at[j] - at[j-1]); need > left {
				return at[j-1] + left/rate
			} else {
				left -= need
			}
		} else if left <= 0 {
			return at[0]
		}
		rate += share[j]
	}
	if n == 0 {
		return math.Inf(1)
	}
	return at[n-1] + left/rate
}

// draw takes the slots of pages beyond the initial ones from the number.
func (h *fiveHeaps) draw(p *pool, pages float64, i int) {
	beyond := max(0, min(pages, (p.slots()-h.p.initSlots[i])/p.perPage))
	h.slots = max(0, h.slots-beyond*p.perPage)
}

// reserveShared adds pages: below the heap's initial slots without asking
// (heap_page_allocate_and_initialize_force), and then from the number.
func (h *fiveHeaps) reserveShared(i int, pages float64) {
	p := &h.pools[i]
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
	if swept >= math.Floor(max(slots, h.p.initSlots[i])*h.p.minRatio) || !h.growing(p) {
		return
	}
	if !h.wasMajor && !h.young() {
		h.major = true
		return
	}
	next := h.p.initSlots[i]
	if slots > 0 {
		next = math.Floor(slots * h.p.growth(swept, slots))
	}
	if h.p.growthMaxSlots > 0 {
		next = min(next, slots+h.p.growthMaxSlots)
	}
	add := max(1, next-slots)
	h.slots += add
	if i == 0 {
		h.late = add
	}
}
