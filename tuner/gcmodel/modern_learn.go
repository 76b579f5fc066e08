package gcmodel

import (
	"fmt"
	"math"
)

// run is one of the runs to learn from.
type run struct {
	trace               *trace
	params              params
	memory              float64
	seen                float64 // collections of one process in the window, on average
	requests, processes float64
	forked              bool
}

func newRun(l Log, perHeap bool, least int) (run, error) {
	if len(l.Processes) == 0 {
		return run{}, fmt.Errorf("the log has no process: %w", ErrTooLittle)
	}
	t, err := newTrace(l.Processes[0], perHeap, least)
	if err != nil {
		return run{}, err
	}
	boot := t.marks[0]
	shares := boot.PSSBytes == 0 || float64(boot.PSSBytes) < 0.75*float64(boot.RSSBytes)
	return run{t, paramsOf(l.Setting, perHeap), finite(l.MemoryBytes), seen(l),
		max(1, finite(l.Requests)), float64(len(l.Processes)), len(l.Processes) > 1 && shares}, nil
}

// seen are the collections of one process in the window, on average over those
// that tell.
func seen(l Log) float64 {
	sum, n := 0.0, 0.0
	for _, p := range l.Processes {
		if marks, err := threeMarks(p.Marks); err == nil {
			sum, n = sum+max(0, float64(marks[2].Collections-marks[1].Collections)), n+1
		}
	}
	return sum / max(1, n)
}

// withBytes is the model if the bytes beside slots were others.
func (m *model) withBytes(r run, bytes float64) *model {
	other := *m
	other.app.setRequestBytes(bytes)
	other.learnBase(r)
	return &other
}

// learnBytes finds the bytes beside the slots with which the model has as many
// collections as a run of which malloc began some.
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
		if o := m.runOnce(r.params, 0); o.minor+o.major < float64(t.iEnd-t.iWarm) {
			low = middle
		} else {
			high = middle
		}
	}
	b.guess = false
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
