package gcmodel

import "math"

func isModern(v version, _ string) bool { return v.atLeast(2, 4) && !v.atLeast(3, 2) }

// modern predicts for CRuby 2.4 to 3.1, whose heap is of slots of one size.
type modern struct {
	app      app
	base     float64 // memory without pages and garbage
	requests float64
	scale    float64 // processes
}

func calibrateModern(_ version, logs []Log) (heap, error) {
	l := logs[0]
	t, err := newTrace(l.Processes[0])
	if err != nil {
		return nil, err
	}
	m := &modern{app: newApp(t, l), requests: math.Max(1, l.Requests), scale: float64(len(l.Processes))}
	o := m.run(paramsOf(l.Setting, false))
	pages := finite(t.marks[2].Stat["heap_allocated_pages"])
	m.base = math.Max(0, finite(l.MemoryBytes)-pages*pageBytes-o.garbageBytes)
	return m, nil
}

// Memory that the dead's bytes take, fragments included, and the share of what is
// allocated in boot that is kept: measured on Rails applications.
const (
	memoryPerByteAtBoot = 1.5
	memoryPerByte       = 0.95
	keptBytes           = 0.3
)

// outcome is what a simulated run came to.
type outcome struct {
	minor, major, seconds      float64 // in the window
	pages, live                float64 // at its end
	garbageBytes               float64
	bootGarbage, windowGarbage float64
}

func (m *modern) run(p params) outcome {
	h := newOneHeap(&m.app, p)
	var o outcome
	for i := 0; i < mostCycles && h.a < m.app.end; i++ {
		before := h.a
		room := h.step()
		in := math.Min(h.a, m.app.end) - math.Max(before, m.app.warm)
		if in > 0 {
			share := in / room
			if h.wasMajor {
				o.major += share
			} else {
				o.minor += share
			}
		}
	}
	o.pages, o.live = h.pages, h.live
	o.bootGarbage, o.windowGarbage = h.bootDead, h.dead
	o.garbageBytes = h.bootDead*memoryPerByteAtBoot + h.dead*memoryPerByte
	return o
}

func (m *modern) predict(setting map[string]string) Prediction {
	o := m.run(paramsOf(setting, false))
	per := 1000 / m.requests
	return Prediction{
		MinorPer1000:       within(o.minor*per, 0.1, per),
		MajorPer1000:       within(o.major*per, 0.2, per),
		CollectionsPer1000: within((o.minor+o.major)*per, 0.1, per),
		Slots:              within(o.pages*slotsPerPage, 0.05, slotsPerPage),
		Live:               within(o.live, 0.02, 1000),
		MemoryBytes:        within(m.base+o.pages*pageBytes+o.garbageBytes, 0.03, mib),
	}
}
