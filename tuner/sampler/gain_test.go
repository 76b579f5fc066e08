package sampler_test

import (
	"math"
	"testing"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// bowl has a smooth front along X, at the bottom of a valley in Y.
func bowl(u []float64) []float64 {
	miss := (u[1] - 0.7) * (u[1] - 0.7)
	return []float64{u[0] + miss, (1-u[0])*(1-u[0]) + miss}
}

// searched is what the default sampler tries in so many trials.
func searched(t *testing.T, trials int) sampler.Request {
	t.Helper()
	r := sampler.Request{Space: square(t), Seed: 3, Reference: []float64{1, 1}}
	for range trials {
		setting, err := sampler.Default(nil).Propose(r)
		if err != nil {
			t.Fatal(err)
		}
		r.History = append(r.History, sampler.Observation{Setting: setting, Losses: bowl(r.Space.Encode(setting))})
	}
	return r
}

func first(r sampler.Request, n int) sampler.Request {
	r.History = r.History[:n]
	return r
}

// Many trials are worth little more, few are worth much; and the share is without
// a unit.
func TestExpectedGainFalls(t *testing.T) {
	r := searched(t, 48)
	early, known := sampler.ExpectedGain(first(r, 8))
	if !known || early < 0.01 {
		t.Errorf("after 8 trials the expected gain is %g, %t; want 1 %% at least", early, known)
	}
	late, known := sampler.ExpectedGain(r)
	if !known || late < 0 || late > early/4 {
		t.Errorf("after 48 trials the expected gain is %g, %t; want less than a quarter of the %g after 8", late, known, early)
	}
	if again, _ := sampler.ExpectedGain(r); again != late {
		t.Errorf("asked again it is %g, was %g", again, late)
	}
	other := r
	other.Reference = []float64{7 + 3, 7 + 5}
	other.History = nil
	for _, o := range r.History {
		o.Losses = []float64{7 + 3*o.Losses[0], 7 + 5*o.Losses[1]}
		other.History = append(other.History, o)
	}
	if got, _ := sampler.ExpectedGain(other); math.Abs(got-late) > 0.05*late+1e-6 {
		t.Errorf("in other units the expected gain is %g, want %g", got, late)
	}
}

func TestExpectedGainIsUnknown(t *testing.T) {
	r := searched(t, 12)
	few := first(r, 7)
	without, beyond := r, r
	without.Reference = nil
	beyond.Reference = []float64{-1, -1}
	infeasible := r
	infeasible.History = nil
	for i, o := range r.History {
		o.Infeasible = i >= 7
		infeasible.History = append(infeasible.History, o)
	}
	for name, r := range map[string]sampler.Request{
		"nothing": {Space: r.Space, Reference: r.Reference}, "seven trials": few, "no reference point": without,
		"nothing within the reference point": beyond, "seven feasible trials": infeasible,
	} {
		if gain, known := sampler.ExpectedGain(r); known {
			t.Errorf("%s: the expected gain is %g, want it to be unknown", name, gain)
		}
	}
	if _, known := sampler.ExpectedGain(r); !known {
		t.Error("after 12 trials the expected gain is unknown")
	}
}

func TestStable(t *testing.T) {
	r := searched(t, 60)
	if !sampler.Stable(r) {
		t.Error("60 trials of a smooth problem in two dimensions are not stable")
	}
	if sampler.Stable(first(r, sampler.StableFrom-1)) {
		t.Errorf("%d trials are stable", sampler.StableFrom-1)
	}
	blind := r
	blind.Reference = nil
	if sampler.Stable(blind) {
		t.Error("a search is stable that has no reference point")
	}
	if len(r.History) != 60 {
		t.Errorf("the caller's history has %d trials, had 60", len(r.History))
	}
	// One surprise, far better than all else, and there is something to gain again.
	surprise := r
	surprise.History = append(r.History[:60:60], sampler.Observation{
		Setting: space.Setting{"X": "0.02", "Y": "0.02"}, Losses: []float64{-1, -1}})
	if sampler.Stable(surprise) {
		t.Error("a search is stable whose last trial was far better than all others")
	}
}

// Where every trial has the same figures nothing is to be gained, whether they better
// the reference point or not; with few such trials that is not known yet.
func TestSameFiguresGainNothing(t *testing.T) {
	r := searched(t, 45)
	for _, reference := range [][]float64{{3, 3}, {2, 2}, {1, 3}} {
		same := sampler.Request{Space: r.Space, Seed: r.Seed, Reference: reference}
		for _, o := range r.History {
			same.History = append(same.History, sampler.Observation{Setting: o.Setting, Losses: []float64{2, 2}})
		}
		if gain, known := sampler.ExpectedGain(same); gain != 0 || !known {
			t.Errorf("reference %v: the expected gain is %g, %t; want 0", reference, gain, known)
		}
		if !sampler.Stable(same) {
			t.Errorf("reference %v: 45 trials with the same figures are not stable", reference)
		}
		if _, known := sampler.ExpectedGain(first(same, 7)); known {
			t.Error("after seven trials the expected gain is known")
		}
		same.History[44].Losses = []float64{2, 1.9}
		if sampler.Same(same.History) {
			t.Errorf("reference %v: one differs from the others, and all are said to be the same", reference)
		}
	}
}
