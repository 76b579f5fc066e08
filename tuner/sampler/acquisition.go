package sampler

import (
	"fmt"
	"math"
	"slices"

	"github.com/gctune/gctune/tuner/gp"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// acquisition is the value of measuring a setting, as far as one proposal knows.
type acquisition struct {
	space       space.Space
	dim         int
	categorical []bool
	reference   []float64
	discrete    bool // whether points have to be moved to what they decode to
	losses      [modelledLosses]surrogate
	feasibility *feasibility
	strips      []strip
	tried       [][]float64                 // where losses were measured, or are expected
	front       [][]float64                 // points of the front
	believed    []pareto.Point              // the front, with the losses that are believed
	guess       func(u []float64) []float64 // of the losses; nil where the models have none
	scratch     gp.Scratch
}

func newAcquisition(r Request) (*acquisition, error) {
	l := newLesson(r)
	a := &acquisition{space: r.Space, dim: r.Space.Dim(), categorical: l.categorical, reference: l.reference, discrete: isDiscrete(r.Space)}
	if l.guesses != nil {
		a.guess = func(u []float64) []float64 { return r.Guess(r.Space.Decode(u)) }
	}
	for k := range a.losses {
		s, err := newSurrogate(l.of(k), l.reference[k], l.categorical)
		if err != nil {
			return nil, fmt.Errorf("model of loss %d: %w", k, err)
		}
		a.losses[k] = s
	}
	if err := a.believePending(l); err != nil {
		return nil, err
	}
	var err error
	if a.feasibility, err = newFeasibility(l); err != nil {
		return nil, fmt.Errorf("model of feasibility: %w", err)
	}
	a.frame(l)
	return a, nil
}

// believePending adds the settings that are being measured, with the losses that
// are expected of them, so that nobody is sent to the same place.
func (a *acquisition) believePending(l lesson) error {
	if len(l.pending) == 0 {
		return nil
	}
	for k, s := range a.losses {
		m := l.of(k)
		m.x = append(slices.Clone(l.x), l.pending...)
		for _, u := range l.pending {
			guess := a.guessed(u)[k]
			m.losses = append(m.losses, s.at(u, guess, &a.scratch).median())
			if m.errors != nil {
				m.errors = append(m.errors, 0)
			}
			if m.guesses != nil {
				m.guesses = append(m.guesses, guess)
			}
		}
		conditioned, err := s.condition(m, l.categorical)
		if err != nil {
			return fmt.Errorf("model of loss %d with what is being measured: %w", k, err)
		}
		a.losses[k] = conditioned
	}
	return nil
}

// guessed are the losses that were guessed at u: any where the models know of none,
// and those of the reference point where there is no guess for u alone.
func (a *acquisition) guessed(u []float64) []float64 {
	if a.guess == nil {
		return a.reference
	}
	if guess := a.guess(u); usable(guess, modelledLosses) {
		return guess
	}
	return a.reference
}

// beliefs are in the losses at u.
func (a *acquisition) beliefs(u []float64) (first, second belief) {
	guess := a.guessed(u)
	return a.losses[0].at(u, guess[0], &a.scratch), a.losses[1].at(u, guess[1], &a.scratch)
}

// frame finds the front of the believed losses: single measurements are noisy, and
// a lucky one would hide what is better.
func (a *acquisition) frame(l lesson) {
	var points []pareto.Point
	x := append(slices.Clone(l.x), l.pending...)
	a.tried = x
	for i, u := range x {
		first, second := a.beliefs(u)
		points = append(points, pareto.Point{ID: i, Losses: []float64{first.median(), second.median()}})
	}
	a.believed = pareto.Front(points)
	for _, p := range a.believed {
		a.front = append(a.front, x[p.ID])
	}
	a.strips = undominated(a.believed, l.reference)
}

// value is the expected improvement at u, weighted by how likely u is feasible, with
// the losses' standard deviations multiplied by doubt.
func (a *acquisition) value(u []float64, doubt float64) float64 {
	first, second := a.beliefs(u)
	first.SD *= doubt
	second.SD *= doubt
	v := improvement(a.strips, first, second)
	if a.feasibility != nil {
		v *= a.feasibility.weight(u, &a.scratch)
	}
	return v
}

// few is the number of values below which a parameter counts as discrete.
const few = 64

// isDiscrete reports whether points that lie near one another may well be the same
// setting.
func isDiscrete(s space.Space) bool {
	return slices.ContainsFunc(s.Parameters(), func(p space.Parameter) bool {
		if p.Kind == space.Choice {
			return true
		}
		step := p.Step
		if step == 0 && p.Kind == space.Int {
			step = 1
		}
		return step > 0 && (p.Max-p.Min)/step < few
	})
}

// settle moves a point to the setting that it means.
func (a *acquisition) settle(u []float64) []float64 {
	for i, v := range u {
		u[i] = math.Min(math.Max(v, 0), 1)
	}
	if a.discrete {
		return a.space.Encode(a.space.Decode(u))
	}
	return u
}
