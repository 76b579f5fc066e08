package pareto

import (
	"cmp"
	"math"
	"slices"
)

// Point is something measured, known by its ID (the number of its trial).
type Point struct {
	ID     int
	Losses []float64
}

// Dominates reports whether a is no worse than b in every loss and better in
// one. Losses of unlike length, or with NaN, dominate nothing.
func Dominates(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	better := false
	for i := range a {
		if !(a[i] <= b[i]) {
			return false
		}
		better = better || a[i] < b[i]
	}
	return better
}

// Front returns the points that no other dominates, sorted by loss 0. Of points
// with equal losses the one with the lowest ID is kept. Points without losses,
// or with one that is not finite, are left out.
func Front(points []Point) []Point {
	sorted := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !finite(p.Losses) })
	slices.SortStableFunc(sorted, func(a, b Point) int {
		return cmp.Or(slices.Compare(a.Losses, b.Losses), cmp.Compare(a.ID, b.ID))
	})
	var front []Point
	for _, p := range sorted {
		// In this order only an earlier point can dominate p, and one that is
		// itself dominated has a dominator in the front.
		beaten := func(q Point) bool { return Dominates(q.Losses, p.Losses) || slices.Equal(q.Losses, p.Losses) }
		if !slices.ContainsFunc(front, beaten) {
			front = append(front, p)
		}
	}
	return front
}

func finite(losses []float64) bool {
	for _, loss := range losses {
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return false
		}
	}
	return len(losses) > 0
}

// Hypervolume2D is the area between the points' front and the reference point
// ref, in units of loss 0 times loss 1. Points that are not better than ref in
// both losses add nothing; neither do points that have not two losses.
func Hypervolume2D(points []Point, ref []float64) float64 {
	if len(ref) != 2 || !finite(ref) {
		return 0
	}
	inside := slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		return len(p.Losses) != 2 || !(p.Losses[0] < ref[0] && p.Losses[1] < ref[1])
	})
	area, ceiling := 0.0, ref[1]
	for _, p := range Front(inside) {
		area += (ref[0] - p.Losses[0]) * (ceiling - p.Losses[1])
		ceiling = p.Losses[1]
	}
	return area
}
