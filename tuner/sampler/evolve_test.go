package sampler_test

import (
	"math"
	"testing"

	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// steps searches for n trials and returns the history with them, and the unit
// coordinates that were proposed.
func steps(t *testing.T, s sampler.Sampler, r sampler.Request, n int, measure func(u []float64) sampler.Observation) ([]sampler.Observation, [][]float64) {
	t.Helper()
	var points [][]float64
	for range n {
		setting, err := s.Propose(r)
		if err != nil {
			t.Fatal(err)
		}
		u := r.Space.Encode(setting)
		o := measure(u)
		o.Setting = setting
		r.History, points = append(r.History, o), append(points, u)
	}
	return r.History, points
}

func miss(u []float64, optimum ...float64) float64 {
	sum := 0.0
	for i := range u {
		sum += (u[i] - optimum[i]) * (u[i] - optimum[i])
	}
	return math.Sqrt(sum)
}

// Both losses are least at one point, a corner or not: the last trials gather
// around it, which no evenly spread search does.
func TestEvolutionConvergesWhereBothLossesAreLeast(t *testing.T) {
	for _, s := range []sampler.Sampler{sampler.CMAES{}, sampler.NSGA2{}} {
		for _, optimum := range [][]float64{{0.3, 0.8}, {1, 0}, {0.62}} {
			dims := square(t)
			if len(optimum) == 1 {
				dims = mustSpace(t, space.Parameter{Name: "X", Kind: space.Float, Max: 1})
			}
			r := sampler.Request{Space: dims, Seed: 11}
			_, points := steps(t, s, r, 120, func(u []float64) sampler.Observation {
				away := miss(u, optimum...)
				return sampler.Observation{Losses: []float64{away, 3 * away}}
			})
			mean := 0.0
			for _, u := range points[100:] {
				mean += miss(u, optimum...) / 20
			}
			t.Logf("%s, %v: %.4f", s.Name(), optimum, mean)
			if mean > 0.1 { // at random it is 0.26 and more
				t.Errorf("%s: the last trials are %.3f away from %v, want 0.1 at most", s.Name(), mean, optimum)
			}
		}
	}
}

// A strategy that was fooled does not die where it is: in a space with few
// settings it goes on elsewhere, and it finds the needle among the 1600.
func TestCMAESBeginsAgainWhereNothingIsNew(t *testing.T) {
	grid := mustSpace(t, space.Parameter{Name: "X", Min: 1, Max: 40}, space.Parameter{Name: "Y", Min: 1, Max: 40})
	_, points := steps(t, sampler.CMAES{}, sampler.Request{Space: grid, Seed: 2}, 600, func(u []float64) sampler.Observation {
		away := miss(u, 0.1, 0.1)
		return sampler.Observation{Losses: []float64{away, away}}
	})
	far := 0
	for _, u := range points[100:] {
		if miss(u, 0.1, 0.1) > 0.6 {
			far++
		}
	}
	if far < 25 {
		t.Errorf("%d of 500 trials are far from the optimum, whose neighbourhood is used up: want 25 at least", far)
	}
}

// Settings that others proposed are learnt from or passed over, and do not stop a
// strategy from going on with its own.
func TestCMAESGoesOnAfterTheTrialsOfOthers(t *testing.T) {
	r := sampler.Request{Space: square(t), Seed: 4}
	measure := func(u []float64) sampler.Observation {
		away := miss(u, 0.3, 0.8)
		return sampler.Observation{Losses: []float64{away, away}}
	}
	for range 6 {
		r.History, _ = steps(t, sampler.CMAES{}, r, 15, measure)
		r.History, _ = steps(t, sampler.Random{}, r, 5, measure)
	}
	_, points := steps(t, sampler.CMAES{}, r, 10, measure)
	mean := 0.0
	for _, u := range points {
		mean += miss(u, 0.3, 0.8) / 10
	}
	if mean > 0.05 {
		t.Errorf("the last trials are %.3f away from the optimum, want 0.05 at most", mean)
	}
}

// Both halves of a front that is the side of a square have their share: crowding
// keeps the population apart.
func TestNSGA2KeepsToTheWholeFront(t *testing.T) {
	_, points := steps(t, sampler.NSGA2{}, sampler.Request{Space: square(t), Seed: 1}, 150, func(u []float64) sampler.Observation {
		return sampler.Observation{Losses: []float64{u[0] + u[1], 1 - u[0] + u[1]}}
	})
	var thirds [3]int
	low := 0
	for _, u := range points[100:] {
		thirds[min(int(u[0]*3), 2)]++
		if u[1] < 0.1 {
			low++
		}
	}
	if min(thirds[0], thirds[1], thirds[2]) < 8 || low < 40 {
		t.Errorf("%v of 50 trials in each third of the front, %d near it, want 8 in each and 40 near it", thirds, low)
	}
}

func TestEvolutionLearnsAChoice(t *testing.T) {
	s := mustSpace(t,
		space.Parameter{Name: "MODE", Kind: space.Choice, Values: []string{"a", "b", "c", "d", "e"}},
		space.Parameter{Name: "X", Kind: space.Float, Max: 1})
	best := func(u []float64) bool { return u[0] > 0.6 && u[0] < 0.8 } // "d"
	for _, search := range []sampler.Sampler{sampler.CMAES{}, sampler.NSGA2{}} {
		got := share(t, search, s, nil, func(u []float64) sampler.Observation {
			worse := 0.5
			if best(u) {
				worse = 0
			}
			return sampler.Observation{Losses: []float64{u[1] + worse, 1 - u[1] + worse}}
		}, best)
		if got < 0.5 { // at random it is 0.2
			t.Errorf("%s: %.2f of the proposals have the best choice, want half at least", search.Name(), got)
		}
	}
}
