package problems

import "github.com/gctune/gctune/tuner/space"

// Kinds of guesses of a problem's losses, in the place of what a model of what is
// searched would say.
const (
	// ExactGuess: the losses themselves.
	ExactGuess = "exact"
	// NearGuess: those of another setting, each parameter of which is off by a
	// twelfth of its range, in turn up and down.
	NearGuess = "near"
	// WrongGuess: those of a setting with every parameter's value turned around and
	// given to another parameter.
	WrongGuess = "wrong"
)

// GuessKinds are all kinds.
func GuessKinds() []string { return []string{ExactGuess, NearGuess, WrongGuess} }

// nearBy is how far off a near guess is.
const nearBy = 1.0 / 12

// WithGuess is the problem of which a search is told guesses.
func WithGuess(p Problem, kind string) Problem {
	evaluate, s := p.Evaluate, p.Space
	p.Guess = func(setting space.Setting) []float64 {
		outcome, err := evaluate(s.Decode(mistaken(s.Encode(setting), kind)), 0, 0)
		if err != nil {
			return nil
		}
		return outcome.True
	}
	return p
}

// mistaken is the point that is guessed from.
func mistaken(u []float64, kind string) []float64 {
	v := make([]float64, len(u))
	for i := range u {
		switch kind {
		case NearGuess:
			v[i] = min(max(u[i]+nearBy*float64(1-2*(i%2)), 0), 1)
		case WrongGuess:
			v[i] = 1 - u[(i+1)%len(u)]
		default:
			v[i] = u[i]
		}
	}
	return v
}
