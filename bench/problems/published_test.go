package problems_test

import (
	"slices"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
)

// published are figures after 50 trials of the best of the general optimisers that
// were measured elsewhere (docs/search.md), told the reference point where they can
// be.
var published = map[string]float64{"mri_blog": .95, "gen8": .67, "gen8_noisy": .71, "zdt1l": .64}

// tolerance covers the error of a mean over so few seeds.
const tolerance = 0.1

func TestDefaultSamplerAgainstPublishedFigures(t *testing.T) {
	const seeds, trials = 2, 50
	all := analytic(t)
	for name, rival := range published {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(all, func(p problems.Problem) bool { return p.Name == name })
			if i < 0 {
				t.Fatalf("there is no problem %s", name)
			}
			mean := 0.0
			for seed := range uint64(seeds) {
				mean += last(t, all[i], sampler.Default(nil), seed, trials) / seeds
			}
			t.Logf("model %.3f, the best rival %.2f", mean, rival)
			if mean < rival-tolerance {
				t.Errorf("after %d trials %.3f, want at least %.3f", trials, mean, rival-tolerance)
			}
		})
	}
}
