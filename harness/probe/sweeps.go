package probe

import "strconv"

// Ruby 1.9.3 and 2.0 tell of a collection while it is swept, and not why it ran: the
// probe has them look then, and again at each report. All of gc.c: a sweep goes on as
// slots run out (gc_lazy_sweep, gc_prepare_free_objects), and where malloc has begun the
// collection all is swept at once (garbage_collect, gc_sweep).

// look is the heap at one moment.
type look struct {
	count, pages int64
	live         int64 // 1.9.3: marked by the latest collection; 2.0: allocated and not freed
	free         int64 // found or added since the sweep began
	// allocated and freed are objects since the start; below 0 where they are not counted.
	allocated, freed int64
	at               float64 // seconds
	// A report knows how many slots the pages have, how many of them are empty, and the
	// collector's time.
	report        bool
	total, unused int64
	seconds       float64
}

// watch are the looks of a process, in the order of time.
type watch []look

// line reads one line; it reports whether it was of a look.
func (w *watch) line(fields []string) bool {
	if len(fields) < 8 || fields[0] != "seen" && fields[0] != "now" {
		return false
	}
	l := look{
		count: min(number(fields[1]), mostLogged), pages: number(fields[2]), live: number(fields[3]), free: number(fields[4]), allocated: -1, freed: -1,
		at: seconds(fields[7]), report: fields[0] == "now",
	}
	if fields[5] != "-1" {
		l.allocated, l.freed = number(fields[5]), number(fields[6])
	}
	if l.report {
		if len(fields) < 11 {
			return false
		}
		l.total, l.unused, l.seconds = number(fields[8]), number(fields[9]), seconds(fields[10])
	}
	*w = append(*w, l)
	return true
}

func seconds(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x < 1e12) {
		return 0
	}
	return x
}

// collections are those up to the last report, which is given, too. Of those before the
// first look nothing is known. Where two or more came between looks they are taken to be alike.
func (w watch) collections() ([]Collection, look) {
	w = w.ordered().reported()
	h, found := w.pages(), make([]Collection, w[0].count)
	took, live := w.took(), w[0].live
	between := timed{h, w.pace(h)}.between
	if w[0].allocated >= 0 {
		between = counted{h, w.booted()}.between
	}
	before := w[0]
	for _, l := range w[1:] {
		if l.count == before.count {
			before.pages = l.pages
			continue
		}
		for _, s := range between(before, l, live) {
			found = append(found, h.collection(s, live, took))
			live = s.live
		}
		before = l
	}
	return found, w[len(w)-1]
}

// swept is what is known of a collection.
type swept struct {
	slots, live int64 // of the heap as it began; in use as all was swept
	objects     int64 // allocated since the one before
	malloc      bool  // began it
}

func (h slotsPerPage) collection(s swept, live int64, took float64) Collection {
	c := Collection{Slots: max(s.slots, s.live), Live: s.live, Seconds: took, Major: true, By: bySlots}
	if s.malloc {
		c.By, c.Free = byMalloc, max(1, c.Slots-live-max(1, s.objects))
	}
	return c
}

// Ruby's words for what begins a collection.
const bySlots, byMalloc = "newobj", "malloc"

// alike are n collections that share the objects, and what has come to stay.
func alike(n, slots, live, last, objects int64, malloc bool) []swept {
	all := make([]swept, n)
	for i := range n {
		all[i] = swept{slots: slots, live: live + (last-live)*(i+1)/n, objects: objects / n, malloc: malloc}
	}
	return all
}

// took is the mean of the collections' seconds.
func (w watch) took() float64 {
	first, last := w[0], w[len(w)-1]
	if last.count <= first.count {
		return 0
	}
	return max(0, last.seconds-first.seconds) / float64(last.count-first.count)
}

// ordered leaves out what cannot come after what is before it.
func (w watch) ordered() watch {
	kept := w[:1:1]
	for _, l := range w[1:] {
		if last := kept[len(kept)-1]; l.count >= last.count && l.at >= last.at && l.pages > 0 {
			kept = append(kept, l)
		}
	}
	return kept
}

// booted is the time of the second report.
func (w watch) booted() float64 {
	reports := 0
	for _, l := range w {
		if l.report {
			reports++
		}
		if reports == 2 {
			return l.at
		}
	}
	return w[len(w)-1].at
}

// reported ends with the last report: looks behind it came while it was written.
func (w watch) reported() watch {
	for i := len(w) - 1; i > 0; i-- {
		if w[i].report {
			return w[:i+1]
		}
	}
	return w
}

// slotsPerPage is their mean number: a page has one less where its first slot begins late.
type slotsPerPage float64

func (w watch) pages() slotsPerPage {
	const usual = 408
	var pages, slots int64
	for _, l := range w {
		if l.report {
			pages, slots = pages+l.pages, slots+l.total
		}
	}
	if pages == 0 || slots < pages {
		return usual
	}
	return slotsPerPage(float64(slots) / float64(pages))
}

func (h slotsPerPage) slots(l look) int64 { return int64(float64(h) * float64(l.pages)) }
