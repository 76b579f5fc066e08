package sampler

import (
	"math"
	"testing"

	"github.com/gctune/gctune/tuner/space"
)

func TestWidestGap(t *testing.T) {
	for _, c := range []struct {
		values        []float64
		width, middle float64
	}{
		{nil, 0, 0},
		{[]float64{0.1, 0.4}, 0.6, 0.8},          // the upper edge
		{[]float64{0.9}, 0.9, 0.3},               // the lower edge
		{[]float64{0.05, 0.1, 0.9, 1}, 0.4, 0.5}, // between two
		{[]float64{0, 0.25, 0.5, 1}, 0.25, 0.75}, // and between two others
		{[]float64{0, 0, 1, 1}, 0.5, 0.5},
	} {
		width, middle := widestGap(c.values)
		if math.Abs(width-c.width) > 1e-12 || math.Abs(middle-c.middle) > 1e-12 {
			t.Errorf("%v: %v around %v, want %v around %v", c.values, width, middle, c.width, c.middle)
		}
	}
}

// trap is a search that has settled at small heaps: a large one was slow while the
// limit was low, and it was never tried with the high limit that all the others have.
func trap(t *testing.T, trials int) (Request, int) {
	t.Helper()
	parameters := []space.Parameter{}
	for _, name := range []string{"heap", "limit", "dull"} {
		parameters = append(parameters, space.Parameter{Name: name, Kind: space.Float, Min: 0, Max: 1})
	}
	s, err := space.New(parameters)
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Space: s, Seed: 1, Reference: []float64{1, 1}}
	add := func(heap, limit, dull, slow, memory float64) {
		r.History = append(r.History, Observation{Setting: s.Decode([]float64{heap, limit, dull}), Losses: []float64{slow, memory}})
	}
	add(0.1, 0.1, 0.5, 1.5, 0.2)
	add(0.9, 0.1, 0.3, 3, 0.8)
	add(0.8, 0.2, 0.9, 2.8, 0.7)
	for i := range trials - 3 {
		x := float64(i) / 40
		add(0.1+x/2, 0.9, math.Mod(0.37*float64(i), 1), 0.9-x/100, 0.3+x)
	}
	return r, 0
}

// What explores leaps out of it, to large heaps with the high limit, and only then.
func TestStuckSearchesLeap(t *testing.T) {
	for trials, leaps := range map[int]bool{11: false, 14: false, 15: true, 17: true} { // exploring at odd numbers, leaping from 12 on
		r, heap := trap(t, trials)
		setting, err := Model{}.Propose(r)
		if err != nil {
			t.Fatal(err)
		}
		u := r.Space.Encode(setting)
		if leapt := u[heap] > 0.6 && u[1] > 0.8; leaps && !leapt {
			t.Errorf("after %d trials: %v, with nothing known of large heaps at high limits", trials, u)
		}
		a, err := newAcquisition(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := explores(trials) && stagnates(r, a.reference) && a.leap(source(r, 4)) != nil; got != leaps {
			t.Errorf("after %d trials it leaps: %t, want %t", trials, got, leaps)
		}
	}
}

// A search that finds more all the time does not leap.
func TestGrowingSearchesDoNotLeap(t *testing.T) {
	r, _ := trap(t, 15)
	for i := range r.History {
		r.History[i].Losses = []float64{0.99 - float64(i)/20, 0.9}
	}
	if stagnates(r, r.Reference) {
		t.Error("a hypervolume that grows by a twelfth and more with each trial stagnates")
	}
}

// Where large heaps have crashed it leaps nowhere there.
func TestLeapsAvoidWhatIsInfeasible(t *testing.T) {
	r, heap := trap(t, 15)
	for _, u := range [][]float64{{0.7, 0.9, 0.2}, {0.75, 0.8, 0.8}, {0.8, 0.95, 0.5}, {0.9, 0.9, 0.3}, {0.95, 0.85, 0.7}, {1, 0.9, 0.4}} {
		r.History = append(r.History, Observation{Setting: r.Space.Decode(u), Infeasible: true})
	}
	a, err := newAcquisition(r)
	if err != nil {
		t.Fatal(err)
	}
	// The widest range that was not tried is still that of large heaps.
	a.tried = a.tried[:15]
	if gaps := a.gaps(); len(gaps) == 0 || gaps[0].coordinate != heap {
		t.Fatalf("gaps %+v", gaps)
	}
	for i := range 20 {
		if u := a.leap(source(Request{Space: r.Space, Seed: uint64(i)}, 4)); u != nil && u[heap] > 0.6 {
			t.Fatalf("it leaps to %v, where six of six settings crashed", u)
		}
	}
}
