package gcmodel

import "math"

// Prediction is what a run would do under a setting.
type Prediction struct {
	// MinorPer1000 and MajorPer1000 are the collections of all processes in the
	// window, per 1000 requests (for a program that ran to its end, per 1000 of its
	// work). Collectors without generations have major ones only.
	MinorPer1000, MajorPer1000 Estimate
	// CollectionsPer1000 are both together: known better than either.
	CollectionsPer1000 Estimate
	// SecondsPer1000 is the CPU time of the collections, per 1000 requests; 0 where
	// the log has no times.
	SecondsPer1000 Estimate
	// Slots of the heap of one process at the window's end, and those in use right
	// after a collection.
	Slots, Live Estimate
	// MemoryBytes is the memory of all processes by the measure of the logs.
	MemoryBytes Estimate
}

// Predict simulates a run under a setting: names of environment variables with
// their values. Names that the interpreter does not read, and values that it
// would not take, have no effect.
func (p *Profile) Predict(setting map[string]string) Prediction {
	return p.heap.predict(setting)
}

// reach widens the bounds by how far another prediction is: one that is as good,
// with something that is not known at its own bound.
func (p *Prediction) reach(other Prediction) {
	for _, e := range []struct{ of, by *Estimate }{
		{&p.MinorPer1000, &other.MinorPer1000}, {&p.MajorPer1000, &other.MajorPer1000},
		{&p.CollectionsPer1000, &other.CollectionsPer1000}, {&p.SecondsPer1000, &other.SecondsPer1000},
		{&p.Slots, &other.Slots}, {&p.Live, &other.Live}, {&p.MemoryBytes, &other.MemoryBytes},
	} {
		x := e.of.Estimate
		if by := e.by.Estimate; by < x {
			e.of.Low = max(0, x-math.Hypot(x-e.of.Low, x-by))
		} else {
			e.of.High = finite(x + math.Hypot(e.of.High-x, by-x))
		}
	}
}
