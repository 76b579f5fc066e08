package gcmodel

import "math"

// In 3.2 one number of initial slots holds for all heaps.

// bootPages are those that Ruby has used when it reads its settings.
var bootPages = [pools]float64{6, 1, 2, 0, 0}

// init32 is gc.c of 3.2, Init_heap and gc_set_initial_pages: the first heap has its
// default of slots at once, the others may grow to it. A setting is what each may grow to
// from 3.2.1 on. In 3.2.0 the pages of so many slots are taken at once: a fifth of those
// that are lacking goes to each heap, and the rest to the first.
func (h *fiveHeaps) init32(i int) {
	const byDefault, used = 10000, 9
	p, size := &h.pools[i], float64(int(1)<<i)
	if i == 0 {
		p.pages = bootPages[0]
	}
	lacking := math.Floor(h.p.initSlots[i]/poolPageSlots) - used
	switch {
	case h.p.initGiven && h.rules == from320 && lacking >= 0:
		p.pages = bootPages[i] + math.Floor(lacking/pools)
		if i == 0 {
			p.pages += math.Mod(lacking, pools)
		}
	case h.p.initGiven && h.rules == from321:
		p.spare = max(0, math.Floor((h.p.initSlots[i]-p.slots())*size/poolPageSlots))
	case i > 0:
		p.spare = math.Floor(byDefault * size / poolPageSlots)
	}
}

// keepInitial is the part of gc.c of 3.2, gc_sweep_finish_size_pool that lets a heap have
// its initial slots free after each collection, unless its least share of free ones is
// more.
func (h *fiveHeaps) keepInitial(i int, swept float64) {
	p, initial := &h.pools[i], h.p.initSlots[i]
	if h.leastFree(i) < initial && swept < initial {
		p.spare = max(p.spare, math.Ceil((initial-swept)*float64(int(1)<<i)/poolPageSlots))
	}
}
