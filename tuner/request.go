package tuner

import (
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// Request is what a sampler is asked after the trials, in a study's space and with
// its seed.
func (d Definition) Request(s space.Space, seed uint64, trials []Scored) sampler.Request {
	history := d.history(trials)
	return sampler.Request{
		Space:     s,
		History:   history,
		Seed:      seed,
		Reference: d.believedReference(trials, history),
	}
}

// believedReference is the reference point on the scale of the history: where it is
// the baseline's throughput, it is what the search believes of that.
func (d Definition) believedReference(trials []Scored, history []sampler.Observation) []float64 {
	reference := d.Reference(trials)
	_, measured := d.BaselineOf(trials)
	if _, limited := d.Objectives.Limit(d.Constraints, "throughput"); limited || !measured || reference == nil {
		return reference
	}
	return []float64{history[0].Losses[0], reference[1]}
}
