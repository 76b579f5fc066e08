package probe

import "slices"

// timed reads the looks of 1.9.3, which counts no objects. What is live is told, so how many
// objects there was room for is known; and where malloc begins collections, how many were
// allocated follows from how long it took.
type timed struct {
	pages slotsPerPage
	pace  *pace
}

// pace is what is known of how fast a program allocates.
type pace struct {
	// objects in a second in which nothing is collected; took is the seconds that a
	// collection takes.
	objects, took float64
	// booted is when the program had booted: with the second report. Until then it did
	// not allocate evenly.
	booted float64
	// each is how many objects a collection has allocated before it, as a mean after
	// boot, where malloc begins them; 0 where the want of slots does.
	each float64
	// kept is the share of the objects of boot that stayed, as of the latest collection
	// for want of slots.
	kept float64
}

// pace finds how fast the program allocates after boot. Where collections come for want of
// slots it fills all that there is room for; where malloc begins them it does not, and what
// was seen before reports tells how fast it is.
func (w watch) pace(h slotsPerPage) *pace {
	p := &pace{objects: w.rate(), took: w.took(), booted: w.booted(), kept: 1}
	room, time, count := 0.0, 0.0, 0.0
	for i, l := range w[1:] {
		if before := w[i]; before.at >= p.booted {
			n := float64(l.count - before.count)
			room += n * float64(max(0, h.slots(before)-before.live))
			time += l.at - before.at - n*p.took
			count += n
		}
	}
	const nearly = 0.95
	if count > 0 && time > 0 && p.objects < nearly*room/time {
		p.each = p.objects * time / count
	}
	return p
}

// rate is objects in a second, from a collection to a report before the next one: what the
// sweep has found, less what is left. A program that waited makes one too low, a collection
// that is looked at late in its sweep makes one too high, which is found out by the room
// that there was. So it is the third quartile.
func (w watch) rate() float64 {
	var rates []float64
	for i, l := range w[1:] {
		if last := w[i]; l.report && !last.report && l.count == last.count && l.at > last.at && l.free > l.unused {
			rates = append(rates, float64(l.free-l.unused)/(l.at-last.at))
		}
	}
	if len(rates) == 0 {
		return 0
	}
	slices.Sort(rates)
	return rates[len(rates)*3/4]
}

func (t timed) between(before, after look, live int64) []swept {
	n := after.count - before.count
	if after.at <= t.pace.booted {
		return t.inBoot(before, after, live)
	}
	if t.pace.each == 0 {
		return alike(n, t.pages.slots(before), live, after.live, 0, false)
	}
	slots := t.pages.slots(after)
	objects := t.pace.objects * (after.at - before.at - float64(n)*t.pace.took)
	return alike(n, slots, live, after.live, min(int64(objects), n*max(0, slots-live)), true)
}

// inBoot goes by what stayed: of all that was allocated as large a share as of what the
// latest collection for want of slots found. Where several collections came the first was
// for want of slots. Later ones, and one with more room than malloc leaves after boot, are
// malloc's.
func (t timed) inBoot(before, after look, live int64) []swept {
	n, p := after.count-before.count, t.pace
	slots := t.pages.slots(before)
	room, stayed := float64(max(0, slots-live)), float64(max(0, after.live-live))
	malloc := p.each > 0 && room > p.each
	if n == 1 && !malloc && 0 < stayed && stayed < room {
		p.kept = stayed / room
	}
	total := stayed / p.kept
	if n == 1 && malloc {
		return alike(1, t.pages.slots(after), live, after.live, int64(total), true)
	}
	if n == 1 || total <= room {
		return alike(n, slots, live, after.live, 0, malloc)
	}
	all := alike(n, slots, live, after.live, int64(total-room)*n/(n-1), false)
	for i := range all[1:] {
		all[i+1].malloc = p.each > 0 && float64(all[i+1].objects) > p.each/2
		all[i+1].slots = min(max(slots, all[i].live+all[i+1].objects), t.pages.slots(after))
	}
	return all
}
