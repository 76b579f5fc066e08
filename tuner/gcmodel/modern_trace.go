package gcmodel

import (
	"fmt"
	"math"
	"slices"
)

// trace is a process's log on the axis of the model: objects allocated since the
// process began. Collections are as in the log; times are of their beginning.
type trace struct {
	cycles []cycle
	// Objects allocated at the marks, and cycles that were over.
	boot, warm, end    float64
	iBoot, iWarm, iEnd int
	missing            int64   // collections before the first recorded one
	marks              [3]Mark // boot, warm-up, window
}

// cycle is a collection with what went before it.
type cycle struct {
	at          float64 // objects allocated when it began
	room        float64 // objects allocated since the one before
	slots       float64
	live        float64
	known       bool // whether live is
	major       bool
	malloc      bool
	asked       bool // by the program, or C code of its
	byOldMalloc bool
	minors      int // since the last major one, this one included
	seconds     float64
}

func newTrace(p Process, perHeap bool, least int) (*trace, error) {
	t := &trace{cycles: cyclesOf(p.Collections)}
	known := 0
	for _, c := range t.cycles {
		if c.known {
			known++
		}
	}
	if known < least {
		return nil, fmt.Errorf("%d collections are known, fewer than %d: %w", known, least, ErrTooLittle)
	}
	if err := t.setMarks(p.Marks); err != nil {
		return nil, err
	}
	if least > 0 && t.iEnd == t.iWarm {
		return nil, fmt.Errorf("the window has no collection: %w", ErrTooLittle)
	}
	if perHeap {
		t.countSlots()
	}
	t.spread(perHeap)
	return t, nil
}

func cyclesOf(collections []Collection) []cycle {
	cycles := make([]cycle, 0, len(collections))
	minors, live, slots := 0, 0.0, 0.0
	for _, c := range collections {
		minors++
		if c.Major {
			minors = 0
		}
		// The last is not swept yet, and a major one that marks little by little frees
		// what was allocated meanwhile: then the count of live slots is nonsense.
		known := c.Live > 0 && c.Live <= c.Slots
		if known {
			live = float64(c.Live)
		}
		room := max(0, float64(c.Slots)-live)
		if c.Slots > 0 {
			slots = float64(c.Slots)
		}
		if n := len(cycles); n > 0 {
			room = max(0, slots-cycles[n-1].live)
		}
		cycles = append(cycles, cycle{room: room, slots: slots, live: live, known: known, major: c.Major,
			malloc: c.By == "malloc", asked: asks(c.By), byOldMalloc: c.MajorBy == "oldmalloc", minors: minors, seconds: max(0, finite(c.Seconds))})
	}
	return cycles
}

// asks says whether the program itself started a collection: gc_info_decode of gc.c
// has the words.
func asks(by string) bool { return by == "method" || by == "capi" || by == "stress" }

// threeMarks are boot, warm-up and window.
func threeMarks(marks []Mark) (three [3]Mark, err error) {
	for i, name := range []string{Boot, Warmup, Window} {
		at := slices.IndexFunc(marks, func(m Mark) bool { return m.Name == name })
		switch {
		case at >= 0:
			three[i] = marks[at]
		case i == 1:
			three[i] = three[0]
		default:
			return three, fmt.Errorf("the log has no mark %q: %w", name, ErrTooLittle)
		}
	}
	return three, nil
}

// setMarks finds the marks. What began before the first recorded collection is
// missing from the log, but counted by the interpreter.
func (t *trace) setMarks(marks []Mark) error {
	var err error
	if t.marks, err = threeMarks(marks); err != nil {
		return err
	}
	t.missing = max(0, t.marks[2].Collections-int64(len(t.cycles)))
	over := func(i int) int { return int(min(max(t.marks[i].Collections-t.missing, 0), int64(len(t.cycles)))) }
	t.iBoot, t.iWarm, t.iEnd = over(0), over(1), over(2)
	if t.iBoot > t.iWarm || t.iWarm > t.iEnd {
		return fmt.Errorf("the marks of the log are not in their order: %w", ErrTooLittle)
	}
	return nil
}

