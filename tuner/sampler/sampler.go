// Package sampler proposes the next setting of a study.
//
// A sampler has no memory of its own: it is asked with the whole history and a
// seed, and gives the same answer to the same question. So a study that was
// interrupted goes on as if it had not been.
package sampler

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gctune/gctune/tuner/space"
)

// ErrExhausted is returned when every distinct setting of a space has been tried.
var ErrExhausted = errors.New("every setting of the search space has been tried")

// Observation is one trial of the history.
type Observation struct {
	Setting space.Setting
	// Losses are minimised; nil when the trial yielded none. Those that are not
	// finite, or not as many as the other trials', count as none.
	Losses []float64
	// Errors are the standard errors of the losses, nil where they are not known.
	Errors []float64
	// Infeasible says that the trial failed or violated a constraint.
	Infeasible bool
	// Pending says that the trial is being measured. It has no losses yet.
	Pending bool
}

// Request is the question that a sampler answers.
type Request struct {
	Space space.Space
	// History is in the order of the trials, with trial 0 first.
	History []Observation
	Seed    uint64
	// Reference is the point, in losses, that has to be bettered in every loss to
	// be of use; nil when it is not known.
	Reference []float64
	// Guess tells the losses that are expected of a setting before it is measured,
	// from knowledge of what is searched, in the order of an observation's; nil
	// where it has none. Model corrects it by what is measured, and leaves it where
	// it does not hold.
	Guess func(space.Setting) []float64
}

// Sampler proposes settings. Propose never returns a setting whose key is in the
// history; it returns ErrExhausted when no other is left.
type Sampler interface {
	Name() string
	Propose(Request) (space.Setting, error)
}

// Names returns the names that New knows, the default first.
func Names() []string {
	return []string{"model", "tpe", "cmaes", "nsga2", "sobol", "random"}
}

// New returns the sampler of that name, which first proposes the given settings.
// The error for an unknown name lists the names.
func New(name string, seeds []space.Setting) (Sampler, error) {
	switch name {
	case "model":
		return Default(seeds), nil
	case "tpe":
		return Seeded{Settings: seeds, Next: TPE{}}, nil
	case "cmaes":
		return Seeded{Settings: seeds, Next: CMAES{}}, nil
	case "nsga2":
		return Seeded{Settings: seeds, Next: NSGA2{}}, nil
	case "sobol":
		return Seeded{Settings: seeds, Next: Sobol{}}, nil
	case "random":
		return Seeded{Settings: seeds, Next: Random{}}, nil
	}
	return nil, fmt.Errorf("unknown sampler %q: choose one of %s", name, strings.Join(Names(), ", "))
}

// stager is a sampler that hands each request to one of several others.
type stager interface {
	stage(Request) Sampler
}

// Origin names the sampler that answers the request in the end, where s is made
// of several.
func Origin(s Sampler, request Request) string {
	for {
		composed, ok := s.(stager)
		if !ok {
			return s.Name()
		}
		s = composed.stage(request)
	}
}
