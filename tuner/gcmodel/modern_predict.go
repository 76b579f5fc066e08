package gcmodel

import "math"

func (m *model) predict(setting map[string]string) Prediction {
	p := paramsOf(setting, m.rules)
	o, central := m.run(p)
	prediction := m.prediction(o)
	for _, other := range m.others {
		prediction.reach(other.prediction(m.otherwise(other, p, o, central)))
	}
	return prediction
}

// otherwise is the run if objects had other bytes beside their slots, by what they
// change in the central one of the runs that it is the mean of. Where malloc begins
// no collection either way, that is only what the dead have.
func (m *model) otherwise(other *model, p params, o, central outcome) outcome {
	ratio := other.app.request / m.app.request
	if o.nearMalloc*max(1, ratio) < 1 {
		o.dead *= ratio
		return o
	}
	o.add(other.runOnce(p, m.tilts[m.central].tilt), 1)
	o.add(central, -1)
	o.atLeastNone()
	return o
}

// How far two runs with one setting are from each other, as standard deviations of
// logarithms, and beside it.
const (
	collectionsRepeatTo = 0.04
	memoryRepeatsTo     = 0.015
	aside               = 0.65 // collections, as windows begin and end anywhere
)

func (m *model) prediction(o outcome) Prediction {
	per := 1000 * m.working / m.requests
	as := 1 - o.far
	c := math.Exp(as * m.home.wrong.collections)
	spreadOf := func(repeats, spread, differ float64) float64 {
		return math.Hypot(repeats, math.Hypot(o.far*spread, differ))
	}
	s := spreadOf(collectionsRepeatTo, m.spread.collections, o.differ.collections)
	minor, major := o.minor*c*per, o.major*c*per
	seconds := minor*m.app.minorSeconds + major*m.app.majorSeconds
	return Prediction{
		MinorPer1000:       within(minor, spreadOf(0.1, m.spread.major, o.differ.collections), per),
		MajorPer1000:       within(major, spreadOf(0.1, m.spread.major, o.differ.collections), per),
		CollectionsPer1000: within(minor+major, s, aside*per),
		SecondsPer1000:     within(seconds, 2*s, per*m.app.minorSeconds),
		Slots:              within(o.slots*math.Exp(as*m.home.wrongSlots), spreadOf(0.01, m.spread.collections, o.differ.slots), m.pageBytes()/40),
		Live:               within(o.live, 0.03, 1000),
		MemoryBytes:        within(m.memory(o)*math.Exp(as*m.home.wrong.memory), spreadOf(memoryRepeatsTo, m.spread.memory, o.differ.memory), m.memoryError(o)),
	}
}
