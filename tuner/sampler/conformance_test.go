package sampler_test

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// everySampler lists what the suite runs on, with and without given settings.
func everySampler(t *testing.T) map[string]sampler.Sampler {
	t.Helper()
	seeds := []space.Setting{{"SLOTS": "600000"}, {"SLOTS": "5"}, {"NOT_THERE": "1"}}
	all := map[string]sampler.Sampler{}
	for _, name := range sampler.Names() {
		for suffix, given := range map[string][]space.Setting{"": nil, " seeded": seeds} {
			s, err := sampler.New(name, given)
			if err != nil {
				t.Fatal(err)
			}
			all[name+suffix] = s
		}
	}
	// A guess that is wrong, and that says nothing of some settings.
	all["model told"] = told{sampler.Default(seeds), func(setting space.Setting) []float64 {
		if len(setting)%3 == 2 {
			return nil
		}
		n := float64(len(setting.Key()) % 7)
		return []float64{n / 10, 0.9 - n/10}
	}}
	return all
}

// learning are the names of the samplers that learn from losses.
func learning() []string {
	return slices.DeleteFunc(sampler.Names(), func(name string) bool { return name == "sobol" || name == "random" })
}

func mustSpace(t *testing.T, parameters ...space.Parameter) space.Space {
	t.Helper()
	s, err := space.New(parameters)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mixedSpace(t *testing.T) space.Space {
	return mustSpace(t,
		space.Parameter{Name: "SLOTS", Scale: space.Log, Min: 10_000, Max: 4_000_000, Default: "10000"},
		space.Parameter{Name: "FACTOR", Kind: space.Float, Min: 1.05, Max: 4, Default: "1.8"},
		space.Parameter{Name: "MODE", Kind: space.Choice, Values: []string{"a", "b", "c"}, Default: "a"},
		space.Parameter{Name: "LOW", Kind: space.Float, Min: 0.1, Max: 0.9, Digits: 2, Default: "0.2"},
		space.Parameter{Name: "HIGH", Kind: space.Float, Min: 0.1, Max: 0.95, Digits: 2, Above: "LOW", Gap: 0.05, Default: "0.65"},
	)
}

// observe is a made-up measurement: more slots are faster and larger, factors
// above 3.5 crash, and now and then a trial is void or violates a constraint.
func observe(t *testing.T, s space.Space, setting space.Setting) sampler.Observation {
	t.Helper()
	u := s.Encode(setting)
	o := sampler.Observation{Setting: setting}
	switch hash := int(u[0]*1e6) % 10; {
	case u[1] > 0.8:
		o.Infeasible = true
	case hash == 0:
		return o
	default:
		o.Infeasible = hash == 1
		o.Losses = []float64{-u[0] + (u[1]-0.3)*(u[1]-0.3), u[0] + u[3]}
	}
	return o
}

// search asks n times and returns the requests' history.
func search(t *testing.T, s sampler.Sampler, r sampler.Request, n int) []sampler.Observation {
	t.Helper()
	for range n {
		setting, err := s.Propose(r)
		if err != nil {
			t.Fatalf("trial %d: %v", len(r.History), err)
		}
		r.History = append(slices.Clone(r.History), observe(t, r.Space, setting))
	}
	return r.History
}

func TestProposalsAreValidAndNew(t *testing.T) {
	for name, s := range everySampler(t) {
		t.Run(name, func(t *testing.T) {
			seeds, trials := uint64(3), 80
			if racing {
				seeds, trials = 1, 40
			}
			for seed := range seeds {
				r := sampler.Request{Space: mixedSpace(t), Seed: seed, Reference: []float64{0, 1}}
				baseline, _ := r.Space.Baseline()
				r.History = []sampler.Observation{observe(t, r.Space, baseline)}
				keys := map[string]bool{}
				for trial, o := range search(t, s, r, trials) {
					if err := r.Space.Check(o.Setting); err != nil {
						t.Errorf("trial %d: %v", trial, err)
					}
					if key := r.Space.Key(o.Setting); keys[key] {
						t.Errorf("trial %d: %q was there before", trial, key)
					} else {
						keys[key] = true
					}
				}
			}
		})
	}
}

func TestSameQuestionSameAnswer(t *testing.T) {
	for name, s := range everySampler(t) {
		t.Run(name, func(t *testing.T) {
			r := sampler.Request{Space: mixedSpace(t), Seed: 7}
			unbroken := search(t, s, r, 50)
			for _, at := range []int{0, 5, 23, 49} { // resumed by a new process, history read from a store
				r.History = nil
				for _, o := range unbroken[:at] {
					r.History = append(r.History, sampler.Observation{
						Setting: o.Setting.Clone(), Losses: slices.Clone(o.Losses), Infeasible: o.Infeasible})
				}
				resumed := search(t, everySampler(t)[name], r, 50-at)
				for i := range unbroken {
					if got, want := resumed[i].Setting.Key(), unbroken[i].Setting.Key(); got != want {
						t.Fatalf("resumed at %d, trial %d is %q, was %q", at, i, got, want)
					}
				}
			}
		})
	}
}

func TestSeedsDiffer(t *testing.T) {
	for name, s := range everySampler(t) {
		one := search(t, s, sampler.Request{Space: mixedSpace(t), Seed: 1}, 20)
		two := search(t, s, sampler.Request{Space: mixedSpace(t), Seed: 2}, 20)
		same := 0
		for i := range one {
			if one[i].Setting.Key() == two[i].Setting.Key() {
				same++
			}
		}
		if same > 2 {
			t.Errorf("%s: %d of 20 proposals are the same for another seed", name, same)
		}
	}
}

func TestSmallSpacesAreUsedUpEndsIncluded(t *testing.T) {
	small := mustSpace(t,
		space.Parameter{Name: "SLOTS", Min: 1, Max: 7, Default: "3"},
		space.Parameter{Name: "MODE", Kind: space.Choice, Values: []string{"a", "b", "c"}},
		space.Parameter{Name: "TOP", Min: 1, Max: 8, Above: "SLOTS", Gap: 1},
	)
	const settings = 3 * (7 + 6 + 5 + 4 + 3 + 2 + 1)
	for name, s := range everySampler(t) {
		r := sampler.Request{Space: small, Seed: 3}
		keys := map[string]bool{}
		for range settings {
			setting, err := s.Propose(r)
			if err != nil {
				t.Fatalf("%s: after %d of %d settings: %v", name, len(keys), settings, err)
			}
			keys[small.Key(setting)] = true
			loss, _ := strconv.ParseFloat(setting["SLOTS"], 64)
			r.History = append(r.History, sampler.Observation{Setting: setting, Losses: []float64{loss, -loss}})
		}
		if len(keys) < settings {
			t.Errorf("%s: %d distinct settings of %d", name, len(keys), settings)
		}
		// Partial settings given by hand may be distinct from every full one.
		var err error
		for range 3 {
			var setting space.Setting
			if setting, err = s.Propose(r); err != nil {
				break
			}
			r.History = append(r.History, sampler.Observation{Setting: setting})
		}
		if !errors.Is(err, sampler.ErrExhausted) {
			t.Errorf("%s: got %v in a space that is used up, want ErrExhausted", name, err)
		}
	}
}

func TestEndsOfWideRangesAreReachedWhereTheyAreBest(t *testing.T) {
	skipWhileRacing(t)
	for _, kind := range []space.Kind{space.Int, space.Float} {
		s := mustSpace(t,
			space.Parameter{Name: "UP", Kind: kind, Scale: space.Log, Min: 1, Max: 50_000_000},
			space.Parameter{Name: "DOWN", Kind: kind, Min: 1, Max: 50_000_000})
		for _, name := range learning() {
			r := sampler.Request{Space: s, Seed: 5}
			search, err := sampler.New(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			up, down := false, false
			for range 80 {
				setting, err := search.Propose(r)
				if err != nil {
					t.Fatal(err)
				}
				u := s.Encode(setting)
				up = up || setting["UP"] == "50000000"
				down = down || setting["DOWN"] == "1"
				r.History = append(r.History, sampler.Observation{Setting: setting, Losses: []float64{-u[0], u[1]}})
			}
			if !up || !down {
				t.Errorf("%s, kind %d: upper end reached: %v, lower end reached: %v", name, kind, up, down)
			}
		}
	}
}

func TestOddHistoriesAreSurvived(t *testing.T) {
	odd := []sampler.Observation{
		{}, {Setting: space.Setting{"GONE": "1"}, Losses: []float64{1, 2}},
		{Setting: space.Setting{"SLOTS": "many"}, Losses: []float64{math.NaN(), 1}},
		{Setting: space.Setting{"SLOTS": "20000"}, Losses: []float64{math.Inf(1), 1}},
		{Setting: space.Setting{"SLOTS": "30000"}, Losses: []float64{1}},
		{Setting: space.Setting{"SLOTS": "40000"}, Losses: []float64{}, Infeasible: true},
		{Setting: space.Setting{"SLOTS": "50000"}, Losses: []float64{1, 2, 3}, Infeasible: true},
	}
	histories := map[string][]sampler.Observation{"mixed": nil, "all infeasible": nil, "all equal": nil}
	for i := range 30 {
		setting := space.Setting{"SLOTS": strconv.Itoa(10_000 + i)}
		histories["mixed"] = append(histories["mixed"], odd[i%len(odd)])
		histories["all infeasible"] = append(histories["all infeasible"], sampler.Observation{Setting: setting, Infeasible: true})
		histories["all equal"] = append(histories["all equal"], sampler.Observation{Setting: setting, Losses: []float64{4, 4}})
	}
	for name, s := range everySampler(t) {
		for kind, history := range histories {
			for _, reference := range [][]float64{nil, {1}, {math.NaN(), 0}, {-9, -9}, {4, 4}} {
				r := sampler.Request{Space: mixedSpace(t), History: history, Reference: reference}
				setting, err := s.Propose(r)
				if err != nil || r.Space.Check(setting) != nil {
					t.Errorf("%s on %s with reference %v: %v, %v", name, kind, reference, setting, err)
				}
			}
		}
	}
}

// Where half of the space is infeasible, and has the best losses or none, few of
// the later proposals fall into it.
func TestInfeasibleRegionsAreAvoided(t *testing.T) {
	skipWhileRacing(t)
	infeasible := func(u []float64) bool { return u[0] > 0.5 } // at random half of all
	for _, name := range learning() {
		search, err := sampler.New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for kind, losses := range map[string][]float64{"silent": nil, "tempting": {-1, -1}} {
			got := share(t, search, square(t), nil, func(u []float64) sampler.Observation {
				if infeasible(u) {
					return sampler.Observation{Infeasible: true, Losses: losses}
				}
				return sampler.Observation{Losses: []float64{u[1], 1 - u[1]}}
			}, infeasible)
			t.Logf("%s, %s: %.3f", name, kind, got)
			if got > 0.3 {
				t.Errorf("%s, %s: %.2f of the proposals are infeasible, want 0.3 at most", name, kind, got)
			}
		}
	}
}

// A reference point leaves a seventh of the front to be of use.
func TestReferencePointsAreUsed(t *testing.T) {
	skipWhileRacing(t)
	measure := func(u []float64) sampler.Observation {
		return sampler.Observation{Losses: []float64{u[0] + u[1], 1 - u[0] + u[1]}}
	}
	// The front is the side of the square where u[1] = 0.
	inside := func(u []float64) bool { return u[0]+u[1] < 0.5 && 1-u[0]+u[1] < 0.65 }
	for _, name := range learning() {
		search, err := sampler.New(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		told := share(t, search, square(t), []float64{0.5, 0.65}, measure, inside)
		untold := share(t, search, square(t), nil, measure, inside)
		t.Logf("%s: told %.3f, untold %.3f", name, told, untold)
		if told < 2*untold {
			t.Errorf("%s: %.2f of the proposals are within the reference point when it is told, %.2f when not", name, told, untold)
		}
	}
}

func TestSpaceWithoutParametersIsUsedUpByOneTrial(t *testing.T) {
	for name, s := range everySampler(t) {
		r := sampler.Request{Space: mustSpace(t)}
		if setting, err := s.Propose(r); err != nil || len(setting) != 0 {
			t.Errorf("%s: %v, %v, want the empty setting", name, setting, err)
		}
		r.History = []sampler.Observation{{Setting: space.Setting{}}}
		if _, err := s.Propose(r); !errors.Is(err, sampler.ErrExhausted) {
			t.Errorf("%s: %v, want ErrExhausted", name, err)
		}
	}
}

// skipWhileRacing passes over long searches by a single goroutine, which the race
// detector has nothing to say about and makes ten times slower. make test runs
// them without it.
func skipWhileRacing(t *testing.T) {
	t.Helper()
	if racing {
		t.Skip("a long search by a single goroutine")
	}
}
