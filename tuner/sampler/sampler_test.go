package sampler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

func TestUnknownNameListsTheNames(t *testing.T) {
	_, err := sampler.New("best", nil)
	for _, name := range []string{"model", "tpe", "cmaes", "nsga2", "sobol", "random"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s listed", err, name)
		}
	}
}

// The first 2^k points of a Sobol sequence have one point in each of 2^k equal
// slices of every coordinate, and this survives Owen scrambling.
func TestSobolIsBalancedUnderEverySeed(t *testing.T) {
	var parameters []space.Parameter
	for i := range 7 {
		parameters = append(parameters, space.Parameter{Name: fmt.Sprint("P", i), Kind: space.Float, Max: 1, Digits: 9})
	}
	s := mustSpace(t, parameters...)
	for seed := range uint64(20) {
		r := sampler.Request{Space: s, Seed: seed}
		var hits [7][32]int
		for range 32 {
			setting, err := sampler.Sobol{}.Propose(r)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range s.Encode(setting) {
				hits[i][int(x*32)]++
			}
			r.History = append(r.History, sampler.Observation{Setting: setting})
		}
		for i, slices := range hits {
			for slice, n := range slices {
				if n != 1 {
					t.Fatalf("seed %d: slice %d of coordinate %d has %d points, want 1", seed, slice, i, n)
				}
			}
		}
	}
}

func TestGivenSettingsComeFirstInTheirOrder(t *testing.T) {
	s := mixedSpace(t)
	baseline, _ := s.Baseline()
	seeds := []space.Setting{
		{"SLOTS": "600000"},
		{"SLOTS": "9"},        // out of bounds
		{"FACTOR": "1.80"},    // the baseline, in other words
		{"SLOTS": "600_000"},  // malformed
		{"SLOTS": "600000"},   // twice
		{"FACTOR": "1.25"},    // partial
		{"RUBY_OTHER": "123"}, // unknown
	}
	model := sampler.Default(seeds)
	r := sampler.Request{Space: s, History: []sampler.Observation{{Setting: baseline, Losses: []float64{0, 0}}}}
	for _, want := range []struct{ key, origin string }{
		{"SLOTS=600000", "public"}, {"FACTOR=1.25", "public"}, {"", "sobol"},
	} {
		origin := sampler.Origin(model, r)
		setting, err := model.Propose(r)
		if err != nil || origin != want.origin || want.key != "" && setting.Key() != want.key {
			t.Fatalf("got %v from %s (%v), want %+v", setting, origin, err, want)
		}
		r.History = append(r.History, sampler.Observation{Setting: setting, Losses: []float64{1, 1}})
	}
}

func TestFewPointsAreMeasuredBeforeTheModel(t *testing.T) {
	s := mixedSpace(t)
	model := sampler.Default([]space.Setting{{"SLOTS": "600000"}})
	r := sampler.Request{Space: s}
	for trial, want := range []string{"public", "sobol", "sobol", "sobol", "sobol", "model", "model"} {
		if origin := sampler.Origin(model, r); origin != want {
			t.Errorf("trial %d comes from %s, want %s", trial, origin, want)
		}
		setting, err := model.Propose(r)
		if err != nil {
			t.Fatal(err)
		}
		u := s.Encode(setting)
		r.History = append(r.History, sampler.Observation{Setting: setting, Losses: []float64{u[0], 1 - u[0] + u[1]}})
	}
}

// share runs a sampler on a measurement of unit coordinates and returns which
// share of the last proposals satisfies a condition.
func share(t *testing.T, search sampler.Sampler, s space.Space, reference []float64,
	measure func(u []float64) sampler.Observation, good func(u []float64) bool) float64 {
	t.Helper()
	const trials, last = 60, 30
	seeds := 10
	if search.Name() == "model" { // it takes long, and is sure sooner
		seeds = 2
	}
	count := 0
	for seed := range uint64(seeds) {
		r := sampler.Request{Space: s, Seed: seed, Reference: reference}
		for trial := range trials {
			setting, err := search.Propose(r)
			if err != nil {
				t.Fatal(err)
			}
			u := s.Encode(setting)
			o := measure(u)
			o.Setting = setting
			r.History = append(r.History, o)
			if trial >= trials-last && good(u) {
				count++
			}
		}
	}
	return float64(count) / float64(seeds*last)
}

func square(t *testing.T) space.Space {
	return mustSpace(t, space.Parameter{Name: "X", Kind: space.Float, Max: 1}, space.Parameter{Name: "Y", Kind: space.Float, Max: 1})
}

func TestTPEFindsTheBandOfTheFront(t *testing.T) {
	got := share(t, sampler.TPE{}, square(t), nil, func(u []float64) sampler.Observation {
		miss := (u[1] - 0.7) * (u[1] - 0.7)
		return sampler.Observation{Losses: []float64{u[0] + miss, 1 - u[0] + miss}}
	}, func(u []float64) bool { return u[1] > 0.6 && u[1] < 0.8 })
	if got < 0.35 { // at random it is 0.2
		t.Errorf("%.2f of the proposals are in the band, want 0.35 at least", got)
	}
}

// The best feasible points lie at the very edge of what is infeasible.
func TestTPEWorksAtTheEdgeOfAnInfeasibleRegion(t *testing.T) {
	infeasible := func(u []float64) bool { return u[0] > 0.5 } // at random half of all
	got := share(t, sampler.TPE{}, square(t), nil, func(u []float64) sampler.Observation {
		return sampler.Observation{Infeasible: infeasible(u), Losses: []float64{-u[0], -u[0] + u[1]}}
	}, infeasible)
	if got > 0.4 {
		t.Errorf("%.2f of the proposals are infeasible, want 0.4 at most", got)
	}
}

func TestTPELearnsAChoice(t *testing.T) {
	s := mustSpace(t,
		space.Parameter{Name: "MODE", Kind: space.Choice, Values: []string{"a", "b", "c", "d", "e"}},
		space.Parameter{Name: "X", Kind: space.Float, Max: 1})
	got := share(t, sampler.TPE{}, s, nil, func(u []float64) sampler.Observation {
		miss := 0.5
		if u[0] > 0.6 && u[0] < 0.8 { // "d"
			miss = 0
		}
		return sampler.Observation{Losses: []float64{u[1] + miss, 1 - u[1] + miss}}
	}, func(u []float64) bool { return u[0] > 0.6 && u[0] < 0.8 })
	if got < 0.5 { // at random it is 0.2
		t.Errorf("%.2f of the proposals have the best choice, want half at least", got)
	}
}
