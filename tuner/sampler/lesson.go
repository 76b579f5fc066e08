package sampler

import (
	"math"
	"slices"

	"github.com/gctune/gctune/tuner/space"
)

// lesson is what a history teaches the models.
type lesson struct {
	x           [][]float64 // where losses were measured
	losses      [][]float64
	errors      [][]float64 // standard errors of the losses, nil where none are known
	guesses     [][]float64 // of the losses, before they were measured; nil for none
	infeasible  [][]float64 // where a setting proved infeasible
	pending     [][]float64 // what is being measured
	reference   []float64
	categorical []bool
}

// learnt caps the trials that models are conditioned on, as time and memory grow
// with the square.
const learnt = 250

func newLesson(r Request) lesson {
	l := lesson{reference: referenceOf(r), categorical: categorical(r.Space)}
	withErrors, withGuesses := true, r.Guess != nil
	for _, o := range instructive(r) {
		u := r.Space.Encode(o.Setting)
		switch {
		case o.Infeasible:
			l.infeasible = append(l.infeasible, u)
		case usable(o.Losses, modelledLosses):
			l.x = append(l.x, u)
			l.losses = append(l.losses, o.Losses)
			l.errors = append(l.errors, o.Errors)
			withErrors = withErrors && usable(o.Errors, modelledLosses)
			if withGuesses {
				guess := r.Guess(o.Setting)
				l.guesses = append(l.guesses, guess)
				withGuesses = usable(guess, modelledLosses)
			}
		case o.Pending:
			l.pending = append(l.pending, u)
		}
	}
	if !withErrors {
		l.errors = nil
	}
	if !withGuesses {
		l.guesses = nil
	}
	return l
}

// instructive is the history, or where that is long its most instructive trials,
// in their order: the best by rank, the others evenly thinned, and what is pending.
func instructive(r Request) []Observation {
	if len(r.History) <= learnt {
		return r.History
	}
	ranked := rank(r, func() float64 { return 1 })
	chosen := map[int]bool{}
	best, rest := ranked[:min(learnt/2, len(ranked))], ranked[min(learnt/2, len(ranked)):]
	for _, t := range best {
		chosen[t.number] = true
	}
	for k := range min(learnt/2, len(rest)) {
		chosen[rest[k*len(rest)/(learnt/2)].number] = true
	}
	var kept []Observation
	for number, o := range r.History {
		if chosen[number] || o.Pending {
			kept = append(kept, o)
		}
	}
	return kept
}

// referenceOf is the reference point, or where none is known the worst of each
// loss.
func referenceOf(r Request) []float64 {
	if usable(r.Reference, modelledLosses) {
		return r.Reference
	}
	worst := []float64{math.Inf(-1), math.Inf(-1)}
	for _, losses := range comparableLosses(r.History, false) {
		for k, loss := range losses {
			worst[k] = max(worst[k], loss)
		}
	}
	return worst
}

// categorical marks the parameters without an order; nil where there are none.
func categorical(s space.Space) []bool {
	marks := make([]bool, s.Dim())
	for i, p := range s.Parameters() {
		marks[i] = p.Kind == space.Choice
	}
	if !slices.Contains(marks, true) {
		return nil
	}
	return marks
}

// entries takes entry k of each row; nil of none.
func entries(rows [][]float64, k int) []float64 {
	if rows == nil {
		return nil
	}
	values := make([]float64, len(rows))
	for i, row := range rows {
		values[i] = row[k]
	}
	return values
}
