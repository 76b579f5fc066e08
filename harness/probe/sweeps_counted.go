package probe

// counted reads the looks of 2.0, which counts the objects that it has allocated and
// freed. As a collection begins all that is not yet freed is in use: what has been freed when
// it has swept, with what is live then, is all that was allocated before it.
type counted struct {
	pages slotsPerPage
	// booted is the time of the second report.
	booted float64
}

func (c counted) between(before, after look, live int64) []swept {
	left := c.live(before, after)
	objects := max(0, after.freed+left-before.freed-live)
	n := after.count - before.count
	malloc := !c.ranOut(before, after, live, objects/n)
	slots := c.pages.slots(before)
	if malloc {
		slots = c.pages.slots(after)
	}
	all := alike(n, max(slots, live+objects/n), live, left, objects, malloc)
	if room := max(1, c.pages.slots(before)-live); malloc && n > 1 && c.grown(before, after) && room < objects {
		all[0].malloc, all[0].slots = false, c.pages.slots(before)
		for i := range all[1:] {
			all[i+1].objects = (objects - room) / (n - 1)
		}
	}
	return all
}

// grown says that the heap has grown as it does where slots run out.
func (c counted) grown(before, after look) bool {
	const much = 1.3
	return float64(after.pages) > much*float64(before.pages)
}

// live are the slots in use when all is swept. What was found free does not include pages
// that were added meanwhile, so that it can be of the heap as it was.
func (c counted) live(before, after look) int64 {
	left := c.pages.slots(after) - after.free
	if slight := after.live / 50; left > after.live+slight {
		left = c.pages.slots(before) - after.free
	}
	return max(0, min(left, after.live))
}

// ranOut says that a collection began for want of slots. A sweep that goes on as slots run
// out leaves none empty but those of a page. While a program is read it does, too, since the
// parser gives slots back itself (rb_gc_force_recycle); there all that was free had been
// used up.
func (c counted) ranOut(before, after look, live, objects int64) bool {
	slots := c.pages.slots(after)
	if slots-after.live < after.free/2 {
		return true
	}
	const nearly = 0.97
	return after.at <= c.booted && float64(objects) >= nearly*float64(slots-live)
}
