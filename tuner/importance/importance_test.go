package importance_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gctune/gctune/tuner/importance"
)

// cube are points of the unit cube at random.
func cube(n, d int, rng *rand.Rand) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
		for c := range points[i] {
			points[i][c] = rng.Float64()
		}
	}
	return points
}

// The indices of T. Ishigami's and T. Homma's function with a = 7 and b = 0.1 are
// known (Saltelli et al., Global Sensitivity Analysis, 2008, section 4.9): the
// variance is a²/8 + bπ⁴/5 + b²π⁸/18 + 1/2, that of the main effects
// ½(1+bπ⁴/5)², a²/8 and 0, and 8b²π⁸/225 is of the first and the third together.
func TestIndicesOfIshigami(t *testing.T) {
	f := func(u []float64) float64 {
		x := make([]float64, 3)
		for c := range x {
			x[c] = math.Pi * (2*u[c] - 1)
		}
		return math.Sin(x[0]) + 7*math.Pow(math.Sin(x[1]), 2) + 0.1*math.Pow(x[2], 4)*math.Sin(x[0])
	}
	pi4 := math.Pow(math.Pi, 4)
	one, two, both := math.Pow(1+0.1*pi4/5, 2)/2, 49.0/8, 8*0.01*pi4*pi4/225
	all := one + two + both
	want := []importance.Index{
		{First: one / all, Total: (one + both) / all}, {First: two / all, Total: two / all}, {First: 0, Total: both / all},
	}
	rng := rand.New(rand.NewPCG(1, 1))
	got := importance.Indices(f, importance.RegionOf(cube(20000, 3, rng)), 8192, rng)
	for c := range want {
		if math.Abs(got[c].First-want[c].First) > 0.02 || math.Abs(got[c].Total-want[c].Total) > 0.02 {
			t.Errorf("coordinate %d: first %.3f, total %.3f, want %.3f and %.3f",
				c, got[c].First, got[c].Total, want[c].First, want[c].Total)
		}
	}
}

// In a region where one coordinate hardly moves, the other one has it all.
func TestIndicesAreThoseOfTheRegion(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	narrow := cube(500, 2, rng)
	for _, u := range narrow {
		u[0] = 0.5 + 0.01*u[0]
	}
	sum := func(u []float64) float64 { return 10*u[0] + u[1] }
	got := importance.Indices(sum, importance.RegionOf(narrow), 1024, rng)
	// Variances are 10²·0.01²/12 and 1/12.
	if want := 1 / 1.01; math.Abs(got[1].Total-want) > 0.02 || got[0].Total > 0.03 {
		t.Errorf("total indices are %.3f and %.3f, want %.3f and %.3f", got[0].Total, got[1].Total, 1-want, want)
	}
}

func TestConstantHasNoIndices(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	if got := importance.Indices(func([]float64) float64 { return 3 }, importance.RegionOf(cube(9, 2, rng)), 64, rng); got != nil {
		t.Errorf("a constant has the indices %v", got)
	}
}

// linear are trials of 3·u₀ + u₁ with noise, in five dimensions. The shares are
// 9/10 and 1/10.
func linear(n int, seed uint64) importance.Trials {
	rng := rand.New(rand.NewPCG(seed, 4))
	trials := importance.Trials{X: cube(n, 5, rng), Reference: math.NaN()}
	for _, u := range trials.X {
		trials.Losses = append(trials.Losses, 3*u[0]+u[1]+0.05*rng.NormFloat64())
	}
	return trials
}

func TestSharesOfTrials(t *testing.T) {
	region := importance.RegionOf(cube(2000, 5, rand.New(rand.NewPCG(5, 5))))
	mistaken, covered := 0, 0
	for seed := range uint64(4) {
		trials := linear(40, seed)
		shares, err := importance.Shares(trials, region, seed)
		if err != nil {
			t.Fatal(err)
		}
		for c, want := range []float64{0.9, 0.1} {
			got := shares[c].Total
			if !shares[c].Found || math.Abs(got.Estimate-want) > 0.07 {
				t.Errorf("seed %d: the share of coordinate %d is %+v, want %g", seed, c, shares[c], want)
			}
			if got.Low <= want && want <= got.High {
				covered++
			}
		}
		for _, s := range shares[2:] {
			if s.Found {
				mistaken++
			}
		}
	}
	if mistaken > 1 {
		t.Errorf("an effect was found of %d of 12 parameters that have none", mistaken)
	}
	if covered < 7 {
		t.Errorf("%d of 8 intervals cover the share", covered)
	}
}

// Where there is nothing but noise, nothing is found.
func TestNoiseHasNoShares(t *testing.T) {
	region := importance.RegionOf(cube(2000, 5, rand.New(rand.NewPCG(5, 5))))
	mistaken := 0
	for seed := range uint64(4) {
		trials := linear(30, seed)
		rng := rand.New(rand.NewPCG(seed, 6))
		for i := range trials.Losses {
			trials.Losses[i] = rng.NormFloat64()
		}
		shares, err := importance.Shares(trials, region, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range shares {
			if s.Found {
				mistaken++
			}
		}
	}
	if mistaken > 1 {
		t.Errorf("an effect was found of %d of 20 parameters in noise", mistaken)
	}
}

func TestSharesAreTheSameEachTime(t *testing.T) {
	region := importance.RegionOf(cube(200, 5, rand.New(rand.NewPCG(5, 5))))
	one, err := importance.Shares(linear(20, 1), region, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, err := importance.Shares(linear(20, 1), region, 7)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, again) {
		t.Errorf("first %v, then %v", one, again)
	}
}

func TestFewTrialsAreRefused(t *testing.T) {
	_, err := importance.NewModel(linear(importance.Least-1, 1))
	var few *importance.TooFewError
	if !errors.As(err, &few) || few.Trials != importance.Least-1 {
		t.Errorf("the error is %v", err)
	}
	if _, err := importance.NewModel(linear(importance.Least, 1)); err != nil {
		t.Error(err)
	}
}

// A long study is thinned, so that a model of it can be had in bounded time; the
// standard errors stay with their trials.
func TestLongStudies(t *testing.T) {
	trials := linear(400, 1)
	for range trials.X {
		trials.Errors = append(trials.Errors, 0.05)
	}
	m, err := importance.NewModel(trials)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Loss()([]float64{0.2, 0.7, 0.5, 0.5, 0.5}); math.Abs(got-1.3) > 0.05 {
		t.Errorf("the loss expected is %g, want 1.3", got)
	}
}
