package sampler

import "github.com/gctune/gctune/tuner/space"

// Random draws uniformly from the unit cube of the space.
type Random struct{}

var _ Sampler = Random{}

// Name is "random".
func (Random) Name() string { return "random" }

// Propose draws a setting that is not in the history.
func (Random) Propose(r Request) (space.Setting, error) {
	rng := source(r, 1)
	u := make([]float64, r.Space.Dim())
	for i := range u {
		u[i] = rng.Float64()
	}
	return unseen(r, u, rng)
}
