package sampler_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

func TestBatchesAreDistinctAndTheSameAgain(t *testing.T) {
	for name, s := range everySampler(t) {
		r := sampler.Request{Space: mixedSpace(t), Seed: 11, Reference: []float64{0, 1}}
		r.History = search(t, s, r, 12)
		keys := map[string]bool{}
		for _, o := range r.History {
			keys[r.Space.Key(o.Setting)] = true
		}
		batch, err := sampler.Ask(s, r, 5)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := sampler.Ask(s, r, 5)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, setting := range batch {
			if key := r.Space.Key(setting); keys[key] {
				t.Errorf("%s: setting %d of the batch was there before", name, i)
			} else {
				keys[key] = true
			}
			if setting.Key() != again[i].Key() {
				t.Errorf("%s: setting %d of the batch is another when asked again", name, i)
			}
		}
		if len(r.History) != 12 {
			t.Errorf("%s: the caller's history has %d trials, had 12", name, len(r.History))
		}
	}
}

func TestBatchesEndWithTheSpace(t *testing.T) {
	s := mustSpace(t, space.Parameter{Name: "P", Min: 1, Max: 3})
	r := sampler.Request{Space: s}
	batch, err := sampler.Ask(sampler.Default(nil), r, 5)
	if err != nil || len(batch) != 3 {
		t.Fatalf("got %v, %v from a space of three", batch, err)
	}
	for _, setting := range batch {
		r.History = append(r.History, sampler.Observation{Setting: setting, Pending: true})
	}
	if _, err := sampler.Ask(sampler.Default(nil), r, 1); !errors.Is(err, sampler.ErrExhausted) {
		t.Errorf("got %v, want ErrExhausted", err)
	}
}

// What is being measured keeps the model from sending others to the same place:
// the settings of a batch are farther apart than proposals that do not know of one
// another.
func TestModelKeepsItsDistanceFromWhatIsPending(t *testing.T) {
	s := square(t)
	r := sampler.Request{Space: s, Seed: 2, Reference: []float64{1, 1}}
	for len(r.History) < 24 { // an exploiting proposal comes next
		setting, err := sampler.Default(nil).Propose(r)
		if err != nil {
			t.Fatal(err)
		}
		u := s.Encode(setting)
		r.History = append(r.History, sampler.Observation{Setting: setting,
			Losses: []float64{u[0] + u[1]*u[1], math.Pow(1-u[0], 2) + u[1]*u[1]}})
	}
	r.History = r.History[:23]
	batch, err := sampler.Ask(sampler.Model{}, r, 6)
	if err != nil {
		t.Fatal(err)
	}
	for i := range batch {
		for j := range i {
			a, b := s.Encode(batch[i]), s.Encode(batch[j])
			if distance := math.Hypot(a[0]-b[0], a[1]-b[1]); distance < 0.005 {
				t.Errorf("settings %d and %d of the batch are %.4f apart", i, j, distance)
			}
		}
	}
}

// Noise that is known stays known beside what is pending: else the models take the
// scatter of the measurements for the front, and expect next to nothing beyond it.
func TestPendingTrialsLeaveKnownNoiseKnown(t *testing.T) {
	s := square(t)
	rng := rand.New(rand.NewPCG(5, 6))
	r := sampler.Request{Space: s, Seed: 2, Reference: []float64{2, 2}}
	for len(r.History) < 40 {
		setting := s.Decode([]float64{rng.Float64(), rng.Float64()})
		u := s.Encode(setting)
		r.History = append(r.History, sampler.Observation{Setting: setting, Errors: []float64{0.3, 0.3},
			Losses: []float64{u[0] + 0.3*rng.NormFloat64(), 1 - u[0] + 0.3*rng.NormFloat64()}})
	}
	before, known := sampler.ExpectedGain(r)
	if !known {
		t.Fatal("the expected gain is not known")
	}
	r.History = append(r.History, sampler.Observation{Setting: s.Decode([]float64{0.5, 0.5}), Pending: true})
	after, _ := sampler.ExpectedGain(r)
	if after < before/2 || after > 2*before {
		t.Errorf("the expected gain is %.4f, and %.4f with one more trial pending", before, after)
	}
}
