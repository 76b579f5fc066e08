package gcmodel

// untold guesses what 3.2 does not tell: how many objects of each heap live, and how many
// were allocated up to each mark. A heap has taken as many pages as it ever needed: what
// does not live in them was allocated from one collection to the next, and of all garbage
// each heap has the share that it has there. Most of what lives was made in boot.
func (t *trace) untold(p params, a *app) (n [3][pools]float64, live [pools]float64, told bool) {
	live = t.mayLive(p, a.live.at(a.end))
	var dies [3][pools]float64
	for m := range t.marks {
		for i := range pools {
			h := t.marks[m].Heaps[i]
			slots := finite(h["heap_eden_slots"])
			lastPage := slots / max(1, finite(h["heap_eden_pages"])) / 2 // is half full
			dies[m][i] = max(0, slots-lastPage-live[i])
		}
	}
	boot, later := shares(dies[0]), shares(dies[2])
	for i := range pools {
		n[0][i] = live[i] + boot[i]*max(0, t.boot-a.live.at(a.boot))
		n[1][i] = n[0][i] + later[i]*(t.warm-t.boot)
		n[2][i] = n[1][i] + later[i]*(t.end-t.warm)
	}
	live[0] = 0
	return n, live, dies[2][0] > 0
}

// mayLive is how many objects of each heap live at the end, of so many. What a heap may
// grow to tells it: after each collection its initial slots may be free (keepInitial),
// and after one that let it grow, the goal's share. The first heap has the rest.
func (t *trace) mayLive(p params, all float64) (live [pools]float64) {
	for i := pools - 1; i >= 0; i-- {
		h := t.marks[2].Heaps[i]
		slots := finite(h["heap_eden_slots"])
		live[i] = min(slots, all)
		if i > 0 {
			most := slots * (1 + finite(h["heap_allocatable_pages"])/max(1, finite(h["heap_eden_pages"])))
			live[i] = max(0, min(live[i], most-p.initSlots[i], most*(1-p.goalRatio)))
		}
		all -= live[i]
	}
	return live
}
