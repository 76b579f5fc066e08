package sampler

import (
	"fmt"
	"math/rand/v2"

	"github.com/gctune/gctune/tuner/space"
)

// CMAES is the evolution strategy with covariance matrix adaptation (N. Hansen,
// A. Ostermeier, Completely derandomized self-adaptation in evolution strategies,
// Evolutionary Computation 9(2), 2001) for several losses: the trials of a
// generation are ranked as TPE ranks its trials, by weights that are drawn anew
// for each generation. Its first points are those of Sobol.
//
// The strategy is built anew for each proposal, by having it relive the history:
// it is asked for each trial again, and told what came of it.
type CMAES struct{}

var _ Sampler = CMAES{}

// strategyStart is how many usable trials there are before the strategy begins,
// at the best of them.
const strategyStart = 12

// Name is "cmaes".
func (CMAES) Name() string { return "cmaes" }

// Propose draws from the distribution that the history has led to.
func (CMAES) Propose(r Request) (space.Setting, error) {
	start, ok := startOfStrategy(r)
	if !ok || r.Space.Dim() == 0 {
		return Sobol{}.Propose(r)
	}
	life, err := relive(r, start)
	if err != nil {
		return nil, fmt.Errorf("cmaes after %d trials: %w", len(r.History), err)
	}
	return unseen(r, life.asked, source(r, 4))
}

// startOfStrategy is the number of trials that belong to the start, false while
// it is not over.
func startOfStrategy(r Request) (int, bool) {
	learnt := 0
	for number, o := range r.History {
		if learnable(o) {
			learnt++
		}
		if learnt == strategyStart {
			return number + 1, true
		}
	}
	return 0, false
}

// learnable reports whether an observation says anything about its setting.
func learnable(o Observation) bool {
	return o.Infeasible || usable(o.Losses, len(o.Losses))
}

// life is a strategy on its way through a history.
type life struct {
	request    Request
	tried      map[string]bool
	rng        *rand.Rand
	strategy   *evolution
	asked      []float64
	key        string // of the setting that was asked for
	generation []Observation
	points     [][]float64 // of the generation
	moved      int         // how many of them were not where they were asked for
}

// relive takes a strategy from the trial where it starts to the end of the history.
func relive(r Request, start int) (*life, error) {
	l := &life{request: r, rng: rand.New(rand.NewPCG(r.Seed, 4))}
	l.request.History = r.History[:start]
	l.tried = seen(l.request)
	mean := sobolPoint(r.Seed, 0, r.Space.Dim())
	if ranked := rank(l.request, l.rng.ExpFloat64); len(ranked) > 0 {
		mean = ranked[0].u
	}
	if err := l.begin(mean); err != nil {
		return nil, err
	}
	for _, o := range r.History[start:] {
		if err := l.observe(o); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *life) begin(mean []float64) error {
	strategy, err := newEvolution(mean, l.rng.Int64())
	l.strategy = strategy
	if err != nil {
		return err
	}
	return l.ask()
}

// ask asks for the next point. A strategy that is at its end gives way to one
// that begins elsewhere.
func (l *life) ask() error {
	point, ok := l.strategy.ask()
	if !ok {
		mean := make([]float64, l.request.Space.Dim())
		for i := range mean {
			mean[i] = l.rng.Float64()
		}
		return l.begin(mean)
	}
	l.asked, l.key = point, l.request.Space.Key(l.request.Space.Decode(point))
	return nil
}

// observe takes a trial for the answer to what was asked for, if it has that
// setting, or the asked one was there before, so that another took its place. All
// others are none of the strategy's: given by hand, or from another sampler.
func (l *life) observe(o Observation) error {
	key, moved := l.request.Space.Key(o.Setting), l.tried[l.key]
	l.tried[key] = true
	if key != l.key && !moved {
		return nil
	}
	if learnable(o) {
		point := l.asked
		if moved {
			point = l.request.Space.Encode(o.Setting)
			l.moved++
		}
		l.generation, l.points = append(l.generation, o), append(l.points, point)
	}
	if len(l.generation) == l.strategy.population() {
		l.tell()
	}
	return l.ask()
}

// tell ends a generation. One that found nothing but settings that were there
// before is the strategy's last.
func (l *life) tell() {
	ranking := make([][]float64, 0, len(l.points))
	ranked := map[int]bool{}
	asked := Request{Space: l.request.Space, History: l.generation, Reference: l.request.Reference}
	for _, t := range rank(asked, l.rng.ExpFloat64) {
		ranking, ranked[t.number] = append(ranking, l.points[t.number]), true
	}
	for i, point := range l.points {
		if !ranked[i] { // its losses cannot be compared with those of the others
			ranking = append(ranking, point)
		}
	}
	l.strategy.tell(ranking)
	if l.moved == len(l.points) {
		l.strategy.end()
	}
	l.generation, l.points, l.moved = nil, nil, 0
}
