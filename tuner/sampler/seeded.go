package sampler

import "github.com/gctune/gctune/tuner/space"

// Seeded proposes given settings before it leaves the search to another sampler.
type Seeded struct {
	// Settings are proposed in their order. Those that the space refuses, and
	// those in the history, are passed over.
	Settings []space.Setting
	Next     Sampler
}

var (
	_ Sampler = Seeded{}
	_ stager  = Seeded{}
)

// Name is that of the sampler that does the search.
func (s Seeded) Name() string { return s.Next.Name() }

// Propose returns the first given setting that is new, or asks the next sampler.
func (s Seeded) Propose(r Request) (space.Setting, error) {
	return s.stage(r).Propose(r)
}

func (s Seeded) stage(r Request) Sampler {
	if len(s.Settings) == 0 {
		return s.Next
	}
	tried := seen(r)
	for _, setting := range s.Settings {
		if r.Space.Check(setting) == nil && !tried[r.Space.Key(setting)] {
			return given{setting}
		}
	}
	return s.Next
}

// given proposes one setting that its maker has found to be new.
type given struct{ setting space.Setting }

func (given) Name() string { return "public" }

func (g given) Propose(Request) (space.Setting, error) { return g.setting.Clone(), nil }
