package sampler

import (
	"math"
	"slices"

	"github.com/c-bata/goptuna/cmaes"
)

// This file is the adapter to goptuna's CMA-ES. Its strategy is used, on unit
// coordinates; its sampler is not, for in v0.9.0 it minimises what is to be
// maximised, knows one loss only, cannot be resumed, and hardly reaches the right
// ends of integers. The strategy itself draws again what is not strictly within
// its bounds, so it is given none; it sorts values in an order that ties leave
// open, so it is told ranks; it goes on with the memory of its first mean, so it
// gets a copy; and it takes roots of eigenvalues below zero, so what it asks for
// is looked at.

// stepSize is the standard deviation of the first generation in each coordinate.
const stepSize = 0.2

// evolution is a strategy that is asked for points and told which were better.
type evolution struct {
	optimizer *cmaes.Optimizer
	ended     bool
}

// newEvolution returns a strategy that searches around mean first.
func newEvolution(mean []float64, seed int64) (*evolution, error) {
	optimizer, err := cmaes.NewOptimizer(slices.Clone(mean), stepSize, cmaes.OptimizerOptionSeed(seed))
	if err != nil {
		return nil, err
	}
	return &evolution{optimizer: optimizer}, nil
}

// population is how many points make a generation.
func (e *evolution) population() int { return e.optimizer.PopulationSize() }

// ask draws a point of the unit cube, moving what lies outside to its edge, so
// that the ends of ranges are reached; false when the strategy is at its end.
func (e *evolution) ask() ([]float64, bool) {
	if e.ended {
		return nil, false
	}
	point, err := e.optimizer.Ask()
	if err != nil {
		return nil, false
	}
	for i, x := range point {
		if math.IsNaN(x) {
			return nil, false
		}
		point[i] = min(max(x, 0), 1)
	}
	return point, true
}

// tell hands over the points of a generation, best first. A strategy that has
// converged, or lost its way, is at its end.
func (e *evolution) tell(ranking [][]float64) {
	solutions := make([]*cmaes.Solution, len(ranking))
	for i, point := range ranking {
		solutions[i] = &cmaes.Solution{Params: point, Value: float64(i)}
	}
	if err := e.optimizer.Tell(solutions); err != nil || e.optimizer.ShouldStop() {
		e.end()
	}
}

func (e *evolution) end() { e.ended = true }
