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
	steady, better := d.steadyEstimate(trials)
	noise := d.standardErrors(trials)
	observations := make([]sampler.Observation, len(trials))
	for i, t := range trials {
		o := sampler.Observation{Setting: t.Setting, Losses: t.Losses, Infeasible: d.infeasible(t)}
		if t.Losses != nil && noise != nil {
			runs := math.Sqrt(float64(len(t.Runs)))
			o.Errors = []float64{noise[0] / runs, noise[1] / runs}
		}
		if share, known := t.Metrics[gcShare]; better && known && t.Losses != nil {
			estimate, spread := steady.LogThroughput(t.Metrics[d.Objectives.Throughput], share)
			o.Losses = []float64{-estimate, t.Losses[1]}
			if o.Errors != nil {
				o.Errors[0] = spread
			}
		}
		if o.Errors != nil {
			o.Errors[0] = math.Hypot(o.Errors[0], t.DriftError)
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

// The metrics that a steadier estimate of throughput is made from.
const (
	gcShare          = "gc_time_share"
	cpuThroughput    = "requests_per_cpu_second"
	assumedNoise     = 0.1 // until the baseline was measured again
	leastNoiseDegree = 2
)

// steadyEstimate is for throughput by CPU time, with a baseline whose share of
// collection was measured. It serves the search, which compares single runs; the
// figures that people see are the measured ones.
func (d Definition) steadyEstimate(trials []Scored) (objective.SteadyEstimate, bool) {
	baseline, measured := d.BaselineOf(trials)
	share, known := baseline.Metrics[gcShare]
	if !measured || !known || d.Objectives.Throughput != cpuThroughput {
		return objective.SteadyEstimate{}, false
	}
	noise := NoiseOf(trials, cpuThroughput)
	if noise.Degrees < leastNoiseDegree {
		noise.SD = assumedNoise
	}
	return objective.SteadyEstimate{
		Throughput: baseline.Metrics[cpuThroughput],
		Share:      share,
		RawNoise:   noise.SD,
	}, true
}