// spread places the collections on the axis. A collection that slots ran out for
// was preceded by as many objects as there were free slots; before one that malloc
// or the program began it may have been any number, which the marks' totals leave open for all of
// them together.
func (t *trace) spread(scaled bool) {
	total := func(i int) float64 { return max(0, finite(t.marks[i].Stat["total_allocated_objects"])) }
	t.boot = total(0)
	t.warm = max(t.boot, total(1))
	t.end = max(t.warm, total(2))
	from, at := 0, 0.0
	for _, segment := range []struct {
		to    int
		total float64
	}{{t.iBoot, t.boot}, {t.iWarm, t.warm}, {t.iEnd, t.end}} {
		if scaled {
			at = t.scaleUntil(from, segment.to, at, segment.total)
		} else {
			at = t.spreadUntil(from, segment.to, at, segment.total)
		}
		from = segment.to
	}
	if t.end == 0 { // no totals: what the slots tell
		t.boot, t.warm, t.end = t.reached(t.iBoot), t.reached(t.iWarm), t.reached(t.iEnd)
	}
}

// spreadUntil places cycles [from, to), the first of which follows a collection
// at `at`, and which are to end before total objects are allocated.
func (t *trace) spreadUntil(from, to int, at, total float64) float64 {
	if from == to {
		return at
	}
	if from == 0 {
		t.start(to, total)
	}
	known, open := 0.0, 0
	for i := from; i < to; i++ {
		if t.open(i) {
			open++
		} else {
			known += t.cycles[i].room
		}
	}
	scale, rest := 1.0, 0.0
	switch next := t.after(to); {
	case total == 0:
	case open > 0:
		rest = max(0, total-at-known-next/2) / float64(open)
	case known > 0: // the mark lies between this and the next
		scale = (min(total, max(at+known, total-next)) - at) / known
	}
	for i := from; i < to; i++ {
		c := &t.cycles[i]
		if c.room *= scale; total > 0 && t.open(i) {
			c.room = rest
		}
		at += c.room
		c.at = at
	}
	return at
}

// open says whether what was allocated before a collection is not told by its
// slots.
func (t *trace) open(i int) bool { return (t.cycles[i].malloc || t.cycles[i].asked) && i > 0 }

// after is what is allocated before a collection that follows a mark.
func (t *trace) after(i int) float64 {
	if i >= len(t.cycles) || t.open(i) {
		return 0
	}
	return t.cycles[i].room
}

// start places the first collections. Before the very first one all slots are
// free; those that are not recorded free few, as code that is loaded stays.
func (t *trace) start(to int, total float64) {
	const freed = 0.15
	first := 0
	for first < to-1 && !t.cycles[first].known {
		first++
	}
	missing := float64(first) + float64(t.missing)
	at := t.cycles[first].slots * (1 + freed*missing)
	if total > 0 {
		at = min(at, total)
	}
	for i := range first + 1 {
		t.cycles[i].room = at / float64(first+1)
	}
}

// countSlots: the interpreters with five heaps count all pages as if they were of
// the smallest slots, and a log may have that. How many slots there are is known at the
// marks.
func (t *trace) countSlots() {
	s := t.marks[2].Stat
	pages := finite(s["heap_allocated_pages"])
	if pages == 0 {
		return
	}
	share := finite(s["heap_available_slots"]) / pages / poolPageSlots
	if last := t.lastSlots(); last < pages*poolPageSlots*math.Sqrt(share) {
		share = 1
	}
	live := 0.0
	for i := range t.cycles {
		c := &t.cycles[i]
		c.slots *= share
		c.room = max(1, c.slots-live)
		if live = c.live; !c.known {
			live = c.slots / 2
		}
	}
}

// lastSlots are those of the last collection before the end that is known.
func (t *trace) lastSlots() float64 {
	for i := t.iEnd - 1; i >= 0; i-- {
		if t.cycles[i].known {
			return t.cycles[i].slots
		}
	}
	return 0
}

// scaleUntil is spreadUntil where slots of one heap are left while another runs
// out: the free slots tell only how the cycles compare.
func (t *trace) scaleUntil(from, to int, at, total float64) float64 {
	if from == to {
		return at
	}
	sum := 0.0
	for i := from; i < to; i++ {
		sum += t.cycles[i].room
	}
	if to < len(t.cycles) {
		sum += t.cycles[to].room / 2
	}
	if from == 0 { // what began before the first one recorded
		sum += t.cycles[0].room * float64(t.missing) / 2
	}
	scale := 1.0
	if total > at {
		scale = (total - at) / sum
	}
	if from == 0 {
		at += scale * t.cycles[0].room * float64(t.missing) / 2
	}
	for i := from; i < to; i++ {
		c := &t.cycles[i]
		c.room *= scale
		at += c.room
		c.at = at
	}
	return at
}

func (t *trace) reached(over int) float64 {
	if over == 0 {
		return 0
	}
	return t.cycles[over-1].at
}
