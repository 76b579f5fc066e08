// Package importance divides the variance of a loss among the parameters that
// cause it.
//
// The shares are the variance-based indices of I. Sobol' (Global sensitivity
// indices for nonlinear mathematical models and their Monte Carlo estimates,
// Mathematics and Computers in Simulation 55, 2001): the first-order index is the
// share of a parameter by itself, the total index that with all of its
// interactions. They are taken of a Gaussian process that is fitted to the trials.
package importance

import "math/rand/v2"

// Index is a parameter's share in the variance of a function, from 0 to 1. Total
// indices add up to more than 1 where parameters interact.
type Index struct{ First, Total float64 }

// evenly is the total index from which a parameter's first-order index is
// estimated by its squared differences, which are the more exact the larger the
// index, and not by its products, which are the more exact the smaller it is.
const evenly = 0.5

// Indices estimates the indices of a function of independent coordinates, each
// distributed as the region says, from n+n points and n more for each coordinate.
// Total indices are by M. Jansen (Analysis of variance designs for model output,
// Computer Physics Communications 117, 1999), first-order ones by Jansen or by A.
// Saltelli et al. (Variance based sensitivity analysis of model output, Computer
// Physics Communications 181, 2010, table 2, b). It returns nil for a function
// that is constant there.
func Indices(f func(u []float64) float64, r Region, n int, rng *rand.Rand) []Index {
	a, b := r.sample(n, rng), r.sample(n, rng)
	fa, fb := values(f, a), values(f, b)
	mean, variance := moments(append(append([]float64(nil), fa...), fb...))
	if !(variance > 0) {
		return nil
	}
	indices := make([]Index, len(r))
	for c := range r {
		var own, others, products float64
		for i, u := range a {
			kept := u[c]
			u[c] = b[i][c]
			mixed := f(u)
			u[c] = kept
			own += (fa[i] - mixed) * (fa[i] - mixed)
			others += (fb[i] - mixed) * (fb[i] - mixed)
			products += (fb[i] - mean) * (mixed - fa[i])
		}
		scale := variance * float64(n)
		total, first := own/2/scale, products/scale
		if total > evenly {
			first = 1 - others/2/scale
		}
		total = min(total, 1)
		indices[c] = Index{First: min(max(first, 0), total), Total: total}
	}
	return indices
}

func values(f func([]float64) float64, points [][]float64) []float64 {
	y := make([]float64, len(points))
	for i, u := range points {
		y[i] = f(u)
	}
	return y
}

// moments are the mean and the variance.
func moments(y []float64) (mean, variance float64) {
	n := float64(len(y))
	for _, v := range y {
		mean += v / n
	}
	for _, v := range y {
		variance += (v - mean) * (v - mean) / n
	}
	return mean, variance
}
