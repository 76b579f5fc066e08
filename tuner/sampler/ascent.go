package sampler

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// candidate is a point with its acquisition value.
type candidate struct {
	u     []float64
	value float64
}

// How far the acquisition is searched. More finds higher values and no better
// settings: the highest value is where the model errs most.
const (
	uniformCandidates = 1000
	localCandidates   = 400
	climbed           = 4  // candidates that are climbed from
	climbLength       = 75 // steps of each
)

// exploitDoubt narrows the beliefs where a proposal exploits: an expectation is
// else ruled by the tails of what is hardly known.
const exploitDoubt = 0.7

// explore returns the best of uniform points. It does not climb: the climb would
// end where exploit does, or in a corner.
func (a *acquisition) explore(rng *rand.Rand) []float64 {
	return highest(a.uniform(rng, 1)).u
}

func (a *acquisition) exploit(rng *rand.Rand) []float64 {
	return a.summit(rng, exploitDoubt).u
}

// summit is the highest value found by climbing from the best of uniform points
// and of points around the front.
func (a *acquisition) summit(rng *rand.Rand, doubt float64) candidate {
	all := append(a.uniform(rng, doubt), a.around(rng, doubt)...)
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(y.value, x.value) })
	best := all[:min(climbed, len(all))]
	for i := range best {
		best[i] = a.climb(rng, best[i], doubt)
	}
	return highest(best)
}

func (a *acquisition) uniform(rng *rand.Rand, doubt float64) []candidate {
	all := make([]candidate, uniformCandidates)
	for i := range all {
		u := make([]float64, a.dim)
		for c := range u {
			u[c] = rng.Float64()
		}
		u = a.settle(u)
		all[i] = candidate{u, a.value(u, doubt)}
	}
	return all
}

// around draws points at all distances from the members of the front.
func (a *acquisition) around(rng *rand.Rand, doubt float64) []candidate {
	all := make([]candidate, localCandidates)
	for i := range all {
		spread := math.Pow(10, -2.5+2*rng.Float64())
		u := a.moved(rng, a.front[i%len(a.front)], spread)
		all[i] = candidate{u, a.value(u, doubt)}
	}
	return all
}

// climb takes random steps that lengthen with success and shorten with failure.
func (a *acquisition) climb(rng *rand.Rand, from candidate, doubt float64) candidate {
	spread := 0.1
	for range climbLength {
		u := a.moved(rng, from.u, spread)
		if v := a.value(u, doubt); v > from.value {
			from = candidate{u, v}
			spread = min(spread*1.5, 0.3)
		} else {
			spread = max(spread*0.87, 0.002)
		}
	}
	return from
}

// moved steps from a point in about half of its coordinates, and in one at least.
func (a *acquisition) moved(rng *rand.Rand, from []float64, spread float64) []float64 {
	u := slices.Clone(from)
	always := rng.IntN(len(u))
	for c := range u {
		if c != always && rng.IntN(2) == 0 {
			continue
		}
		if a.categorical != nil && a.categorical[c] {
			u[c] = rng.Float64()
		} else {
			u[c] += spread * rng.NormFloat64()
		}
	}
	return a.settle(u)
}

// highest is the candidate of the highest value, the first of equal ones.
func highest(all []candidate) candidate {
	best := all[0]
	for _, c := range all[1:] {
		if c.value > best.value {
			best = c
		}
	}
	return best
}
