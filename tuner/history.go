package tuner

import (
	"math"
	"slices"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/sampler"
)

// history is what a sampler may learn from.
func (d Definition) history(trials []Scored) []sampler.Observation {
	estimates := d.estimates(trials)
	noise := d.standardErrors(trials)
	observations := make([]sampler.Observation, len(trials))
	for i, t := range trials {
		o := sampler.Observation{Setting: t.Setting, Losses: t.Losses, Infeasible: d.infeasible(t)}
		if t.Losses != nil && noise != nil {
			runs := math.Sqrt(float64(len(t.Runs)))
			o.Errors = []float64{math.Hypot(noise[0]/runs, t.DriftError), noise[1] / runs}
		}
		if estimate, ok := estimates.of(t); ok { // no drift was taken out of this one
			o.Losses = []float64{-estimate.Log, t.Losses[1]}
			if o.Errors != nil {
				o.Errors[0] = estimate.Error
			}
		}
		if o.Errors != nil && t.Short() {
			o.Errors[1] = math.Hypot(o.Errors[1], shortMemory)
		}
		observations[i] = o
	}
	return observations
}

// infeasible says that the setting is at fault. A trial that failed for another
// reason, or was void, says nothing about its setting; and one that breaks only a
// limit on an objective has losses that say how far it is from being of use.
func (d Definition) infeasible(t Scored) bool {
	if t.State == studies.Infeasible {
		return true
	}
	return slices.ContainsFunc(t.Violations, func(v objective.Violation) bool {
		metric := d.Objectives.Metric(v.Constraint.Metric)
		return metric != d.Objectives.Throughput && metric != d.Objectives.Memory
	})
}

// standardErrors are those of the losses of a single run, nil until the baseline
// was measured often enough to know them.
func (d Definition) standardErrors(trials []Scored) []float64 {
	throughput, memory := NoiseOf(trials, d.Objectives.Throughput), NoiseOf(trials, d.Objectives.Memory)
	if throughput.Degrees < leastNoiseDegree || memory.Degrees < leastNoiseDegree {
		return nil
	}
	return []float64{throughput.SD, memory.SD}
}

const (
	leastNoiseDegree = 2
	// shortMemory is how much a peak can still grow after a short window, as a
	// standard deviation of the logarithm: 2 to 6 % was seen of Rails.
	shortMemory = 0.03
)
