package sampler

import (
	"cmp"
	"math"
	"slices"

	"github.com/gctune/gctune/tuner/pareto"
)

// trial is an observation that can be learnt from, with what it is ranked by, in
// this order. All are better when less.
type trial struct {
	number     int // in the history
	u          []float64
	infeasible int     // 1 for an infeasible trial, whatever its losses
	beyond     float64 // how far it is from the reference point, 0 within it
	front      int     // its non-dominated rank, 0 for the front
	fold       float64 // its losses folded into one by random weights
}

// rank returns the trials that can be learnt from, best first: feasible ones
// before the others, those within the reference point before those beyond it,
// and then front by front (K. Deb et al., A fast and elitist multiobjective
// genetic algorithm: NSGA-II, IEEE Transactions on Evolutionary Computation 6(2),
// 2002). The weights, drawn from an exponential distribution so that all mixtures
// are equally likely, choose a part of the front to work on.
func rank(r Request, draw func() float64) []trial {
	s := newScale(r)
	weights := make([]float64, len(s.ideal))
	for i := range weights {
		weights[i] = draw()
	}
	fronts := map[int]int{}
	addFronts(fronts, r.History, len(s.ideal), false)
	addFronts(fronts, r.History, len(s.ideal), true)
	var trials []trial
	for number, o := range r.History {
		t := trial{number: number, beyond: math.Inf(1), fold: math.Inf(1)}
		if usable(o.Losses, len(s.ideal)) {
			t.beyond, t.front, t.fold = s.beyond(o.Losses), fronts[number], s.chebyshev(o.Losses, weights)
		} else if !o.Infeasible {
			continue
		}
		if o.Infeasible {
			t.infeasible = 1
		}
		t.u = r.Space.Encode(o.Setting)
		trials = append(trials, t)
	}
	slices.SortStableFunc(trials, compareTrials)
	return trials
}

func compareTrials(a, b trial) int {
	return cmp.Or(
		cmp.Compare(a.infeasible, b.infeasible),
		cmp.Compare(a.beyond, b.beyond),
		cmp.Compare(a.front, b.front),
		cmp.Compare(a.fold, b.fold),
	)
}

// addFronts notes for each feasible, or each infeasible, observation with the
// given number of losses how many fronts of its kind have to be taken away before
// it is on the front. Of equal losses the later are ranked behind.
func addFronts(fronts map[int]int, history []Observation, losses int, infeasible bool) {
	var left []pareto.Point
	for number, o := range history {
		if o.Infeasible == infeasible && usable(o.Losses, losses) {
			left = append(left, pareto.Point{ID: number, Losses: o.Losses})
		}
	}
	for depth := 0; len(left) > 0; depth++ {
		for _, p := range pareto.Front(left) {
			fronts[p.ID] = depth
		}
		left = slices.DeleteFunc(left, func(p pareto.Point) bool {
			_, ranked := fronts[p.ID]
			return ranked
		})
	}
}
