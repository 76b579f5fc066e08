// Package explain says what the log of a run tells of its heap, and what a model of
// the collector has parameters do to it. It finds the figures; the sentences are the
// command's.
package explain

import (
	"errors"
	"slices"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// ErrNothing: a log has no process of which anything is known.
var ErrNothing = errors.New("the log has no process with a mark")

// Heap is what happened to the heap of the process that collected most.
type Heap struct {
	Ruby string
	// Processes are those that were recorded, of Ran.
	Processes, Ran int
	// Stages end at the marks, in their order.
	Stages []Stage
	// Counted is whether the interpreter told of collections at all.
	Counted bool

	process gcmodel.Process
}

// Stage is what happened up to a mark, since the one before.
type Stage struct {
	// Name is that of the mark.
	Name string
	// Requests that were answered by all processes; for the window of a program
	// that ran to its end, its work.
	Requests float64
	// Minor and Major collections; those without generations are major.
	Minor, Major Pauses
	// Unseen of all ran before the log began: nothing but their number is known, and
	// where the interpreter does not count by kind, not even that; they are Unsorted.
	Unseen, Unsorted int
	// Slots of the heap when it was over, and those that the last collection had
	// found in use; 0 where not known.
	Slots, Live float64
	// Objects that all recorded processes allocated, and Seconds of CPU time that their
	// collections took; 0 where not known.
	Objects, Seconds float64
	// RSSBytes is the process's memory when it was over; 0 where not known.
	RSSBytes int64
	// By and MajorBy count the reasons of collections, in the interpreter's words.
	By, MajorBy map[string]int
}

// Pauses are collections of one kind.
type Pauses struct {
	Count int
	// Timed of them have their CPU time, whose sum, maximum and minimum are in seconds. A
	// Ruby that tells of all together only has each at their mean.
	Timed                    int
	Total, Longest, Shortest float64
}

// Mean is the time of one of them in seconds; 0 where not known.
func (p Pauses) Mean() float64 { return p.Total / max(1, float64(p.Timed)) }

// Collections of any kind.
func (s Stage) Collections() int { return s.Minor.Count + s.Major.Count + s.Unsorted }

// HeapOf reads a log. The error is ErrNothing.
func HeapOf(log gcmodel.Log) (Heap, error) {
	h := Heap{Ruby: log.Ruby, Processes: len(log.Processes), Ran: max(log.Ran, len(log.Processes))}
	for _, p := range log.Processes {
		if len(p.Marks) > 0 && (len(h.process.Marks) == 0 || len(p.Collections) > len(h.process.Collections)) {
			h.process = p
		}
		h.Counted = h.Counted || len(p.Collections) > 0
	}
	if len(h.process.Marks) == 0 {
		return h, ErrNothing
	}
	for i, m := range h.process.Marks {
		h.Stages = append(h.Stages, stageOf(log, h.process, i))
		if last := &h.Stages[i]; m.Name == gcmodel.Window && last.Requests == 0 {
			last.Requests = log.Requests
		}
	}
	return h, nil
}

// Stage finds the stage of that name.
func (h Heap) Stage(name string) (Stage, bool) {
	at := slices.IndexFunc(h.Stages, func(s Stage) bool { return s.Name == name })
	if at < 0 {
		return Stage{}, false
	}
	return h.Stages[at], true
}

func stageOf(log gcmodel.Log, p gcmodel.Process, i int) Stage {
	mark, before := p.Marks[i], gcmodel.Mark{}
	if i > 0 {
		if before = p.Marks[i-1]; before.Stat == nil {
			before.Stat = map[string]float64{}
		}
	}
	s := Stage{Name: mark.Name, Requests: mark.Requests - before.Requests, RSSBytes: mark.RSSBytes, By: map[string]int{}, MajorBy: map[string]int{}}
	from, to := within(p, before.Collections), within(p, mark.Collections)
	for _, c := range p.Collections[min(from, to):to] {
		s.add(c)
	}
	s.count(before.Stat, mark.Stat)
	s.Slots, s.Live = sizeAt(p, mark)
	for i, other := range log.Processes {
		inherited := gcmodel.Inherited(log.Processes[:i], other)
		s.Objects += allocated(other, mark.Name, before.Name, inherited)
		s.Seconds += collecting(other, mark.Name, before.Name, inherited)
	}
	return s
}

// within is a number of collections that the log has.
func within(p gcmodel.Process, n int64) int { return int(min(max(n, 0), int64(len(p.Collections)))) }

func (s *Stage) add(c gcmodel.Collection) {
	if c.Slots == 0 {
		s.Unseen++
		s.Unsorted++
		return
	}
	kind := &s.Minor
	if c.Major {
		kind = &s.Major
	}
	kind.Count++
	if timed(c) {
		kind.Timed++
		kind.Total += c.Seconds
		kind.Longest = max(kind.Longest, c.Seconds)
		if kind.Timed == 1 || c.Seconds < kind.Shortest {
			kind.Shortest = c.Seconds
		}
	}
	if c.By != "" {
		s.By[c.By]++
	}
	if c.MajorBy != "" {
		s.MajorBy[c.MajorBy]++
	}
}

// timed is false of what is no time that a collection can take.
func timed(c gcmodel.Collection) bool { return c.Seconds > 0 && c.Seconds < 1e9 }

// count takes the numbers of both kinds from the interpreter, which has counted those
// that the log has missed, too.
func (s *Stage) count(before, now map[string]float64) {
	minor, counted := now["minor_gc_count"]
	if _, alike := before["minor_gc_count"]; !counted || before != nil && !alike {
		return
	}
	s.Unsorted = 0
	s.Minor.Count = max(0, int(minor-before["minor_gc_count"]))
	s.Major.Count = max(0, int(now["major_gc_count"]-before["major_gc_count"]))
}

// sizeAt is the heap at a mark: as the interpreter says, or else as the last
// collection found it.
func sizeAt(p gcmodel.Process, m gcmodel.Mark) (slots, live float64) {
	slots = m.Stat["heap_available_slots"]
	for _, c := range slices.Backward(p.Collections[:within(p, m.Collections)]) {
		if c.Slots > 0 {
			if slots == 0 {
				slots = float64(c.Slots)
			}
			return slots, float64(c.Live)
		}
	}
	return slots, 0
}

// collecting is the CPU time of one process's collections between two marks, without
// those that it has from another.
func collecting(p gcmodel.Process, name, before string, inherited int) float64 {
	from, to := inherited, 0
	for _, m := range p.Marks {
		switch m.Name {
		case name:
			to = within(p, m.Collections)
		case before:
			from = max(from, within(p, m.Collections))
		}
	}
	sum := 0.0
	for _, c := range p.Collections[min(from, to):to] {
		if timed(c) {
			sum += c.Seconds
		}
	}
	return sum
}

// allocated are the objects of one process between two marks: as the interpreter
// counts, or else what it took to use up the heap from collection to collection, but
// for those that it has from another.
func allocated(p gcmodel.Process, name, before string, inherited int) float64 {
	var now, then gcmodel.Mark
	for _, m := range p.Marks {
		switch m.Name {
		case name:
			now = m
		case before:
			then = m
		}
	}
	total, counted := now.Stat["total_allocated_objects"]
	earlier, also := then.Stat["total_allocated_objects"]
	if counted && (also || before == "") {
		return max(0, total-earlier)
	}
	sum := 0.0
	for i := max(inherited, within(p, then.Collections)); i < within(p, now.Collections); i++ {
		sum += filled(p.Collections, i)
	}
	return sum
}

// filled are the slots that were taken between a collection and the one before; 0
// where not known.
func filled(all []gcmodel.Collection, i int) float64 {
	c, live := all[i], int64(0)
	if i > 0 {
		if live = all[i-1].Live; all[i-1].Slots == 0 {
			return 0
		}
	}
	return max(0, float64(c.Slots-c.Free-live))
}
