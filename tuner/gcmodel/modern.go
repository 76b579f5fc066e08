package gcmodel

// isModern is for the interpreters from the free slots' ratios on to the last
// with one heap for all objects.
func isModern(v version, _ string) bool { return v.atLeast(2, 4) && !v.atLeast(3, 2) }

func calibrateModern(_ version, logs []Log) (heap, error) { return calibrate(logs, false, false) }

// model predicts for CRuby 2.4 and later.
type model struct {
	app      app
	pools    *poolApp // where there are five heaps
	shared   bool
	base     float64 // memory without pages and what the dead have
	requests float64
}

func calibrate(logs []Log, perHeap, shared bool) (heap, error) {
	l := logs[0]
	if len(l.Processes) == 0 {
		return nil, ErrTooLittle
	}
	t, err := newTrace(l.Processes[0], perHeap)
	if err != nil {
		return nil, err
	}
	k, page := oneHeapCosts, float64(pageBytes)
	if perHeap {
		k, page = fiveHeapsCosts, poolPageBytes
	}
	p := paramsOf(l.Setting, perHeap)
	m := &model{app: newApp(t, p, k), shared: shared, requests: max(1, l.Requests)}
	if perHeap {
		if m.pools, err = newPoolApp(t, &m.app); err != nil {
			return nil, err
		}
	}
	o := m.run(p)
	o.dead = t.dead(&m.app, o.dead)
	pages := finite(t.marks[2].Stat["heap_allocated_pages"])
	m.base = max(0, finite(l.MemoryBytes)-pages*page-m.deadBytes(o))
	return m, nil
}

// simulation is a heap that goes from collection to collection.
type simulation interface {
	step() float64
	core() *collector
	size() (pages, slots, bytes float64)
}

const mostCycles = 20000

// outcome is what a simulated run came to.
type outcome struct {
	minor, major        float64 // in the window
	pages, slots, bytes float64 // at its end
	live                float64
	bootDead, dead      float64 // bytes
}

func (m *model) deadBytes(o outcome) float64 {
	return o.bootDead*m.app.costs.bootMemory + o.dead*m.app.costs.memory
}

func (m *model) simulation(p params) simulation {
	if m.pools != nil {
		return newFiveHeaps(&m.app, m.pools, p, m.shared)
	}
	return newOneHeap(&m.app, p)
}

func (m *model) run(p params) outcome {
	s := m.simulation(p)
	c := s.core()
	var o outcome
	for i := 0; i < mostCycles && c.a < m.app.end; i++ {
		before, dead := c.a, c.dead
		room := s.step()
		if c.a > m.app.end { // the run ends before as much has died
			c.dead = dead + max(0, c.dead-dead)*(m.app.end-before)/room
		}
		if in := min(c.a, m.app.end) - max(before, m.app.warm); in > 0 {
			share := in / room
			if c.wasMajor {
				o.major += share
			} else {
				o.minor += share
			}
		}
	}
	o.pages, o.slots, o.bytes = s.size()
	o.live, o.bootDead, o.dead = c.live, c.bootDead, c.dead
	return o
}

func (m *model) predict(setting map[string]string) Prediction {
	o := m.run(paramsOf(setting, m.pools != nil))
	per := 1000 / m.requests
	return Prediction{
		MinorPer1000:       within(o.minor*per, 0.1, per),
		MajorPer1000:       within(o.major*per, 0.2, per),
		CollectionsPer1000: within((o.minor+o.major)*per, 0.1, per),
		Slots:              within(o.slots, 0.05, slotsPerPage),
		Live:               within(o.live, 0.02, 1000),
		MemoryBytes:        within(m.base+o.bytes+m.deadBytes(o), 0.03, mib),
	}
}
