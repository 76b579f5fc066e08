package sampler

import "github.com/gctune/gctune/tuner/space"

// Default returns the sampler that is best as far as was measured: the given
// settings, a few points of a Sobol sequence, and then Model. Where a request has
// guesses, they choose the first points instead, among them the given settings.
func Default(seeds []space.Setting) Sampler {
	return schedule{seeds}
}

// schedule decides by the length of the history who proposes.
type schedule struct{ seeds []space.Setting }

var (
	_ Sampler = schedule{}
	_ stager  = schedule{}
)

// firstPoints are measured before a model is asked, the baseline among them. Four
// were better than five, eight and twelve.
const firstPoints = 4

// Name is "model".
func (schedule) Name() string { return "model" }

// Propose asks whose turn it is.
func (s schedule) Propose(r Request) (space.Setting, error) {
	return s.stage(r).Propose(r)
}

func (s schedule) stage(r Request) Sampler {
	switch {
	case r.Guess != nil && len(r.History) >= firstPoints:
		return Model{}
	case r.Guess != nil:
		return guided{s.seeds}
	}
	return Seeded{Settings: s.seeds, Next: unguided{startAfter: len(s.seeds)}}
}

// unguided has nothing but the trials to go by.
type unguided struct{ startAfter int }

var (
	_ Sampler = unguided{}
	_ stager  = unguided{}
)

func (unguided) Name() string { return "model" }

func (s unguided) Propose(r Request) (space.Setting, error) {
	return s.stage(r).Propose(r)
}

func (s unguided) stage(r Request) Sampler {
	if len(r.History) < s.startAfter+firstPoints {
		return Sobol{}
	}
	return Model{}
}
