package tuner

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

// ErrNoLog: nothing was recorded of a trial's collections.
var ErrNoLog = errors.New("no log of its collections")

// Foresight tells of settings that were not measured, by a model of the collector
// that is calibrated from the logs of trials.
type Foresight struct {
	// Profile is the calibrated model.
	Profile *gcmodel.Profile
	// From are the trials that it is calibrated from, the baseline first.
	From []int

	losses []float64 // of the baseline
	base   gcmodel.Prediction
}

// Foresee calibrates the model from the logs of the given trials, of each from that
// of its first run: the baseline's grow in number, and the model is to stay the same.
// Errors are ErrNoLog, ErrOwnCollections, gcmodel.ErrUnknown and gcmodel.ErrTooLittle,
// wrapped; ErrTooLittle also where no collection ran in the window.
func (d Definition) Foresee(trials []Scored, logs map[int][]gcmodel.Log, from ...int) (*Foresight, error) {
	baseline, measured := d.BaselineOf(trials)
	if !measured {
		return nil, fmt.Errorf("the defaults were not measured: %w", ErrNoLog)
	}
	var used []gcmodel.Log
	for _, number := range from {
		if len(logs[number]) == 0 {
			return nil, fmt.Errorf("trial %d: %w", number, ErrNoLog)
		}
		used = append(used, logs[number][0])
	}
	if err := foreseeable(used); err != nil {
		return nil, err
	}
	profile, err := gcmodel.Calibrate(used)
	if err != nil {
		return nil, err
	}
	return &Foresight{Profile: profile, From: from, losses: baseline.Losses, base: profile.Predict(baseline.Setting)}, nil
}

// Guess makes the function that tells the losses that are expected of a setting:
// those of the baseline, and by how much the model has the setting's to differ, with
// the costs of collections that the trials so far have shown. It gives nil where the
// model says nothing.
func (f *Foresight) Guess(trials []Scored) func(space.Setting) []float64 {
	costs := costsOf(trials)
	ofBaseline := costs.request(f.base)
	return func(setting space.Setting) []float64 {
		p := f.Profile.Predict(setting)
		memory := math.Log(p.MemoryBytes.Estimate / f.base.MemoryBytes.Estimate)
		cpu := math.Log(costs.request(p) / ofBaseline)
		guess := []float64{f.losses[0] + cpu, f.losses[1] + memory}
		if slices.ContainsFunc(guess, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil
		}
		return guess
	}
}

// Agreement is how well the predictions agree with what was measured.
type Agreement struct {
	// Trials that were predicted and not calibrated from.
	Trials int
	// Collections and Memory are the rank correlations (Kendall's τ-b); NaN where
	// not known.
	Collections, Memory float64
	// MemoryError is the median error of the predicted memory, relative.
	MemoryError float64
}

// Agree compares what is predicted with what trials have measured.
func (f *Foresight) Agree(trials []Scored, memory string) Agreement {
	var seen agreement
	for _, t := range trials {
		if t.Losses != nil && !slices.Contains(f.From, t.Number) {
			seen.add(f.Profile.Predict(t.Setting), t.Metrics[collectionRate], t.Metrics[memory])
		}
	}
	return seen.sum()
}

// collectionRate is the metric that predicted collections are compared with.
const collectionRate = "gc_count_per_1000_requests"

type agreement struct {
	collections, memory struct{ predicted, measured []float64 }
}

func (a *agreement) add(p gcmodel.Prediction, collections, memory float64) {
	a.collections.predicted = append(a.collections.predicted, p.CollectionsPer1000.Estimate)
	a.collections.measured = append(a.collections.measured, collections)
	a.memory.predicted = append(a.memory.predicted, p.MemoryBytes.Estimate)
	a.memory.measured = append(a.memory.measured, memory)
}

func (a *agreement) sum() Agreement {
	return Agreement{
		Trials:      len(a.memory.measured),
		Collections: kendall(a.collections.predicted, a.collections.measured),
		Memory:      kendall(a.memory.predicted, a.memory.measured),
		MemoryError: medianError(a.memory.predicted, a.memory.measured),
	}
}

// kendall is the rank correlation τ-b (M. Kendall, The treatment of ties in ranking
// problems, Biometrika 33(3), 1945); NaN where one side is all the same.
func kendall(x, y []float64) float64 {
	sum, ranked := 0.0, [2]float64{}
	for i := range x {
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			sum += float64(a * b)
			ranked[0] += float64(a * a)
			ranked[1] += float64(b * b)
		}
	}
	return sum / math.Sqrt(ranked[0]*ranked[1])
}

func medianError(predicted, measured []float64) float64 {
	if len(measured) == 0 {
		return math.NaN()
	}
	relative := make([]float64, len(measured))
	for i, m := range measured {
		relative[i] = math.Abs(predicted[i]/m - 1)
	}
	slices.Sort(relative)
	return relative[len(relative)/2]
}

// The model is left when so many trials contradict it. Of five that have
// nothing to do with the predictions, one in four reaches the rank correlation by
// chance: what is left is a model that contradicts, not one that is of little use.
const (
	leastCompared = 5
	leastAgreeing = 0.3
)

// Holds is false where what was measured contradicts the predictions: the ranks of
// memory, of which a front is made as much as of throughput, or those of collections.
func (a Agreement) Holds() bool {
	return a.Trials < leastCompared || !(a.Memory < leastAgreeing || a.Collections < leastAgreeing)
}
