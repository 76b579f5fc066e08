package tuner

import (
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/tuner/sampler"
)

// history is what a sampler may learn from. A setting that breaks only a limit
// on an objective has losses that say so themselves.
func (d Definition) history(trials []Scored) []sampler.Observation {
	steady, better := d.steadyEstimate(trials)
	observations := make([]sampler.Observation, len(trials))
	for i, t := range trials {
		losses := t.Losses
		if share, known := t.Metrics[gcShare]; better && known {
			losses = []float64{-steady.LogThroughput(t.Metrics[d.Objectives.Throughput], share), t.Losses[1]}
		}
		observations[i] = sampler.Observation{
			Setting:    t.Setting,
			Losses:     losses,
			Infeasible: !t.Usable(),
		}
	}
	return observations
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
