package sampler

import "github.com/gctune/gctune/tuner/space"

// Default returns the sampler that is best as far as was measured: the given
// settings, then a Sobol sequence until there is something to learn from, then
// TPE with an exploring step now and then.
func Default(seeds []space.Setting) Sampler {
	return Seeded{Settings: seeds, Next: schedule{startAfter: len(seeds)}}
}

// schedule decides by the length of the history who proposes.
type schedule struct{ startAfter int }

var (
	_ Sampler = schedule{}
	_ stager  = schedule{}
)

const (
	minStart = 8
	// explorePeriod: every so many proposals one explores, which frees a search
	// that exploits the wrong region.
	explorePeriod = 5
)

func (schedule) Name() string { return "auto" }

func (s schedule) Propose(r Request) (space.Setting, error) {
	return s.stage(r).Propose(r)
}

func (s schedule) stage(r Request) Sampler {
	started := len(r.History) - s.startAfter - max(minStart, r.Space.Dim())
	if started < 0 || started%explorePeriod == explorePeriod-1 {
		return Sobol{}
	}
	return TPE{}
}
