package pareto_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gctune/gctune/tuner/pareto"
)

// cloud draws points on a coarse grid, so that ties and equal points are common.
func cloud(rng *rand.Rand, n, losses int) []pareto.Point {
	points := make([]pareto.Point, n)
	for i := range points {
		points[i].ID = n - i
		for range losses {
			points[i].Losses = append(points[i].Losses, float64(rng.IntN(12)))
		}
	}
	return points
}

func TestFrontIsWhatNothingBeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 500 {
		points := cloud(rng, 1+rng.IntN(40), 2+round%2)
		want := []int{}
		for _, p := range points {
			if !slices.ContainsFunc(points, func(q pareto.Point) bool { return beats(q, p) }) {
				want = append(want, p.ID)
			}
		}
		front := pareto.Front(points)
		got := []int{}
		for _, p := range front {
			got = append(got, p.ID)
		}
		if !slices.IsSortedFunc(front, func(a, b pareto.Point) int { return slices.Compare(a.Losses[:1], b.Losses[:1]) }) {
			t.Fatalf("the front is not sorted: %v", front)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("front of %v: got IDs %v, want %v", points, got, want)
		}
	}
}

// beats is the definition, ties included: not worse anywhere, and better
// somewhere or else equal and measured earlier.
func beats(q, p pareto.Point) bool {
	better, worse := 0, 0
	for i := range p.Losses {
		if q.Losses[i] < p.Losses[i] {
			better++
		}
		if q.Losses[i] > p.Losses[i] {
			worse++
		}
	}
	return worse == 0 && (better > 0 || q.ID < p.ID)
}

func TestHypervolumeCountsTheCellsBelowTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	ref := []float64{10, 9}
	for range 500 {
		points := cloud(rng, rng.IntN(15), 2)
		cells := 0
		for x := range 10 {
			for y := range 9 {
				if slices.ContainsFunc(points, func(p pareto.Point) bool {
					return p.Losses[0] <= float64(x) && p.Losses[1] <= float64(y)
				}) {
					cells++
				}
			}
		}
		if got := pareto.Hypervolume2D(points, ref); got != float64(cells) {
			t.Fatalf("%v: got %v, want %d", points, got, cells)
		}
	}
}

func TestPointsThatCannotBeComparedAreLeftOut(t *testing.T) {
	points := []pareto.Point{
		{ID: 1}, {ID: 2, Losses: []float64{math.NaN(), 0}}, {ID: 3, Losses: []float64{math.Inf(-1), 0}},
		{ID: 4, Losses: []float64{1, 1}},
	}
	if front := pareto.Front(points); len(front) != 1 || front[0].ID != 4 {
		t.Errorf("got %v, want point 4 alone", front)
	}
	if got := pareto.Hypervolume2D(points, []float64{2, 3}); got != 2 {
		t.Errorf("hypervolume %v, want 2", got)
	}
	if pareto.Dominates([]float64{1}, []float64{1, 2}) || pareto.Dominates([]float64{0, math.NaN()}, []float64{1, 1}) {
		t.Error("losses that cannot be compared dominate")
	}
}

func TestChoices(t *testing.T) {
	front := pareto.Front([]pareto.Point{
		{ID: 1, Losses: []float64{0, 10}}, {ID: 2, Losses: []float64{1, 3}}, {ID: 3, Losses: []float64{2, 2.5}},
		{ID: 4, Losses: []float64{10, 0}}, {ID: 5, Losses: []float64{5, 5}},
	})
	for name, test := range map[string]struct {
		front    []pareto.Point
		baseline *pareto.Point
		want     map[string]int
	}{
		"better at the same throughput": {front, &pareto.Point{ID: 0, Losses: []float64{2, 4}},
			map[string]int{"throughput": 1, "memory": 4, "knee": 2, "lossless": 3}},
		"nothing as fast is usable": {front, &pareto.Point{ID: 0, Losses: []float64{-1, 4}},
			map[string]int{"throughput": 1, "memory": 4, "knee": 2}},
		"nothing as fast takes less": {front, &front[0],
			map[string]int{"throughput": 1, "memory": 4, "knee": 2, "lossless": 1}},
		"no baseline": {front, nil, map[string]int{"throughput": 1, "memory": 4, "knee": 2}},
		"no front":    {nil, &pareto.Point{ID: 0, Losses: []float64{2, 4}}, map[string]int{}},
		"nothing":     {nil, nil, map[string]int{}},
		"one point":   {front[:1], nil, map[string]int{"throughput": 1, "memory": 1, "knee": 1}},
		"two points":  {front[:2], nil, map[string]int{"throughput": 1, "memory": 2, "knee": 1}},
	} {
		got := map[string]int{}
		for _, choice := range pareto.Choices(test.front, test.baseline) {
			got[choice.Name] = choice.Point.ID
			if choice.Explanation == "" {
				t.Errorf("%s: %s is not explained", name, choice.Name)
			}
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
		for choice, id := range test.want {
			if got[choice] != id {
				t.Errorf("%s: %s is %d, want %d", name, choice, got[choice], id)
			}
		}
	}
}

func TestKneeDoesNotDependOnUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		points := cloud(rng, 20, 2)
		scaled := make([]pareto.Point, len(points))
		for i, p := range points {
			scaled[i] = pareto.Point{ID: p.ID, Losses: []float64{p.Losses[0]*1024 - 64, p.Losses[1] / 256}}
		}
		if got, want := pareto.Knee(pareto.Front(scaled)).ID, pareto.Knee(pareto.Front(points)).ID; got != want {
			t.Fatalf("the knee moved from %d to %d by a change of units", want, got)
		}
	}
}

func TestUnderTakesTheFastestThatFits(t *testing.T) {
	front := []pareto.Point{{ID: 1, Losses: []float64{0, 10}}, {ID: 2, Losses: []float64{1, 3}}, {ID: 3, Losses: []float64{2, 2}}}
	for limit, want := range map[float64]int{11: 1, 10: 1, 9: 2, 2: 3} {
		if got, ok := pareto.Under(front, limit); !ok || got.ID != want {
			t.Errorf("under %v: got %v, %v, want %d", limit, got, ok, want)
		}
	}
	if got, ok := pareto.Under(front, 1); ok {
		t.Errorf("under 1: got %v, want none", got)
	}
}
