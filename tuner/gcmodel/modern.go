package gcmodel

import "math"

// isModern is for the interpreters from the free slots' ratios on to the last
// with one heap for all objects.
func isModern(v version, _ string) bool { return v.atLeast(2, 4) && !v.atLeast(3, 2) }

func calibrateModern(v version, logs []Log) (heap, error) {
	if v.atLeast(3, 1) {
		return calibrate(logs, oneHeapCosts, onePool)
	}
	return calibrate(logs, alignedCosts, onePool)
}

// model predicts for CRuby 2.4 and later.
type model struct {
	app         app
	rules       poolRules
	pools       *poolApp // where there are five heaps
	base        float64  // memory without pages and what the dead have
	learnt      float64  // memory of the dead of the run that base is from
	learntPages float64  // and of its pages
	requests    float64
	working     float64 // processes that do all the work
	processes   float64 // and those that have a heap of that size
	forked      bool
	inherited   float64 // memory beside its pages that a process is forked with
	tilts       []tilted
	central     int // the likeliest of tilts
	home        home
	spread      spread
	// others differ in what the logs do not tell: bounds reach as far as they do.
	others []*model
}

// leastCollections must be known of the first log: live objects are learnt from
// them. A further log may have fewer, as one of a large heap has.
const leastCollections = 3

// spread is how far predictions were from what was measured, as standard
// deviations of logarithms; pages, of those that a run has more or fewer.
type spread struct{ collections, major, memory, slots, pages float64 }

func calibrate(logs []Log, k costs, r poolRules) (heap, error) {
	runs := make([]run, len(logs))
	for i, l := range logs {
		least := 0
		if i == 0 {
			least = leastCollections
		}
		run, err := newRun(l, r, least)
		if err != nil {
			return nil, err
		}
		runs[i] = run
	}
	m := &model{app: newApp(runs[0], k), rules: r, spread: k.spread}
	m.requests, m.working, m.processes, m.forked = runs[0].requests, runs[0].working, runs[0].processes, runs[0].forked
	if r.manyHeaps() {
		var err error
		if m.pools, err = newPoolApp(runs[0], &m.app, r); err != nil {
			return nil, err
		}
	}
	m.setTilts()
	b := runs[0].perObject(k, r.manyHeaps())
	m.app.setRequestBytes(b.bytes)
	for _, run := range runs {
		m.learnBytes(run, &b)
	}
	m.learnTilts(runs[0])
	m.learnBase(runs[0])
	m.learnHome(runs[0])
	m.learnSpread(runs)
	m.others = []*model{m.withBytes(runs[0], b.least), m.withBytes(runs[0], b.most)}
	return m, nil
}

// costsKnownTo is how far the memory that more dead take may be from what the model
// says, as a standard deviation: so it was for scripts that nothing was fitted to.
const costsKnownTo = 0.25

func (m *model) memoryError(o outcome) float64 {
	return mib/2 + math.Hypot(m.spread.pages*(m.processes*o.bytes-m.learntPages), costsKnownTo*(m.memoryOfDead(o)-m.learnt))
}

func (m *model) memoryOfDead(o outcome) float64 {
	return m.processes * (o.bootDead*m.app.costs.bootMemory + o.dead*m.app.costs.memory)
}

func (m *model) pageBytes() float64 { return m.app.costs.pageBytes() }

func squared(x float64) float64 { return x * x }

// memory is that of all processes.
func (m *model) memory(o outcome) float64 {
	boot, later := o.bootDead*m.app.costs.bootMemory, o.dead*m.app.costs.memory
	if !m.forked || o.bootPages == 0 {
		return m.base + m.processes*(o.bytes+boot+later)
	}
	parent := o.bootPages * m.pageBytes()
	own := max(0, o.bytes-parent) + o.slotsWritten(parent)*parent
	beside := m.inherited + boot
	return m.base + parent + boot + m.processes*(own+o.besideWritten(beside)*beside+later)
}

// simulation is a heap that goes from collection to collection.
type simulation interface {
	step() float64
	core() *collector
	size() (pages, slots, bytes float64)
}

// mostCycles bounds the time of a prediction; what follows is taken to go on alike.
const mostCycles = 4000

// outcome is what a simulated run came to.
type outcome struct {
	minor, major        float64 // in the window
	malloc              float64 // of them, begun by malloc
	pages, slots, bytes float64 // at its end
	live                float64
	bootDead, dead      float64 // bytes
	bootPages, bootFree float64 // as it had booted; the latter are slots
	bootLeft            float64 // of them, those of dead objects yet to be freed
	nearMalloc          float64 // the most of the malloc limits that was reached
	// far is how far it is from the run that was learnt from, from 0 to 1.
	far float64
	// differ is how far the runs that it is the mean of are from each other.
	differ spread
}

func (m *model) simulation(p params) simulation {
	if m.pools != nil {
		return newFiveHeaps(&m.app, m.pools, p, m.rules)
	}
	return newOneHeap(&m.app, p)
}

func (o *outcome) figures() [11]*float64 {
	return [...]*float64{&o.minor, &o.major, &o.pages, &o.slots, &o.bytes, &o.live, &o.bootDead, &o.dead, &o.bootPages, &o.bootFree, &o.bootLeft}
}

func (o *outcome) add(other outcome, weight float64) {
	by := other.figures()
	for i, f := range o.figures() {
		*f += *by[i] * weight
	}
}

// atLeastNone makes what is negative 0.
func (o *outcome) atLeastNone() {
	for _, f := range o.figures() {
		*f = max(0, *f)
	}
}

func (m *model) runOnce(p params, tilt float64) outcome {
	s := m.simulation(p)
	c := s.core()
	c.tilt = tilt
	var o outcome
	var room float64
	for i := 0; i < mostCycles && c.a < m.app.end; i++ {
		before, dead := c.a, c.dead
		room = s.step()
		if c.a > m.app.end { // the run ends before as much has died
			c.dead = dead + max(0, c.dead-dead)*(m.app.end-before)/room
		}
		o.count(c, (min(c.a, m.app.end)-max(before, m.app.warm))/room)
	}
	o.count(c, (m.app.end-max(c.a, m.app.warm))/max(1, room))
	o.pages, o.slots, o.bytes = s.size()
	o.live, o.bootDead, o.dead = c.live, c.bootDead, c.dead
	o.bootPages, o.bootFree, o.bootLeft = c.bootPages, c.bootFree, c.bootLeft
	o.nearMalloc = c.nearMalloc
	return o
}

// count adds the part of a cycle that lies in the window.
func (o *outcome) count(c *collector, part float64) {
	if c.byMalloc {
		o.malloc += max(0, part)
	}
	if c.wasMajor {
		o.major += max(0, part)
	} else {
		o.minor += max(0, part)
	}
}
