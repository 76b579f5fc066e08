package problems_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/bench/problems"
)

// count evaluates random settings and returns how many are infeasible, and how
// many have come to nothing.
func count(t *testing.T, p problems.Problem, n int) (infeasible, void int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range n {
		u := make([]float64, p.Space.Dim())
		for i := range u {
			u[i] = rng.Float64()
		}
		o, err := p.Evaluate(p.Space.Decode(u), 7, trial)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case o.Infeasible:
			infeasible++
		case o.Losses == nil:
			void++
		}
		if (o.Losses == nil) != (o.True == nil) {
			t.Fatalf("losses %v with the truth %v", o.Losses, o.True)
		}
	}
	return infeasible, void
}

// The variants have the shares that they promise, within four standard errors.
func TestVariants(t *testing.T) {
	const n = 4000
	within := func(got int, share float64) bool {
		return math.Abs(float64(got)-share*n) <= 4*math.Sqrt(share*(1-share)*n)
	}
	for _, p := range analytic(t) {
		plain, none := count(t, p, n)
		if none != 0 {
			t.Errorf("%s: %d trials without figures and without a variant", p.Name, none)
		}
		if aborted, _ := count(t, problems.WithAborts(p), n); plain == 0 && !within(aborted, 0.2) {
			t.Errorf("%s: %d of %d settings abort, want a fifth", p.Name, aborted, n)
		}
		if _, void := count(t, problems.WithVoids(p, 0.1), n); plain == 0 && !within(void, 0.1) {
			t.Errorf("%s: %d of %d trials are void, want a tenth", p.Name, void, n)
		}
	}
}
