package sampler

import (
	"math/rand/v2"

	"github.com/gctune/gctune/tuner/space"
)

// Model proposes where two Gaussian processes, one for each loss, expect the
// front's hypervolume to grow most (M. Emmerich, Single- and multi-objective
// evolutionary optimization assisted by Gaussian random field metamodels, 2005),
// and where a third expects the setting to be feasible. With too few trials to
// learn from it proposes as Sobol does; for other than two losses, as TPE.
type Model struct{}

var (
	_ Sampler = Model{}
	_ stager  = Model{}
)

// leastTrials is how many trials with losses the processes need.
const leastTrials = 3

// Name is "model".
func (Model) Name() string { return "model" }

// Propose returns the setting of the highest acquisition.
func (m Model) Propose(r Request) (space.Setting, error) {
	return m.stage(r).Propose(r)
}

func (Model) stage(r Request) Sampler {
	losses := comparableLosses(r.History, false)
	if len(losses) > 0 && len(losses[0]) != modelledLosses {
		return TPE{}
	}
	if len(losses) < leastTrials {
		return Sobol{}
	}
	return modelled{}
}

// modelled is Model with enough to learn from.
type modelled struct{}

func (modelled) Name() string { return "model" }

func (modelled) Propose(r Request) (space.Setting, error) {
	rng := source(r, 4)
	a, err := newAcquisition(r)
	if err != nil { // no process fits: the trials are all but the same
		return Random{}.Propose(r)
	}
	return unseen(r, a.propose(r, rng), rng)
}

// Every other proposal explores until there are so many trials, later one in so
// many. What exploits believes the model; a model that is wrong from the start
// sees nothing that would correct it.
const (
	exploreUntil  = 24
	explorePeriod = 5
)

func explores(trials int) bool {
	if trials < exploreUntil {
		return trials%2 == 1
	}
	return trials%explorePeriod == 0
}

func (a *acquisition) propose(r Request, rng *rand.Rand) []float64 {
	if !explores(len(r.History)) {
		return a.exploit(rng)
	}
	if stagnates(r, a.reference) {
		if u := a.leap(rng); u != nil {
			return u
		}
	}
	return a.explore(rng)
}
