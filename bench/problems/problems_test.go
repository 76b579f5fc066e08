package problems_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/sampler"
)

func analytic(t *testing.T) []problems.Problem {
	t.Helper()
	all, err := problems.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A long climb that keeps every point nothing beats comes close to the front that
// scores are divided by, and finds nothing better: so 1 is the limit of a score.
func TestNothingBeatsTheDenseFront(t *testing.T) {
	skipWhileRacing(t)
	for _, p := range analytic(t) {
		rng := rand.New(rand.NewPCG(9, 9))
		coordinates := [][]float64{make([]float64, p.Space.Dim())}
		var front []pareto.Point // IDs are indices of coordinates
		for round := range 40_000 {
			u := step(rng, coordinates[pickID(rng, front)])
			if round < 10_000 { // a climb from one place can end in a basin that is not the best
				u = scattered(rng, p.Space.Dim())
			}
			outcome, err := p.Evaluate(p.Space.Decode(u), 0, round)
			if err != nil {
				t.Fatal(err)
			}
			if !outcome.Infeasible {
				coordinates = append(coordinates, u)
				front = insert(rng, front, pareto.Point{ID: len(coordinates) - 1, Losses: outcome.True}, p.Reference)
			}
		}
		got := pareto.Hypervolume2D(front, p.Reference) / p.Best
		t.Logf("%s: %.4f with %d points", p.Name, got, len(front))
		if got > 1.001 || got < 0.95 {
			t.Errorf("%s: a long climb scores %.4f, want nearly 1 and not more", p.Name, got)
		}
	}
}

func pickID(rng *rand.Rand, front []pareto.Point) int {
	if len(front) == 0 {
		return 0
	}
	return front[rng.IntN(len(front))].ID
}

func scattered(rng *rand.Rand, dim int) []float64 {
	u := make([]float64, dim)
	for i := range u {
		u[i] = rng.Float64()
	}
	return u
}

// step changes one coordinate anyhow, or each by a little.
func step(rng *rand.Rand, u []float64) []float64 {
	moved := slices.Clone(u)
	if rng.IntN(3) == 0 {
		moved[rng.IntN(len(moved))] = rng.Float64()
		return moved
	}
	spread := 0.1 * math.Pow(rng.Float64(), 3)
	for i := range moved {
		moved[i] = min(max(moved[i]+spread*rng.NormFloat64(), 0), 1)
	}
	return moved
}

// insert keeps what nothing beats, some 200 points of it at most. Once something
// scores, nothing else is kept: most of a front can lie beyond the reference.
func insert(rng *rand.Rand, front []pareto.Point, p pareto.Point, reference []float64) []pareto.Point {
	if len(front) > 0 {
		scores, kept := pareto.Dominates(p.Losses, reference), pareto.Dominates(front[0].Losses, reference)
		if kept && !scores {
			return front
		}
		if scores && !kept {
			return []pareto.Point{p}
		}
	}
	for _, f := range front {
		if pareto.Dominates(f.Losses, p.Losses) || slices.Equal(f.Losses, p.Losses) {
			return front
		}
	}
	front = slices.DeleteFunc(front, func(f pareto.Point) bool { return pareto.Dominates(p.Losses, f.Losses) })
	if len(front) >= 200 {
		i := rng.IntN(len(front))
		front = slices.Delete(front, i, i+1)
	}
	return append(front, p)
}

// searches runs a sampler with seeds 0 to seeds-1, and sums up.
func searches(t *testing.T, p problems.Problem, s sampler.Sampler, seeds, trials int) problems.Summary {
	t.Helper()
	records := make([]problems.Record, seeds)
	for seed := range records {
		var err error
		if records[seed], err = problems.Run(p, s, uint64(seed), trials); err != nil {
			t.Fatal(err)
		}
	}
	return problems.Summarise(records)
}

// Few seeds and trials, as a proposal takes milliseconds: the bench has the
// figures, this is to see a search that has broken down.
func TestTheDefaultSamplerBeatsRandom(t *testing.T) {
	skipWhileRacing(t)
	const seeds, trials = 2, 30
	for _, p := range analytic(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			random, model := 0.0, 0.0
			for seed := range uint64(seeds) {
				random += last(t, p, sampler.Random{}, seed, trials) / seeds
				model += last(t, p, sampler.Default(nil), seed, trials) / seeds
			}
			t.Logf("random %.3f, model %.3f", random, model)
			if model < random+0.005 {
				t.Errorf("after %d trials: %.3f, random %.3f", trials, model, random)
			}
		})
	}
}

// last is the score after the last trial.
func last(t *testing.T, p problems.Problem, s sampler.Sampler, seed uint64, trials int) float64 {
	t.Helper()
	record, err := problems.Run(p, s, seed, trials)
	if err != nil {
		t.Fatal(err)
	}
	return record.Scores[trials-1]
}

// The rivals are worth a comparison: over all problems they gain on chance what
// the published ones gain at least.
func TestTheRivalsBeatRandom(t *testing.T) {
	skipWhileRacing(t)
	rivals := []sampler.Sampler{sampler.CMAES{}, sampler.NSGA2{}}
	gains := make([]float64, len(rivals))
	all := analytic(t)
	for _, p := range all {
		random := searches(t, p, sampler.Random{}, 4, problems.Middle)
		for i, s := range rivals {
			got := searches(t, p, s, 4, problems.Middle)
			gains[i] += (got.Means[2] - random.Means[2]) / float64(len(all))
		}
	}
	for i, s := range rivals {
		t.Logf("%s gains %.3f", s.Name(), gains[i])
		if gains[i] < 0.05 {
			t.Errorf("%s gains %.3f on random, want 0.05 at least", s.Name(), gains[i])
		}
	}
}

func TestScoresNeverFall(t *testing.T) {
	for _, p := range analytic(t) {
		record, err := problems.Run(p, sampler.Sobol{}, 1, 60)
		if err != nil {
			t.Fatal(err)
		}
		scores := record.Scores
		for i := 1; i < len(scores); i++ {
			if scores[i] < scores[i-1] || scores[i] > 1.001 {
				t.Errorf("%s: score %d is %.4f after %.4f", p.Name, i, scores[i], scores[i-1])
			}
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
