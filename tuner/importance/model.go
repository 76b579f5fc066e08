package importance

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gctune/gctune/tuner/gp"
)

// Trials are points of the unit cube with one loss measured at each.
type Trials struct {
	X      [][]float64
	Losses []float64
	// Errors are the standard errors of the losses, nil where they are not known.
	Errors []float64
	// Categorical marks coordinates whose values have no order, nil for none.
	Categorical []bool
	// Reference is the loss that has to be bettered to be of use, NaN where none is
	// known. A loss counts as no worse than as far beyond it as the best is below
	// it: how bad the bad settings are is of no interest, and would rule all else.
	Reference float64
}

// Least is the number of trials below which nothing is said.
const Least = 8

// most caps the trials that a model is fitted to, as a fit takes cubic time. Of
// more trials, those are taken that lie evenly in their order.
const most = 120

// TooFewError says that there are not enough trials.
type TooFewError struct{ Trials int }

func (e *TooFewError) Error() string {
	return fmt.Sprintf("%d usable trials are too few to tell parameters apart: at least %d are needed", e.Trials, Least)
}

func (t Trials) data() gp.Data {
	data := gp.Data{X: t.X, Y: slices.Clone(t.Losses), Known: t.Errors, Categorical: t.Categorical}
	if best := slices.Min(t.Losses); best < t.Reference {
		for i, loss := range data.Y {
			data.Y[i] = min(loss, 2*t.Reference-best)
		}
	}
	return data
}

// Model is what the trials tell of a loss.
type Model struct{ process *gp.Process }

// NewModel fits a Gaussian process. The error is a *TooFewError, or says why none
// fits.
func NewModel(t Trials) (Model, error) {
	if len(t.X) < Least {
		return Model{}, &TooFewError{len(t.X)}
	}
	return fit(t.thinned())
}

func fit(t Trials) (Model, error) {
	process, err := gp.Fit(t.data(), gp.DefaultPriors(len(t.X[0])))
	if err != nil {
		return Model{}, fmt.Errorf("fitting a model to %d trials: %w", len(t.X), err)
	}
	return Model{process}, nil
}

// Loss returns a function that gives the loss expected at a point. It serves one
// goroutine.
func (m Model) Loss() func(u []float64) float64 {
	var scratch gp.Scratch
	return func(u []float64) float64 { return m.process.Predict(u, &scratch).Mean }
}

// thinned are at most as many trials as a model is fitted to.
func (t Trials) thinned() Trials {
	if len(t.X) <= most {
		return t
	}
	var kept []int
	for k := range most {
		kept = append(kept, k*len(t.X)/most)
	}
	return t.chosen(kept)
}

// without leaves a quarter of the trials out, at random.
func (t Trials) without(rng *rand.Rand) Trials {
	n := len(t.X)
	kept := rng.Perm(n)[:n-n/leftOut]
	slices.Sort(kept)
	return t.chosen(kept)
}

func (t Trials) chosen(kept []int) Trials {
	part := Trials{Categorical: t.Categorical, Reference: t.Reference}
	for _, i := range kept {
		part.X = append(part.X, t.X[i])
		part.Losses = append(part.Losses, t.Losses[i])
		if t.Errors != nil {
			part.Errors = append(part.Errors, t.Errors[i])
		}
	}
	return part
}

// withDummy has one more coordinate, whose values mean nothing.
func (t Trials) withDummy(rng *rand.Rand) Trials {
	x := make([][]float64, len(t.X))
	for i, u := range t.X {
		x[i] = append(slices.Clip(u), rng.Float64())
	}
	t.X = x
	if t.Categorical != nil {
		t.Categorical = append(slices.Clip(t.Categorical), false)
	}
	return t
}
