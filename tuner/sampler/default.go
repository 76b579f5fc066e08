package sampler

import "github.com/gctune/gctune/tuner/space"

// Default returns the sampler that is best as far as was measured: the given
// settings, a few points of a Sobol sequence, and then Model.
func Default(seeds []space.Setting) Sampler {
	return Seeded{Settings: seeds, Next: schedule{startAfter: len(seeds)}}
}

// schedule decides by the length of the history who proposes.
type schedule struct{ startAfter int }

var (
	_ Sampler = schedule{}
	_ stager  = schedule{}
)

// firstPoints are measured before a model is asked, the baseline among them. Four
// were better than five, eight and twelve.
const firstPoints = 4

func (schedule) Name() string { return "model" }

func (s schedule) Propose(r Request) (space.Setting, error) {
	return s.stage(r).Propose(r)
}

func (s schedule) stage(r Request) Sampler {
	if len(r.History) < s.startAfter+firstPoints {
		return Sobol{}
	}
	return Model{}
}
