package gcmodel

import (
	"fmt"
	"math"
)

// run is one of the runs to learn from.
type run struct {
	trace              *trace
	params             params
	memory             float64
	seen               float64 // collections in the window, of a process that works as the first
	requests           float64
	working, processes float64 // that work as much as the first, and that are as large
	forked             bool
}

func newRun(l Log, r poolRules, least int) (run, error) {
	if len(l.Processes) == 0 {
		return run{}, fmt.Errorf("the log has no process: %w", ErrTooLittle)
	}
	t, err := newTrace(l.Processes[0], r.manyHeaps(), least)
	if err != nil {
		return run{}, err
	}
	boot := t.marks[0]
	shares := boot.PSSBytes == 0 || float64(boot.PSSBytes) < 0.75*float64(boot.RSSBytes)
	working, grown := alike(l)
	return run{t, paramsOf(l.Setting, r), finite(l.MemoryBytes), seen(l, working),
		max(1, finite(l.Requests)), working, grown, len(l.Processes) > 1 && shares}, nil
}

// alike is how many processes that work as much as the first one do the work of all,
// and how many of its size have the memory of all. Where clients are few, one worker
// of a cluster may answer nearly all requests. The others stay what they were forked
// as, which no setting changes by much; one that does half as much has its heap filled.
func alike(l Log) (working, grown float64) {
	const fills = 0.5
	first := worked(l.Processes[0])
	if first <= 0 {
		return float64(len(l.Processes)), float64(len(l.Processes))
	}
	for _, p := range l.Processes {
		share := max(0, worked(p)/first)
		working += min(1, share)
		grown += min(1, share/fills)
	}
	return working, grown
}

// worked is how many objects a process has allocated from its first mark to its last.
func worked(p Process) float64 {
	if len(p.Marks) == 0 {
		return 0
	}
	total := func(m Mark) float64 { return finite(m.Stat["total_allocated_objects"]) }
	return total(p.Marks[len(p.Marks)-1]) - total(p.Marks[0])
}

// seen are the collections in the window, of a process of which so many do the work.
func seen(l Log, working float64) float64 {
	sum := 0.0
	for _, p := range l.Processes {
		last := len(p.Marks) - 1
		for i := last; i > 0; i-- {
			if p.Marks[i].Name == Window {
				sum += max(0, float64(p.Marks[i].Collections-p.Marks[i-1].Collections))
				break
			}
		}
	}
	return sum / working
}

// withBytes is the model if the bytes beside slots were others.
func (m *model) withBytes(r run, bytes float64) *model {
	other := *m
	other.app.setRequestBytes(bytes)
	other.learnBase(r)
	return &other
}

// learnBytes finds the bytes beside the slots with which malloc begins as many
// collections of the model as of a run of which it began some.
func (m *model) learnBytes(r run, b *perObject) {
	t := r.trace
	malloc := 0
	for _, c := range t.cycles[t.iWarm:t.iEnd] {
		if c.malloc {
			malloc++
		}
	}
	if malloc == 0 || !b.guess && malloc < 3 {
		return
	}
	low, high := 0.0, math.Log(mostBytes)
	for range 12 {
		middle := (low + high) / 2
		m.app.setRequestBytes(math.Exp(middle))
		if o := m.runOnce(r.params, 0); o.malloc < float64(malloc) {
			low = middle
		} else {
			high = middle
		}
	}
	b.guess = false
	if most := slack * r.grown(m.app.costs); m.app.request > most {
		m.app.setRequestBytes(most)
	}
	b.set(m.app.request, toldByMalloc, mostBytes)
}

// learnBase takes from a run's memory what the model knows of it.
func (m *model) learnBase(r run) {
	o := m.runOnce(r.params, m.tilts[m.central].tilt)
	o.dead = r.trace.dead(&m.app, o.dead)
	o.bytes = finite(r.trace.marks[2].Stat["heap_allocated_pages"]) * m.pageBytes()
	m.learnInherited(r, o)
	m.base = 0
	m.base = max(0, r.memory-m.memory(o))
	m.learnt = m.memoryOfDead(o)
	m.learntPages = m.processes * o.bytes
}

// learnSpread widens the bounds by what the model misses of the runs at hand, as
// if what was found elsewhere were from four.
func (m *model) learnSpread(runs []run) {
	const before = 4
	c2, m2 := 0.0, 0.0
	for _, r := range runs {
		o, _ := m.run(r.params)
		n := float64(r.trace.iEnd - r.trace.iWarm)
		c2 += squared(math.Log((o.minor + o.major + 1) / (n + 1)))
		if r.memory > 0 {
			m2 += squared(math.Log(max(1, m.memory(o)) / r.memory))
		}
	}
	n := before + float64(len(runs))
	s := m.spread
	m.spread.collections = max(s.collections, math.Sqrt((before*squared(s.collections)+c2)/n))
	m.spread.memory = max(s.memory, math.Sqrt((before*squared(s.memory)+m2)/n))
}
