package problems_test

import (
	"slices"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
)

// published are figures of other searches after 20, 30, 50 and 100 trials.
var published = []struct {
	problem            string
	random, chebyshev4 [4]float64
}{
	{"mri_blog", [4]float64{.91, .93, .96, .97}, [4]float64{.91, .94, .96, .97}},
	{"gen8", [4]float64{.34, .39, .52, .69}, [4]float64{.36, .46, .57, .76}},
	{"gen8_noisy", [4]float64{.34, .39, .52, .69}, [4]float64{.31, .43, .56, .71}},
	{"zdt1l", [4]float64{.30, .35, .37, .47}, [4]float64{.31, .43, .54, .69}},
}

// tolerance covers the error of a mean over the seeds and the rounding of the
// published figures.
const tolerance = 0.03

func TestDefaultSamplerAgainstPublishedFigures(t *testing.T) {
	all := analytic(t)
	for _, known := range published {
		t.Run(known.problem, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(all, func(p problems.Problem) bool { return p.Name == known.problem })
			if i < 0 {
				t.Fatalf("there is no problem %s", known.problem)
			}
			got := searches(t, all[i], sampler.Default(nil), 20, 100)
			t.Logf("model %.3f, random %.2f, goptuna's TPE %.2f", got.Means, known.random, known.chebyshev4)
			for i, budget := range problems.Budgets {
				if floor := max(known.random[i], known.chebyshev4[i]) - tolerance; got.Means[i] < floor {
					t.Errorf("after %d trials %.3f, want at least %.3f", budget, got.Means[i], floor)
				}
			}
		})
	}
}
