package sampler

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gctune/gctune/tuner/space"
)

// NSGA2 is the elitist genetic algorithm of K. Deb, A. Pratap, S. Agarwal and
// T. Meyarivan (A fast and elitist multiobjective genetic algorithm: NSGA-II,
// IEEE Transactions on Evolutionary Computation 6(2), 2002): tournaments by
// constrained dominance and crowding, simulated binary crossover and polynomial
// mutation, on the unit coordinates of the space. The population is taken from
// the history, so that each trial can be a parent as soon as it is measured.
type NSGA2 struct{}

var _ Sampler = NSGA2{}

// The parameters of NSGA2. Populations of 50 or 100, as are usual, would spend a
// budget of 50 trials before the first selection.
const (
	population = 12
	// crossoverIndex and mutationIndex are the distribution indices of the paper:
	// the greater, the closer children are to their parents.
	crossoverIndex       = 3
	mutationIndex        = 10
	crossoverProbability = 0.9
)

// Name is "nsga2".
func (NSGA2) Name() string { return "nsga2" }

// Propose returns a child of two of the fittest trials. With too few trials to
// choose from it proposes as Sobol does.
func (NSGA2) Propose(r Request) (space.Setting, error) {
	rng := source(r, 5)
	ranked := fittest(r)
	if len(ranked) < population {
		return Sobol{}.Propose(r)
	}
	parents := ranked[:population]
	u := cross(r.Space, tournament(parents, rng), tournament(parents, rng), rng)
	mutate(r.Space, u, rng)
	return unseen(r, u, rng)
}

// fittest returns the trials that can be learnt from: feasible ones before the
// others, those within the reference point before those beyond it, then front by
// front, and the least crowded of a front first.
func fittest(r Request) []trial {
	trials := rank(r, func() float64 { return 1 })
	for start := 0; start < len(trials); {
		end := start + 1
		for end < len(trials) && compareFronts(trials[start], trials[end]) == 0 {
			end++
		}
		sortByCrowding(r, trials[start:end])
		start = end
	}
	return trials
}

func compareFronts(a, b trial) int {
	a.fold, b.fold = 0, 0
	return compareTrials(a, b)
}

// sortByCrowding puts the trials of one front in the order of their distances
// from their neighbours, the greatest first.
func sortByCrowding(r Request, front []trial) {
	crowding := map[int]float64{}
	losses := func(t trial, i int) float64 { return r.History[t.number].Losses[i] }
	for i := range newScale(r).ideal {
		if math.IsInf(front[0].beyond, 1) {
			break // there are no losses
		}
		slices.SortStableFunc(front, func(a, b trial) int { return cmp.Compare(losses(a, i), losses(b, i)) })
		last := len(front) - 1
		span := losses(front[last], i) - losses(front[0], i)
		crowding[front[0].number], crowding[front[last].number] = math.Inf(1), math.Inf(1)
		for k := 1; k < last && span > 0; k++ {
			crowding[front[k].number] += (losses(front[k+1], i) - losses(front[k-1], i)) / span
		}
	}
	slices.SortStableFunc(front, func(a, b trial) int {
		return cmp.Or(-cmp.Compare(crowding[a.number], crowding[b.number]), cmp.Compare(a.number, b.number))
	})
}

// tournament draws two of the parents, which are in order, and returns the better.
func tournament(parents []trial, rng *rand.Rand) []float64 {
	return parents[min(rng.IntN(len(parents)), rng.IntN(len(parents)))].u
}

// cross returns one child by simulated binary crossover (K. Deb, R. Agrawal,
// Simulated binary crossover for continuous search space, Complex Systems 9,
// 1995). A coordinate is crossed with probability one half, and a choice is
// inherited from either parent.
func cross(s space.Space, a, b []float64, rng *rand.Rand) []float64 {
	child := slices.Clone(a)
	if rng.Float64() > crossoverProbability {
		return child
	}
	for i, p := range s.Parameters() {
		x, y := a[i], b[i]
		if rng.IntN(2) == 0 {
			x, y = y, x
		}
		child[i] = x
		if p.Kind != space.Choice && rng.IntN(2) == 0 {
			spread := spreadFactor(rng.Float64())
			child[i] = 0.5 * ((1+spread)*x + (1-spread)*y)
		}
	}
	return child
}

// spreadFactor is the ratio of the children's distance to that of the parents.
func spreadFactor(x float64) float64 {
	if x <= 0.5 {
		return math.Pow(2*x, 1.0/(crossoverIndex+1))
	}
	return math.Pow(1/(2*(1-x)), 1.0/(crossoverIndex+1))
}

// mutate changes each coordinate with a probability of one in their number, by
// polynomial mutation (Deb 2002), and a choice to any of its values. What leaves
// the unit interval is moved to its end by Decode, so that ends are reached.
func mutate(s space.Space, u []float64, rng *rand.Rand) {
	for i, p := range s.Parameters() {
		if rng.Float64() >= 1/float64(len(u)) {
			continue
		}
		x := rng.Float64()
		switch {
		case p.Kind == space.Choice:
			u[i] = x
		case x < 0.5:
			u[i] += math.Pow(2*x, 1.0/(mutationIndex+1)) - 1
		default:
			u[i] += 1 - math.Pow(2*(1-x), 1.0/(mutationIndex+1))
		}
	}
}
