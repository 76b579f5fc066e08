package sampler

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gctune/gctune/tuner/pareto"
)

// A search can settle in the wrong place: where a parameter was bad together with a
// value of another one that has long been left, the models take it to be bad
// everywhere. What explores leaps then. A leap takes a member of the front and moves
// one coordinate into the widest range in which nothing like the front was tried.
const (
	leapFrom   = 12   // trials from which on searches leap
	leapAfter  = 6    // trials in which the hypervolume
	leapGrowth = 0.05 // has grown by this share at most
	leapRange  = 0.3  // is the least that is leapt into, of a coordinate's whole range
	leapNear   = 0.15 // is as far as all other coordinates of what is like the front may be from it
	leapLikely = 0.5  // is how likely a setting has to be feasible at least
)

// stagnates reports whether the hypervolume has hardly grown lately.
func stagnates(r Request, reference []float64) bool {
	n := len(r.History)
	if n < leapFrom {
		return false
	}
	now := hypervolumeOf(r.History, reference)
	return now-hypervolumeOf(r.History[:n-leapAfter], reference) <= leapGrowth*now
}

func hypervolumeOf(history []Observation, reference []float64) float64 {
	var points []pareto.Point
	for i, o := range history {
		if !o.Infeasible && usable(o.Losses, modelledLosses) {
			points = append(points, pareto.Point{ID: i, Losses: o.Losses})
		}
	}
	return pareto.Hypervolume2D(points, reference)
}

// leap returns where to leap: into the widest range that is likely to be feasible, or nil
// where there is none.
func (a *acquisition) leap(rng *rand.Rand) []float64 {
	gaps := a.gaps()
	if len(a.front) == 0 || len(gaps) == 0 {
		return nil
	}
	from := a.front[rng.IntN(len(a.front))]
	for _, g := range gaps {
		u := slices.Clone(from)
		u[g.coordinate] = g.middle
		if u = a.settle(u); a.feasibility == nil || a.feasibility.weight(u, &a.scratch) >= leapLikely {
			return u
		}
	}
	return nil
}

// gap is a range of a coordinate in which nothing like the front was tried.
type gap struct {
	coordinate    int
	width, middle float64
}

// gaps are the widest of each coordinate that is wide enough, the widest first.
func (a *acquisition) gaps() (all []gap) {
	for k := range a.dim {
		if a.categorical != nil && a.categorical[k] {
			continue
		}
		if width, middle := widestGap(a.triedLikeFront(k)); width > leapRange {
			all = append(all, gap{k, width, middle})
		}
	}
	slices.SortStableFunc(all, func(x, y gap) int { return cmp.Compare(y.width, x.width) })
	return all
}

// triedLikeFront are the values of a coordinate, in order, that were tried with all
// others like those of a member of the front.
func (a *acquisition) triedLikeFront(coordinate int) (values []float64) {
	for _, u := range a.tried {
		like := func(member []float64) bool {
			for k := range member {
				if k != coordinate && math.Abs(member[k]-u[k]) > leapNear {
					return false
				}
			}
			return true
		}
		if slices.ContainsFunc(a.front, like) {
			values = append(values, u[coordinate])
		}
	}
	slices.Sort(values)
	return values
}

// widestGap is the largest distance to the nearest of ordered values that a point
// between 0 and 1 can have, and a point in that gap: its middle, or towards an edge two
// thirds of the way, as the edge itself is seldom what is looked for.
func widestGap(values []float64) (width, middle float64) {
	if len(values) == 0 {
		return 0, 0
	}
	consider := func(w, m float64) {
		if w > width {
			width, middle = w, m
		}
	}
	const toEdge = 2.0 / 3
	first, last := values[0], values[len(values)-1]
	consider(first, first*(1-toEdge))
	consider(1-last, last+(1-last)*toEdge)
	for i, v := range values[1:] {
		consider((v-values[i])/2, (v+values[i])/2)
	}
	return width, middle
}
