package sampler

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/c-bata/goptuna/tpe"
)

// This file is the adapter to goptuna's TPE. Its Parzen estimator, its weights
// and its split are used; the rest of its sampler is not, for in v0.9.0 it
// scores every float as NaN, draws from a generator that cannot be seeded, never
// reaches the upper end of an integer and knows one loss only. Drawing and
// scoring are done here, on unit coordinates.

// overhang is how far densities reach beyond the unit interval on each side.
// Decode moves what lies there to the end, which is so reached with certainty
// where the optimum is at an end.
const overhang = 0.02

// candidates are drawn for each parameter, as in goptuna.
const candidates = 24

// goodTrials is the number of trials that count as good ones.
func goodTrials(n int) int { return tpe.DefaultGamma(n) }

// mixture is a Parzen estimate: normal densities, cut off beyond the overhang.
type mixture struct {
	weights, means, sigmas []float64
}

// newMixture estimates the density of values, which are in the order of their
// trials.
func newMixture(values []float64) mixture {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compareFloats(values[a], values[b])
	})
	estimator := tpe.NewParzenEstimator(pick(values, order), -overhang, 1+overhang, tpe.ParzenEstimatorParams{
		ConsiderPrior: true, PriorWeight: 1, ConsiderMagicClip: true,
		// The estimator sorts its argument while it computes the order, and then
		// applies the order again: values have to be sorted before, and the
		// weights, which go by age, along with them.
		Weights: func(n int) []float64 { return pick(tpe.DefaultWeights(n), order) },
	})
	return mixture{estimator.Weights, estimator.Mus, estimator.Sigmas}
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func pick(values []float64, order []int) []float64 {
	picked := make([]float64, len(order))
	for i, k := range order {
		picked[i] = values[k]
	}
	return picked
}

// draw samples the mixture. A component has a good part of its mass inside the
// interval, since its mean lies there, so few draws are rejected.
func (m mixture) draw(rng *rand.Rand) float64 {
	for range 100 {
		k := pickIndex(m.weights, rng)
		x := m.means[k] + m.sigmas[k]*rng.NormFloat64()
		if x >= -overhang && x <= 1+overhang {
			return x
		}
	}
	return rng.Float64()
}

// pickIndex draws an index with the given probabilities.
func pickIndex(probabilities []float64, rng *rand.Rand) int {
	x := rng.Float64()
	for i, p := range probabilities {
		if x -= p; x < 0 {
			return i
		}
	}
	return len(probabilities) - 1
}

// logDensity is the logarithm of the mixture's density at x, up to a constant.
func (m mixture) logDensity(x float64) float64 {
	density := 0.0
	for k, mean := range m.means {
		sigma := m.sigmas[k]
		inside := normalCDF((1+overhang-mean)/sigma) - normalCDF((-overhang-mean)/sigma)
		z := (x - mean) / sigma
		density += m.weights[k] * math.Exp(-z*z/2) / (sigma * inside)
	}
	return math.Log(density)
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// drawNumber returns the best of the candidates drawn from the good trials.
func drawNumber(good, bad []float64, rng *rand.Rand) float64 {
	below, above := newMixture(good), newMixture(bad)
	best, highest := 0.5, math.Inf(-1)
	for range candidates {
		x := below.draw(rng)
		if ratio := below.logDensity(x) - above.logDensity(x); ratio > highest {
			best, highest = x, ratio
		}
	}
	return best
}

// drawChoice returns the coordinate of one of n values: of candidates drawn from
// the good trials, the one that is commonest there relative to the bad ones.
// Among equals the first drawn wins, so that no value is preferred by its place.
func drawChoice(good, bad []float64, n int, rng *rand.Rand) float64 {
	below, above := frequencies(good, n), frequencies(bad, n)
	best, highest := 0, math.Inf(-1)
	for range candidates {
		k := pickIndex(below, rng)
		if ratio := below[k] / above[k]; ratio > highest {
			best, highest = k, ratio
		}
	}
	return (float64(best) + 0.5) / float64(n)
}

// frequencies counts the values, with a prior of one each, as shares of the sum.
func frequencies(coordinates []float64, n int) []float64 {
	shares := make([]float64, n)
	weights := tpe.DefaultWeights(len(coordinates))
	sum := float64(n)
	for i := range shares {
		shares[i] = 1
	}
	for k, u := range coordinates {
		shares[min(int(u*float64(n)), n-1)] += weights[k]
		sum += weights[k]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}
