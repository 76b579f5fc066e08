package importance

import (
	"math/rand/v2"
	"slices"
)

// Region is how each coordinate is distributed by itself: for each, values in
// ascending order, all as likely.
//
// Indices need coordinates that are independent of one another. Those of the
// settings in a part of the space are not; a region keeps what can be kept, the
// range of each and where in it the settings gather.
type Region [][]float64

// RegionOf is the region of points, of which there has to be one at least.
func RegionOf(points [][]float64) Region {
	r := make(Region, len(points[0]))
	for c := range r {
		for _, u := range points {
			r[c] = append(r[c], u[c])
		}
		slices.Sort(r[c])
	}
	return r
}

// sample draws n points with each coordinate's values evenly spread: a Latin
// hypercube (M. McKay, R. Beckman, W. Conover, Technometrics 21(2), 1979).
func (r Region) sample(n int, rng *rand.Rand) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, len(r))
	}
	for c, column := range r {
		for i, stratum := range rng.Perm(n) {
			share := (float64(stratum) + rng.Float64()) / float64(n)
			points[i][c] = column[min(int(share*float64(len(column))), len(column)-1)]
		}
	}
	return points
}

// with is the region with one more coordinate, which is uniform.
func (r Region) with(values int) Region {
	column := make([]float64, values)
	for i := range column {
		column[i] = (float64(i) + 0.5) / float64(values)
	}
	return append(slices.Clip(r), column)
}
