package gcmodel

import "math"

// tilted is a run in which so much more is alive than the log says. A heap grows
// when it is full beyond a certain share, so that little more alive may make it
// half as large again: a prediction is the mean over several.
type tilted struct {
	tilt, prior float64
	likely      float64 // how well it does what the log says, as a logarithm
}

var (
	// Normal, with a standard deviation of 0.015.
	oneHeapTilts = []tilted{
		{tilt: -0.024, prior: 0.28}, {tilt: -0.016, prior: 0.57}, {tilt: -0.008, prior: 0.87}, {tilt: 0, prior: 1},
		{tilt: 0.008, prior: 0.87}, {tilt: 0.016, prior: 0.57}, {tilt: 0.024, prior: 0.28},
	}
	fiveHeapsTilts = []tilted{{tilt: -0.03, prior: 0.4}, {tilt: 0, prior: 1}, {tilt: 0.03, prior: 0.4}}
)

const mostTilts = 7

// setTilts are those of a model that has not learnt any. Where there is one heap,
// how many objects are alive is known better when the program has booted.
func (m *model) setTilts() {
	m.tilts, m.central, m.app.tiltLater = oneHeapTilts, len(oneHeapTilts)/2, 0.25
	if m.pools != nil {
		m.tilts, m.central, m.app.tiltLater = fiveHeapsTilts, len(fiveHeapsTilts)/2, 1
	}
}

// learnTilts finds with which the model does what a run did.
func (m *model) learnTilts(r run) {
	learnt := make([]tilted, len(m.tilts))
	for i, t := range m.tilts {
		// Its exponential is to be more than nothing.
		t.likely = max(m.runOnce(r.params, t.tilt).likely(r), -50)
		learnt[i] = t
		if t.likely+math.Log(t.prior) > learnt[m.central].likely+math.Log(learnt[m.central].prior) {
			m.central = i
		}
	}
	m.tilts = learnt
}

// likely is the logarithm of how likely a run is that has come out so.
func (o outcome) likely(r run) float64 {
	const collections, heap = 0.25, 0.05 // standard deviations of logarithms
	seen := float64(r.trace.iEnd - r.trace.iWarm)
	x := squared(math.Log((o.minor+o.major+1)/(seen+1)) / collections)
	if slots := finite(r.trace.marks[2].Stat["heap_available_slots"]); slots > 0 {
		x += squared(math.Log(max(1, o.slots)/slots) / heap)
	}
	return -x / 2
}

// home is the run that was learnt from: what it did, by what the model says of it,
// as logarithms.
type home struct {
	came               outcome // what it came to
	slots, collections float64 // what the model says
	wrong              spread
	wrongSlots         float64
	known              bool
	told               float64 // how much it tells of others: less where its heap came out otherwise
}

// learnHome notes what a run did.
func (m *model) learnHome(r run) {
	o, _ := m.run(r.params)
	h := home{came: o, slots: o.slots, collections: o.minor + o.major, known: true}
	// A window that begins and ends anywhere has half a collection more or less.
	seen := max(r.seen-0.5, 0, min(h.collections, r.seen+0.5))
	h.wrong.collections = math.Log((seen + 0.01) / (h.collections + 0.01))
	if x := m.memory(o); r.memory > 0 && x > 0 {
		h.wrong.memory = math.Log(r.memory / x)
	}
	if slots := finite(r.trace.marks[2].Stat["heap_available_slots"]); slots > 0 && o.slots > 0 {
		h.wrongSlots = math.Log(slots / o.slots)
	}
	h.told = math.Exp(-squared(h.wrongSlots/0.1) / 2)
	m.home = h
}

// far says how far a run is from the one that was learnt from, from 0 to 1: how
// much of what the model gets wrong it may get wrong in another way.
func (m *model) far(o outcome) float64 {
	if !m.home.known || o.same(m.home.came) {
		return 0
	}
	const slots, collections, least = 0.25, 0.5, 0.3
	return 1 - m.home.told*max(0, 1-math.Hypot(least, math.Hypot(math.Log((o.slots+1)/(m.home.slots+1))/slots,
		math.Log((o.minor+o.major+1)/(m.home.collections+1))/collections)))
}

// same says whether nothing but limits that were not reached tells two runs apart.
func (o outcome) same(other outcome) bool {
	o.nearMalloc = other.nearMalloc
	return o == other
}

// run is the mean over the tilts, and the run with the likeliest of them.
func (m *model) run(p params) (mean, central outcome) {
	var runs [mostTilts]outcome
	for i, t := range m.tilts {
		runs[i] = m.runOnce(p, t.tilt)
	}
	near := m.mean(&runs, 1)
	far := m.far(near)
	mean = m.mean(&runs, 1-far)
	mean.far = far
	return mean, runs[m.central]
}

// mean is that of runs with each tilt. How well a tilt does in the run that was
// learnt from counts the less the less that tells.
func (m *model) mean(runs *[mostTilts]outcome, tells float64) outcome {
	var weights [mostTilts]float64
	sum := 0.0
	for i, t := range m.tilts {
		weights[i] = t.prior * math.Exp(tells*t.likely)
		sum += weights[i]
	}
	var mean outcome
	var c, s, mem moments
	for i := range m.tilts {
		o, w := runs[i], weights[i]/sum
		mean.add(o, w)
		mean.nearMalloc = max(mean.nearMalloc, o.nearMalloc)
		c.add(math.Log(o.minor+o.major+1), w)
		s.add(math.Log(o.slots+1), w)
		mem.add(math.Log(m.memory(o)+1), w)
	}
	mean.differ = spread{collections: c.deviation(), slots: s.deviation(), memory: mem.deviation()}
	return mean
}

// moments are the weighted sums of a number and of its squares.
type moments struct{ x, xx float64 }

func (m *moments) add(x, weight float64) { m.x, m.xx = m.x+x*weight, m.xx+x*x*weight }

func (m *moments) deviation() float64 { return math.Sqrt(max(0, m.xx-m.x*m.x)) }
