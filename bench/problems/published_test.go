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
	skipWhileRacing(t)
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

// The front of zdt1l ends at the border of the part that is infeasible here, so that
// there is always something to be gained beyond it. A tenth of the later trials is
// what a search may lose there; chance would lose a fifth.
func TestDefaultSamplerStaysClearOfABorder(t *testing.T) {
	skipWhileRacing(t)
	const seeds, learning, trials, most = 2, 20, 50, 3
	all := analytic(t)
	p := problems.WithAborts(all[slices.IndexFunc(all, func(p problems.Problem) bool { return p.Name == "zdt1l" })])
	mean := 0.0
	for seed := range uint64(seeds) {
		record, err := problems.Run(p, sampler.Default(nil), seed, trials)
		if err != nil {
			t.Fatal(err)
		}
		mean += float64(record.InfeasibleTrials(learning, trials)) / seeds
	}
	if mean > most {
		t.Errorf("of the last %d trials %.1f are infeasible, want %d at most", trials-learning, mean, most)
	}
}
