package tuner

import (
	"math"
	"slices"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/pareto"
)

// The metrics that the search's estimate of throughput is made from.
const (
	gcShare         = "gc_time_share"
	expectedShare   = "gc_time_share_expected"
	cpuThroughput   = "requests_per_cpu_second"
	throughputError = "throughput_error"
)

// estimates are those of a study's trials.
type estimates struct {
	steady objective.Steady
	known  bool
	// anchor is what lifts the steady estimates to the scale of the study's figures:
	// the defaults, which are measured the most often, have their measured throughput.
	anchor float64
	// noise is for what has no share of collection: how much runs of one setting
	// differ.
	noise objective.Noise
}

// estimates learns from the trials. Where throughput is that of CPU time, and the
// interpreter tells the time in collection, the estimate is steadier than a single
// measurement.
func (d Definition) estimates(trials []Scored) estimates {
	e := estimates{noise: NoiseOf(trials, d.Objectives.Throughput)}
	if d.Objectives.Throughput != cpuThroughput {
		return e
	}
	var runs [][]objective.CPURun
	for _, t := range trials {
		if t.Losses != nil {
			runs = append(runs, cpuRuns(t.Runs))
		}
	}
	e.steady, e.known = objective.FitSteady(runs)
	if baseline, measured := d.BaselineOf(trials); measured {
		if estimate, ok := e.of(baseline); ok {
			e.anchor = -baseline.Losses[0] - estimate.Log
		}
	}
	return e
}

// cpuRuns are the runs that have figures.
func cpuRuns(runs []studies.Run) []objective.CPURun {
	var figures []objective.CPURun
	for _, run := range runs {
		if run.Metrics[cpuThroughput] > 0 {
			figures = append(figures, cpuRun(run.Metrics))
		}
	}
	return figures
}

// cpuRun has the throughput as it was measured: the estimate sees through the
// machine's speed by the shares, for which a drift is as good as noise, and would
// take what a correction has left between the runs of the baseline, which is too
// little, for all the noise there is.
func cpuRun(metrics map[string]float64) objective.CPURun {
	share, known := metrics[gcShare]
	if !known {
		share = math.NaN()
	}
	throughput, corrected := metrics[Uncorrected+cpuThroughput]
	if !corrected {
		throughput = metrics[cpuThroughput]
	}
	return objective.CPURun{
		Throughput: throughput,
		Share:      share,
		Expected:   metrics[expectedShare],
		Error:      metrics[throughputError],
	}
}

// of is the steady estimate of a trial, if there is one.
func (e estimates) of(t Scored) (objective.Estimate, bool) {
	if !e.known || t.Losses == nil {
		return objective.Estimate{}, false
	}
	return e.ofRuns(cpuRuns(t.Runs))
}

func (e estimates) ofRuns(runs []objective.CPURun) (estimate objective.Estimate, ok bool) {
	estimate.Log, estimate.Error, ok = e.steady.LogThroughput(runs)
	estimate.Log += e.anchor
	estimate.Degrees = math.Inf(1) // what is not known of the noise is in the error
	return estimate, ok
}

// Estimates are what the search believes of each trial's throughput, by its number:
// the steady estimate, or the measured throughput with the noise of repeated runs and
// what a drift that was taken out of it leaves unknown.
// A trial without losses, or of which nothing tells the error, has none.
func (d Definition) Estimates(trials []Scored) map[int]objective.Estimate {
	e := d.estimates(trials)
	found := map[int]objective.Estimate{}
	for _, t := range trials {
		if estimate, ok := e.of(t); ok {
			found[t.Number] = estimate
		} else if t.Losses != nil && e.noise.Degrees > 0 {
			single := e.noise.SD / math.Sqrt(float64(len(t.Runs)))
			found[t.Number] = objective.Estimate{Log: -t.Losses[0], Error: math.Hypot(single, t.DriftError), Degrees: float64(e.noise.Degrees)}
		}
	}
	return found
}

// Believed are Points with the throughput that the search believes in: of many single
// runs the best are the luckiest.
func (d Definition) Believed(trials []Scored) []pareto.Point {
	estimates, points := d.Estimates(trials), Points(trials)
	for i, p := range points {
		if e, known := estimates[p.ID]; known {
			points[i].Losses = slices.Clone(p.Losses)
			points[i].Losses[0] = -e.Log
		}
	}
	return points
}
