package sampler

import (
	"math"
	"math/rand/v2"

	"github.com/gctune/gctune/tuner/space"
)

const (
	// perturbations is how often a duplicate is moved before the space is
	// enumerated, which is dear and only needed where few settings are left.
	perturbations = 64
	// enumerated is how many settings are looked at for the nearest new one.
	enumerated = 4096
)

// source returns the random numbers of one proposal. The purpose keeps samplers
// of one study from drawing the same ones.
func source(r Request, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(r.Seed^purpose*0x9e3779b97f4a7c15, uint64(len(r.History))))
}

// seen is the set of the history's keys.
func seen(r Request) map[string]bool {
	keys := make(map[string]bool, len(r.History))
	for _, o := range r.History {
		keys[r.Space.Key(o.Setting)] = true
	}
	return keys
}

// unseen returns the setting at u, or else a new one near it.
func unseen(r Request, u []float64, rng *rand.Rand) (space.Setting, error) {
	tried := seen(r)
	moved := append([]float64(nil), u...)
	for attempt := range perturbations {
		setting := r.Space.Decode(moved)
		if !tried[r.Space.Key(setting)] {
			return setting, nil
		}
		spread := 0.5 * float64(attempt+1) / perturbations
		for i := range moved {
			moved[i] = min(max(u[i]+spread*rng.NormFloat64(), 0), 1)
		}
	}
	return nearest(r, u, tried)
}

// nearest enumerates settings for the new one that is closest to u. It looks at
// more settings than the history has, so it misses none in a space that is not
// exhausted.
func nearest(r Request, u []float64, tried map[string]bool) (space.Setting, error) {
	var best space.Setting
	least, looked := math.Inf(1), 0
	for setting := range r.Space.All() {
		if looked++; looked > enumerated+len(tried) {
			break
		}
		if tried[r.Space.Key(setting)] {
			continue
		}
		if distance := squaredDistance(r.Space.Encode(setting), u); distance < least {
			best, least = setting, distance
		}
	}
	if best == nil {
		return nil, ErrExhausted
	}
	return best, nil
}

// Exhausted reports whether every setting of the space has been tried.
func Exhausted(r Request) bool {
	tried, looked := seen(r), 0
	for setting := range r.Space.All() {
		if looked++; looked > enumerated+len(tried) || !tried[r.Space.Key(setting)] {
			return false
		}
	}
	return true
}

func squaredDistance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}
