package sampler_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// told asks a sampler with guesses.
type told struct {
	sampler.Sampler
	guess func(space.Setting) []float64
}

func (s told) Propose(r sampler.Request) (space.Setting, error) {
	r.Guess = s.guess
	return s.Sampler.Propose(r)
}

// valley has its best second coordinate at .3, on a front of the first.
func valley(u []float64) []float64 {
	return []float64{-u[0] + 4*(u[1]-0.3)*(u[1]-0.3), u[0]}
}

func losses(s space.Space) func(space.Setting) []float64 {
	return func(setting space.Setting) []float64 { return valley(s.Encode(setting)) }
}

// The reference point leaves a strip around the bottom of the valley.
func valleyRequest(t *testing.T) sampler.Request {
	return sampler.Request{Space: square(t), Seed: 5, Reference: []float64{-0.05, 0.9}}
}

func TestGuessesChooseTheFirstPoints(t *testing.T) {
	r := valleyRequest(t)
	start := sampler.Observation{Setting: r.Space.Decode([]float64{0.1, 0.9}), Losses: []float64{1.3, 0.1}}
	r.History = []sampler.Observation{start}
	s := told{sampler.Default(nil), losses(r.Space)}
	for trial := range 3 {
		setting, err := s.Propose(r)
		if err != nil {
			t.Fatal(err)
		}
		u := r.Space.Encode(setting)
		if math.Abs(u[1]-0.3) > 0.1 {
			t.Errorf("trial %d at %.2f: the guess has the front at .3 of the second coordinate", trial+1, u)
		}
		r.History = append(r.History, sampler.Observation{Setting: setting, Losses: valley(u)})
	}
	r.Guess = s.guess
	if origin := sampler.Origin(sampler.Default(nil), sampler.Request{Space: r.Space, History: r.History[:1], Guess: s.guess}); origin != "predicted" {
		t.Errorf("the origin of a first point is %q", origin)
	}
}

// A setting in public use is tried first where nothing is guessed, and where the
// guess is good of it.
func TestGuessesJudgeTheGivenSettings(t *testing.T) {
	r := valleyRequest(t)
	bad, best := r.Space.Decode([]float64{0.5, 0.95}), r.Space.Decode([]float64{0.45, 0.3})
	r.History = []sampler.Observation{{Setting: r.Space.Decode([]float64{0.1, 0.9}), Losses: []float64{1.3, 0.1}}}
	given := sampler.Default([]space.Setting{bad, best})
	if setting, err := given.Propose(r); err != nil || r.Space.Key(setting) != r.Space.Key(bad) {
		t.Errorf("without guesses %v is first, %v", setting, err)
	}
	r.Guess = func(setting space.Setting) []float64 {
		if r.Space.Key(setting) == r.Space.Key(best) {
			return []float64{-0.9, 0.1}
		}
		return losses(r.Space)(setting)
	}
	if setting, err := given.Propose(r); err != nil || r.Space.Key(setting) != r.Space.Key(best) {
		t.Errorf("with guesses %v is first, %v", setting, err)
	}
}

// Where nothing is expected to better the reference point, or nothing at all is
// guessed, the space is filled evenly.
func TestGuessesThatPromiseNothing(t *testing.T) {
	r := valleyRequest(t)
	r.History = []sampler.Observation{{Setting: r.Space.Decode([]float64{0.1, 0.9}), Losses: []float64{1.3, 0.1}}}
	want, err := sampler.Sobol{}.Propose(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, guess := range map[string]func(space.Setting) []float64{
		"bad": func(space.Setting) []float64 { return []float64{3, 3} },
		"nil": func(space.Setting) []float64 { return nil },
		"NaN": func(space.Setting) []float64 { return []float64{math.NaN(), 0} },
	} {
		got, err := told{sampler.Default(nil), guess}.Propose(r)
		if err != nil || r.Space.Key(got) != r.Space.Key(want) {
			t.Errorf("%s: %v, %v, want Sobol's point %v", name, got, err, want)
		}
	}
}

// What was measured corrects a guess that is off, and overrules one that is wrong.
func TestMeasurementsCorrectGuesses(t *testing.T) {
	off := func(u []float64) []float64 {
		v := valley([]float64{u[0], u[1] - 0.15})
		return []float64{2*v[0] + 1, v[1] - 0.2}
	}
	wrong := func(u []float64) []float64 { v := valley([]float64{1 - u[1], u[0]}); return []float64{v[0], v[1]} }
	for name, mistaken := range map[string]func([]float64) []float64{"off": off, "wrong": wrong} {
		r := valleyRequest(t)
		s := told{sampler.Default(nil), func(setting space.Setting) []float64 { return mistaken(r.Space.Encode(setting)) }}
		r.History = []sampler.Observation{{Setting: r.Space.Decode([]float64{0.1, 0.9}), Losses: []float64{1.3, 0.1}}}
		for range 25 {
			setting, err := s.Propose(r)
			if err != nil {
				t.Fatal(err)
			}
			r.History = append(r.History, sampler.Observation{Setting: setting, Losses: valley(r.Space.Encode(setting))})
		}
		near := 0
		for _, o := range slices.Backward(r.History) {
			if u := r.Space.Encode(o.Setting); math.Abs(u[1]-0.3) < 0.1 {
				near++
			}
		}
		if near < 10 {
			t.Errorf("%s: %d of 26 trials lie in the valley", name, near)
		}
	}
}
