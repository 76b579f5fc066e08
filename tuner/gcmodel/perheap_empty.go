package gcmodel

import "math"

// From 4.0 on a sweep takes the pages that nothing lives in from their heap, and any heap
// may have them (gc/default/default.c, gc_sweep_step and heap_page_resurrect).

// touch notes which pages have something that lives, as the program boots: all that were
// used for it, of a heap in which anything lives. What dies later does so in pages that are
// taken later.
func (h *fiveHeaps) touch() {
	for i := range h.pools {
		p, most := &h.pools[i], math.Inf(1)
		if i > 0 {
			most = h.of.live[i]
		}
		p.touched = max(p.touched, min(math.Ceil(p.used/p.perPage), most))
	}
}

// release takes its empty pages from each heap as it is swept. All heaps are swept step
// by step, at the same time: those with few free slots are over before most empty pages
// of others are found.
func (h *fiveHeaps) release() {
	if h.a < h.app.boot {
		h.touch()
	}
	order, steps := [pools]int{}, [pools]float64{}
	for i := range h.pools {
		p := &h.pools[i]
		kept := min(p.pages, math.Ceil(max(p.touched, p.live/p.perPage)))
		steps[i] = math.Ceil(max(0, kept*p.perPage-p.live) / (freeStep + keptStep))
		j := i
		for ; j > 0 && steps[order[j-1]] > steps[i]; j-- {
			order[j] = order[j-1]
		}
		order[j] = i
	}
	for _, i := range order {
		p := &h.pools[i]
		kept := min(p.pages, math.Ceil(max(p.touched, p.live/p.perPage)))
		p.unused = max(0, p.slots()-p.inUse) // empty pages are used first (heap_add_freepage)
		h.empty += p.pages - kept
		p.pages = kept
		p.used = min(p.used, p.slots())
		h.growShared(i)
	}
}

// giveBack is gc_marks_finish with heap_pages_free_unused_pages: empty pages are given
// back when all is swept, where more than a share of the slots is free.
func (h *fiveHeaps) giveBack(total, live float64) {
	most := math.Floor(total * h.p.maxRatio)
	initial := 0.0
	for _, n := range h.p.initSlots {
		initial += n
	}
	if pages, _, _ := h.sizeNow(); h.app.warm < h.a && h.a <= h.app.end {
		h.most = max(h.most, pages)
	}
	freeable := math.Floor(max(0, total-live-max(most, initial)) / poolPageSlots)
	h.empty -= min(h.empty, freeable)
}

// reuse gives a heap up to so many of the empty pages. What the dead had beside their
// slots was freed when these pages were found, all at once: slots of theirs are as new
// ones for the malloc limits.
func (h *fiveHeaps) reuse(pages float64) float64 {
	pages = min(pages, h.empty)
	h.empty -= pages
	return pages
}

// reusedBy takes what x objects need of the empty pages, and says what share that is of
// the pages that they need. All heaps have of them at the same time.
func (h *fiveHeaps) reusedBy(x float64) float64 {
	if h.empty == 0 {
		return 0
	}
	need := 0.0
	for i := range h.pools {
		p := &h.pools[i]
		used := p.used + max(0, p.share*x-p.again())
		need += max(0, math.Ceil((used-p.slots())/p.perPage-1e-6))
	}
	return h.reuse(need) / max(1, need)
}
