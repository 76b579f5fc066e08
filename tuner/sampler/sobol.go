package sampler

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/c-bata/goptuna/sobol"

	"github.com/gctune/gctune/tuner/space"
)

// Sobol walks a scrambled Sobol sequence, which fills the space more evenly than
// random points do. The seed chooses the scrambling, the length of the history
// the point of the sequence.
type Sobol struct{}

var _ Sampler = Sobol{}

// sobolDimensions is what the table of direction numbers has; the engine panics
// beyond it.
const sobolDimensions = 21198

// Name is "sobol".
func (Sobol) Name() string { return "sobol" }

// Propose returns the sequence's next point, or a new setting near it.
func (Sobol) Propose(r Request) (space.Setting, error) {
	dim := r.Space.Dim()
	if dim > sobolDimensions {
		return nil, fmt.Errorf("a Sobol sequence has %d dimensions at most, the search space has %d", sobolDimensions, dim)
	}
	return unseen(r, sobolPoint(r.Seed, len(r.History), dim), source(r, 2))
}

// sobolPoint is point n of the scrambled sequence. The engine starts after the
// origin, which is point 0 here: only with it are the first 2^k points balanced.
func sobolPoint(seed uint64, n, dim int) []float64 {
	engine := sobol.NewEngine(uint32(max(dim, 1))) // it panics on none
	point := make([]float64, max(dim, 1))
	for range n {
		point = engine.Draw()
	}
	point = point[:dim]
	scrambles := rand.New(rand.NewPCG(seed, 0))
	for i := range point {
		digits := uint32(point[i] * (1 << 32))
		point[i] = (float64(owen(digits, scrambles.Uint32())) + 0.5) / (1 << 32)
	}
	return point
}

// owen scrambles the binary digits of a coordinate so that each digit's flip
// depends on all digits before it (B. Burley, Practical hash-based Owen
// scrambling, Journal of Computer Graphics Techniques 9(4), 2020, with the hash
// of S. Laine and T. Karras, 2011). It keeps the sequence's balance.
func owen(digits, seed uint32) uint32 {
	x := bits.Reverse32(digits) + seed
	for _, factor := range [...]uint32{0x6c50b47c, 0xb82f1e52, 0xc7afe638, 0x8d22f6e6} {
		x ^= x * factor
	}
	return bits.Reverse32(x)
}
