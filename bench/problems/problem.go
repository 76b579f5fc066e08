// Package problems has bi-objective problems with known fronts, and runs a
// sampler on them. They are cheap stand-ins for a server under load: the first
// loss is the negative logarithm of throughput, the second the logarithm of
// memory.
package problems

import (
	"fmt"

	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// Outcome is what one evaluation yields.
type Outcome struct {
	// Losses are what the sampler is told, nil when the setting is infeasible.
	Losses []float64
	// True are the losses without noise that the score is made of.
	True       []float64
	Infeasible bool
}

// Problem is a function on a search space.
type Problem struct {
	Name  string
	Space space.Space
	// Reference is the reference point that the sampler is told, in losses.
	Reference []float64
	// Evaluate measures the setting of a trial, with the noise of the seed.
	Evaluate func(setting space.Setting, seed uint64, trial int) (Outcome, error)
	// ScoreReference and Best turn true losses into a score: the hypervolume
	// below ScoreReference, divided by Best, that of a dense front.
	ScoreReference []float64
	Best           float64
}

// Run asks the sampler for the given number of settings and returns the score
// after each.
func Run(p Problem, s sampler.Sampler, seed uint64, trials int) ([]float64, error) {
	request := sampler.Request{Space: p.Space, Seed: seed, Reference: p.Reference}
	var points []pareto.Point
	scores := make([]float64, 0, trials)
	for trial := range trials {
		setting, err := s.Propose(request)
		if err != nil {
			return nil, fmt.Errorf("%s: trial %d: %w", p.Name, trial, err)
		}
		outcome, err := p.Evaluate(setting, seed, trial)
		if err != nil {
			return nil, fmt.Errorf("%s: trial %d: %w", p.Name, trial, err)
		}
		request.History = append(request.History, sampler.Observation{
			Setting: setting, Losses: outcome.Losses, Infeasible: outcome.Infeasible,
		})
		if !outcome.Infeasible {
			points = append(points, pareto.Point{ID: trial, Losses: outcome.True})
		}
		scores = append(scores, pareto.Hypervolume2D(points, p.ScoreReference)/p.Best)
	}
	return scores, nil
}
