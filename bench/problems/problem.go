// Package problems has bi-objective problems with known fronts, and runs a
// sampler on them. They are cheap stand-ins for a server under load: but for one
// problem, the first loss is the negative logarithm of throughput, the second the
// logarithm of memory.
package problems

import (
	"fmt"

	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// Outcome is what one evaluation yields.
type Outcome struct {
	// Losses are what the sampler is told, nil when the setting is infeasible or
	// the trial has come to nothing.
	Losses []float64
	// True are the losses without noise that the score is made of, nil likewise.
	True       []float64
	Infeasible bool
}

// Problem is a function on a search space.
type Problem struct {
	Name  string
	Space space.Space
	// Reference is the reference point in losses. The sampler is told it, and the
	// score is the hypervolume below it divided by Best, that of a dense front: a
	// search is asked for what it is judged by.
	Reference []float64
	Best      float64
	// Guess is what a search is told beforehand of a setting's losses; nil for
	// nothing.
	Guess func(space.Setting) []float64
	// Evaluate measures the setting of a trial, with the noise of the seed.
	Evaluate func(setting space.Setting, seed uint64, trial int) (Outcome, error)
}

// Record is one search on a problem.
type Record struct {
	History []sampler.Observation
	Scores  []float64 // after each trial
}

// Run asks the sampler for the given number of settings.
func Run(p Problem, s sampler.Sampler, seed uint64, trials int) (Record, error) {
	request := sampler.Request{Space: p.Space, Seed: seed, Reference: p.Reference, Guess: p.Guess}
	var points []pareto.Point
	scores := make([]float64, 0, trials)
	for trial := range trials {
		setting, err := s.Propose(request)
		if err != nil {
			return Record{}, fmt.Errorf("%s: trial %d: %w", p.Name, trial, err)
		}
		outcome, err := p.Evaluate(setting, seed, trial)
		if err != nil {
			return Record{}, fmt.Errorf("%s: trial %d: %w", p.Name, trial, err)
		}
		request.History = append(request.History, sampler.Observation{
			Setting: setting, Losses: outcome.Losses, Infeasible: outcome.Infeasible,
		})
		if outcome.True != nil {
			points = append(points, pareto.Point{ID: trial, Losses: outcome.True})
		}
		scores = append(scores, pareto.Hypervolume2D(points, p.Reference)/p.Best)
	}
	return Record{History: request.History, Scores: scores}, nil
}

// StableAfter is the number of trials after which the search was stable, or of all
// where it never was.
func (r Record) StableAfter(p Problem, seed uint64) int {
	for n := range r.History {
		request := sampler.Request{Space: p.Space, History: r.History[:n], Seed: seed, Reference: p.Reference, Guess: p.Guess}
		if sampler.Stable(request) {
			return n
		}
	}
	return len(r.History)
}
