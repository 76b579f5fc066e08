package sampler

import (
	"cmp"
	"slices"

	"github.com/gctune/gctune/tuner/space"
)

// TPE is a tree-structured Parzen estimator (J. Bergstra et al., Algorithms for
// hyper-parameter optimization, NIPS 2011) for several losses: trials are ordered
// by non-dominated rank, and within a rank by a Chebyshev function whose weights
// are drawn anew for each proposal. With few trials to learn from it proposes as
// Sobol does.
type TPE struct{}

var _ Sampler = TPE{}

// minLearn is how many usable trials TPE needs.
const minLearn = 8

// Name is "tpe".
func (TPE) Name() string { return "tpe" }

// Propose draws candidates where good trials are dense and returns, parameter by
// parameter, the one where good trials are densest relative to the others.
func (TPE) Propose(r Request) (space.Setting, error) {
	rng := source(r, 3)
	ranked := rank(r, rng.ExpFloat64)
	if len(ranked) < minLearn {
		return Sobol{}.Propose(r)
	}
	good := goodTrials(len(ranked))
	below, above := inOrderOfTrials(ranked[:good]), inOrderOfTrials(ranked[good:])
	u := make([]float64, r.Space.Dim())
	for i, p := range r.Space.Parameters() {
		if p.Kind == space.Choice {
			u[i] = drawChoice(column(below, i), column(above, i), len(p.Values), rng)
		} else {
			u[i] = drawNumber(column(below, i), column(above, i), rng)
		}
	}
	return unseen(r, u, rng)
}

// inOrderOfTrials undoes the ranking: the estimator weighs older trials less.
func inOrderOfTrials(trials []trial) []trial {
	return slices.SortedFunc(slices.Values(trials), func(a, b trial) int { return cmp.Compare(a.number, b.number) })
}

// column takes coordinate i of each trial.
func column(trials []trial, i int) []float64 {
	values := make([]float64, len(trials))
	for k, t := range trials {
		values[k] = t.u[i]
	}
	return values
}
