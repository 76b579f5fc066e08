package tuner

import (
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// Request is what a sampler is asked after the trials, in a study's space and with
// its seed.
func (d Definition) Request(s space.Space, seed uint64, trials []Scored) sampler.Request {
	return sampler.Request{
		Space:     s,
		History:   d.history(trials),
		Seed:      seed,
		Reference: d.Reference(trials),
	}
}
