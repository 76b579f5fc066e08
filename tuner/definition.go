// Package tuner is the study loop: it asks a sampler for a setting, has it
// measured, scores it, records it, and goes on where an earlier run stopped.
package tuner

import (
	"math"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// Definition is what a study is about. It is stored with the study, so that a
// study can be read without its configuration.
type Definition struct {
	// Workload is "server", "batch" or "external".
	Workload string `json:"workload"`
	// Ruby describes the interpreter; empty where none is involved.
	Ruby string `json:"ruby,omitempty"`
	// Objectives and Constraints turn metrics into a score. As all metrics are
	// kept, they may change during a study.
	Objectives  objective.Objectives   `json:"objectives"`
	Constraints []objective.Constraint `json:"constraints,omitempty"`
	// Parameters span the search space.
	Parameters []space.Parameter `json:"parameters"`
	// Public are the settings in public use that are tried first.
	Public []space.Setting `json:"public,omitempty"`
	// Baseline is trial 0's setting, if the study has a baseline.
	Baseline    space.Setting `json:"baseline"`
	HasBaseline bool          `json:"has_baseline"`
}

// Scored is a trial with what its metrics mean for the study.
type Scored struct {
	studies.Trial
	// Runs are those that count; Trial.Runs are all.
	Runs []studies.Run
	// Measured is how often the setting was measured, without what was measured
	// again because of other programs.
	Measured int
	// Metrics are averaged over the trial's runs; nil unless it is complete.
	Metrics map[string]float64
	// Losses are minimised; nil when the trial has none.
	Losses []float64
	// Violations are the constraints that it breaks.
	Violations []objective.Violation
	// Drift is what was taken out of the throughput of all trials of the study, nil
	// if there was none; DriftError is the standard error, of the logarithm, that
	// this leaves in the trial's.
	Drift      *Drift
	DriftError float64
}

// Usable reports whether the setting may be recommended.
func (s Scored) Usable() bool { return s.Losses != nil && len(s.Violations) == 0 }

// Score scores a trial. A complete trial that lacks an objective or a
// constraint's metric becomes a failed one that says so: that is the measuring
// program's doing.
func (d Definition) Score(t studies.Trial) Scored {
	s := Scored{Trial: t, Runs: counting(t.Runs), Measured: measuredRuns(t.Runs)}
	if t.State != studies.Complete {
		return s
	}
	runs := make([]map[string]float64, len(s.Runs))
	for i, run := range s.Runs {
		runs[i] = run.Metrics
	}
	metrics := d.Objectives.MeanMetrics(runs)
	losses, err := d.Objectives.Losses(metrics)
	if err == nil {
		s.Violations, err = d.Objectives.Violations(d.Constraints, metrics)
	}
	if err != nil {
		s.State, s.Reason = studies.Failed, err.Error()
		return s
	}
	s.Metrics, s.Losses = metrics, losses
	if len(s.Violations) > 0 {
		s.Reason = s.Violations[0].String()
	}
	return s
}

// ScoreAll scores trials in their order, and takes out a drift of the machine.
func (d Definition) ScoreAll(trials []studies.Trial) []Scored {
	scored := make([]Scored, len(trials))
	for i, t := range trials {
		scored[i] = d.Score(t)
	}
	return d.corrected(trials, scored)
}

// BaselineOf returns the study's baseline if it was measured.
func (d Definition) BaselineOf(trials []Scored) (Scored, bool) {
	if d.HasBaseline && len(trials) > 0 && trials[0].Number == 0 && trials[0].Losses != nil {
		return trials[0], true
	}
	return Scored{}, false
}

// memoryRoom is how much more memory than the baseline's a setting may take and
// still be of interest, where the user sets no limit.
const memoryRoom = 2.0

// Reference is the reference point in losses: the throughput limit or else the
// baseline's throughput, and the memory limit or else twice the baseline's
// memory. It is nil where neither tells: it is never guessed from the trials, as
// a wrong guess misleads a search more than a good one helps it.
func (d Definition) Reference(trials []Scored) []float64 {
	baseline, measured := d.BaselineOf(trials)
	throughput, limited := d.Objectives.Limit(d.Constraints, "throughput")
	if !limited && measured {
		throughput, limited = baseline.Metrics[d.Objectives.Throughput], true
	}
	memory, bounded := d.Objectives.Limit(d.Constraints, "memory")
	if !bounded && measured {
		memory, bounded = memoryRoom*baseline.Metrics[d.Objectives.Memory], true
	}
	if !limited || !bounded || throughput <= 0 || memory <= 0 {
		return nil
	}
	return objective.Reference(throughput, memory)
}

// Points are the usable trials as points of the objective space, but for those that
// were let go as beaten.
func Points(trials []Scored) []pareto.Point {
	var points []pareto.Point
	for _, t := range trials {
		if t.Usable() && !t.Short() {
			points = append(points, pareto.Point{ID: t.Number, Losses: t.Losses})
		}
	}
	return points
}

// Hypervolume is the area of objective space, in squared logarithms, that the
// front covers up to the reference point, by what the search believes; NaN without a
// reference point.
func (d Definition) Hypervolume(trials []Scored) float64 {
	reference := d.Reference(trials)
	if reference == nil {
		return math.NaN()
	}
	return pareto.Hypervolume2D(d.Believed(trials), reference)
}

// NoiseOf estimates the noise of a metric from the trials that were run more
// than once. Where a drift was taken out of it, what is left between the runs of the
// baseline is too little: the noise is then that of neighbouring runs.
func NoiseOf(trials []Scored, metric string) objective.Noise {
	if len(trials) > 0 && trials[0].Drift != nil && trials[0].Drift.Metric == metric {
		return trials[0].Drift.Noise
	}
	var groups [][]float64
	for _, t := range trials {
		var values []float64
		for _, run := range t.Runs {
			if v, ok := run.Metrics[metric]; ok && v > 0 {
				values = append(values, v)
			}
		}
		groups = append(groups, values)
	}
	return objective.RepeatNoise(groups...)
}
