package sampler

import (
	"slices"

	"github.com/gctune/gctune/tuner/pareto"
)

// GainTrials is how many feasible trials with losses there must be before what
// the models expect is worth telling.
const GainTrials = 8

// ExpectedGain is what the models expect of the next trial at best: the expected
// growth of the hypervolume, as a share of the hypervolume that the front has
// now, both up to the reference point and as the models believe the losses.
// Unlike a proposal's acquisition it takes the models at their word about what
// they do not know. It is false where that is not known: without a reference
// point or a setting that betters it, with fewer than eight feasible trials, or
// for other than two losses. Where all of these trials have the same losses, no
// parameter does anything, and the answer is 0. The same request gives the same
// answer.
func ExpectedGain(r Request) (float64, bool) {
	if !usable(r.Reference, modelledLosses) || len(comparableLosses(r.History, false)) < GainTrials {
		return 0, false
	}
	if Same(r.History) {
		return 0, true
	}
	if _, modelled := (Model{}).stage(r).(modelled); !modelled {
		return 0, false
	}
	a, err := newAcquisition(r)
	if err != nil { // no process fits: the trials are all but the same
		return 0, false
	}
	have := pareto.Hypervolume2D(a.believed, r.Reference)
	if !(have > 0) {
		return 0, false
	}
	return a.summit(source(r, gainPurpose), 1).value / have, true
}

// Same reports whether there are enough feasible trials to tell what more of them
// would gain, and all have the very same losses.
func Same(history []Observation) bool {
	losses := comparableLosses(history, false)
	return len(losses) >= GainTrials && !slices.ContainsFunc(losses, func(l []float64) bool { return !slices.Equal(l, losses[0]) })
}

// gainPurpose is that of the random numbers of an expected gain.
const gainPurpose = 7

// When a search is stable: after each of the last StableInARow trials the expected
// gain was below StableGain, and there are StableFrom trials at least. They were
// chosen on the problems of bench/problems; docs/search.md has what they cost.
const (
	StableGain   = 0.01
	StableInARow = 5
	StableFrom   = 40
)

// Stable reports whether more trials are expected to gain little. It asks for the
// expected gain after each of the latest trials anew, so that the answer is the
// same after a resume.
func Stable(r Request) bool {
	if len(r.History) < StableFrom {
		return false
	}
	for range StableInARow {
		if gain, known := ExpectedGain(r); !known || gain >= StableGain {
			return false
		}
		r.History = r.History[:len(r.History)-1]
	}
	return true
}
