package sampler

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// guided proposes the setting that adds most to the hypervolume by the request's
// guesses alone, those of the trials so far included: while hardly anything is
// measured there is nothing to correct them by.
type guided struct {
	settings []space.Setting // looked at beside points of the whole space
}

// Name is "predicted".
func (guided) Name() string { return "predicted" }

func (g guided) Propose(r Request) (space.Setting, error) {
	rng := source(r, guidedPurpose)
	p := newPredicted(r)
	best := p.best(append(p.given(g.settings), p.uniform(rng)...))
	for i := range best {
		best[i] = p.climb(rng, best[i])
	}
	top := highest(best)
	if top.value <= 0 { // by the guesses nothing betters the reference point
		return Sobol{}.Propose(r)
	}
	return unseen(r, top.u, rng)
}

// guidedPurpose is that of the random numbers of a guided proposal.
const guidedPurpose = 9

// predicted is the front as the guesses have it.
type predicted struct {
	request   Request
	reference []float64
	points    []pareto.Point
	volume    float64
}

func newPredicted(r Request) predicted {
	p := predicted{request: r, reference: referenceOf(r)}
	for i, o := range r.History {
		if guess := r.Guess(o.Setting); !o.Infeasible && usable(guess, modelledLosses) {
			p.points = append(p.points, pareto.Point{ID: i, Losses: guess})
		}
	}
	p.points = pareto.Front(p.points)
	p.volume = pareto.Hypervolume2D(p.points, p.reference)
	return p
}

// at is the candidate at u, with the hypervolume that it adds.
func (p predicted) at(u []float64) candidate {
	guess := p.request.Guess(p.request.Space.Decode(u))
	if !usable(guess, modelledLosses) {
		return candidate{u, 0}
	}
	with := append(slices.Clone(p.points), pareto.Point{ID: len(p.request.History), Losses: guess})
	return candidate{u, pareto.Hypervolume2D(with, p.reference) - p.volume}
}

func (p predicted) given(settings []space.Setting) []candidate {
	var all []candidate
	tried := seen(p.request)
	for _, s := range settings {
		if p.request.Space.Check(s) == nil && !tried[p.request.Space.Key(s)] {
			all = append(all, p.at(p.request.Space.Encode(s)))
		}
	}
	return all
}

func (p predicted) uniform(rng *rand.Rand) []candidate {
	all := make([]candidate, uniformCandidates)
	for i := range all {
		u := make([]float64, p.request.Space.Dim())
		for c := range u {
			u[c] = rng.Float64()
		}
		all[i] = p.at(u)
	}
	return all
}

// best are the highest of the candidates, as many as are climbed from.
func (p predicted) best(all []candidate) []candidate {
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(y.value, x.value) })
	return all[:min(climbed, len(all))]
}

// climb takes random steps in some of the coordinates.
func (p predicted) climb(rng *rand.Rand, from candidate) candidate {
	for range climbLength {
		u := slices.Clone(from.u)
		for c := range u {
			if rng.IntN(2) == 0 {
				u[c] = min(max(u[c]+0.1*rng.NormFloat64(), 0), 1)
			}
		}
		if next := p.at(u); next.value > from.value {
			from = next
		}
	}
	return from
}
