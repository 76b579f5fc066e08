package tuner

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
)

// Drift is a change of the machine's speed in the course of a study, which was
// found in the runs of the baseline and taken out of every trial's throughput.
type Drift struct {
	objective.Drift
	// Metric is the throughput that was corrected.
	Metric string
	// Levels are how much faster the machine was at the runs of the baseline than on
	// average, as logarithms, and After the last trial before each.
	Levels []float64
	After  []int
}

// Uncorrected begins the name of the metric that holds a corrected throughput as it
// was measured.
const Uncorrected = "uncorrected_"

// place is a run in the order of measuring.
type place struct {
	started time.Time
	trial   int // index
	run     int
}

// order lists the runs that count, as they were measured; nil where a time is not
// known.
func order(trials []Scored) []place {
	var places []place
	for i, t := range trials {
		for j, run := range t.Runs {
			if len(run.Metrics) == 0 {
				continue
			}
			if run.Started.IsZero() {
				return nil
			}
			places = append(places, place{run.Started, i, j})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.started.Compare(b.started) })
	return places
}

// findDrift compares the runs of the baseline with one another.
func (d Definition) findDrift(trials []Scored, places []place) (*Drift, bool) {
	if _, measured := d.BaselineOf(trials); !measured {
		return nil, false
	}
	var repeats []objective.Repeat
	var neighbours []float64
	drift := &Drift{Metric: d.Objectives.Throughput}
	last := 0
	for at, p := range places {
		metrics := trials[p.trial].Runs[p.run].Metrics
		if log, known := d.speed(metrics); known {
			neighbours = append(neighbours, log)
		}
		last = max(last, trials[p.trial].Number)
		if value := metrics[drift.Metric]; trials[p.trial].Number == 0 && value > 0 {
			repeats = append(repeats, objective.Repeat{At: float64(at), Log: math.Log(value)})
			drift.After = append(drift.After, last)
		}
	}
	var found bool
	if drift.Drift, found = objective.FindDrift(repeats, neighbours); !found {
		return nil, false
	}
	for _, r := range repeats {
		level, _ := drift.At(r.At)
		drift.Levels = append(drift.Levels, level)
	}
	return drift, true
}

// speed is what mostly the machine moves: CPU time for each request outside of
// collection, or else the throughput itself, with the settings' effects in it,
// which hides small drifts and invents none.
func (d Definition) speed(metrics map[string]float64) (float64, bool) {
	value := metrics[d.Objectives.Throughput]
	share, known := metrics[gcShare]
	if known && d.Objectives.Throughput == cpuThroughput && share < 1 {
		value /= 1 - share
	}
	return math.Log(value), value > 0
}

// corrected takes a drift out of scored trials. What was measured stays in the
// store, and beside the corrected figure.
func (d Definition) corrected(trials []studies.Trial, scored []Scored) []Scored {
	places := order(scored)
	drift, found := d.findDrift(scored, places)
	if !found {
		return scored
	}
	at := levels(drift, places, scored)
	all := make([]Scored, len(trials))
	for i, t := range trials {
		t.Runs = slices.Clone(scored[i].Runs)
		for j, run := range t.Runs {
			if value, known := run.Metrics[drift.Metric]; known {
				t.Runs[j].Metrics = maps.Clone(run.Metrics)
				t.Runs[j].Metrics[drift.Metric] = value * math.Exp(-at[i][j].log)
				t.Runs[j].Metrics[Uncorrected+drift.Metric] = value
			}
		}
		all[i] = d.Score(t)
		all[i].Trial.Runs, all[i].Measured, all[i].Drift = trials[i].Runs, scored[i].Measured, drift
		for _, l := range at[i] { // the runs of a trial are close to one another, but for the baseline's
			all[i].DriftError = max(all[i].DriftError, l.standardError)
		}
	}
	return all
}

type level struct{ log, standardError float64 }

// levels are the machine's at each run of each trial.
func levels(drift *Drift, places []place, trials []Scored) [][]level {
	levels := make([][]level, len(trials))
	for i, t := range trials {
		levels[i] = make([]level, len(t.Runs))
	}
	for at, p := range places {
		log, standardError := drift.At(float64(at))
		levels[p.trial][p.run] = level{log, standardError}
	}
	return levels
}
