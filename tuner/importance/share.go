package importance

import (
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Interval is an estimate with the 95 % interval around it.
type Interval struct{ Estimate, Low, High float64 }

// Share is what part a parameter has in the variance of a loss.
type Share struct {
	First, Total Interval
	// Found says that there is an effect: the interval of the total index lies
	// above what a parameter without a meaning gets, and above nothing worth
	// mentioning. Without one the figures mean nothing.
	Found bool
}

const (
	refits = 24
	// leftOut is the part of the trials that each refit does without: a quarter.
	leftOut = 4
	// Points of an estimate, and of those that only show its spread.
	points, fewerPoints = 1024, 512
	// nothing is the share that is not worth mentioning.
	nothing = 0.01
	// normal95 is the 97.5 % quantile of the normal distribution.
	normal95 = 1.96
)

// Shares estimates the shares of all parameters in the variance that a loss has in
// the region, by the model of all trials. The intervals are from refits of the
// model to random three quarters of the trials: the jackknife that deletes several
// at a time (J. Shao, C. Wu, A general theory for jackknife variance estimation,
// Annals of Statistics 17(3), 1989). Each refit has one more parameter with random
// values; the shares that these get are what chance gives. The same arguments
// give the same answer. Errors are those of NewModel.
func Shares(t Trials, r Region, seed uint64) ([]Share, error) {
	m, err := NewModel(t)
	if err != nil {
		return nil, err
	}
	shares := make([]Share, len(r))
	indices := Indices(m.Loss(), r, points, rand.New(rand.NewPCG(seed, 0)))
	if indices == nil { // nothing has an effect
		return shares, nil
	}
	spread, err := refitted(t.thinned(), r, seed)
	if err != nil {
		return nil, err
	}
	chance := spread[len(r)].mean(total)
	scale := float64(leftOut - 1) // trials kept for each that is left out
	for c, index := range indices {
		shares[c] = Share{
			First: spread[c].interval(first, index.First, scale),
			Total: spread[c].interval(total, index.Total, scale),
		}
		shares[c].Found = shares[c].Total.Low > max(chance, nothing)
	}
	return shares, nil
}

// refitted are the indices of each parameter, and last of the dummy, by all
// refits.
func refitted(t Trials, r Region, seed uint64) ([]sample, error) {
	dim := len(r) + 1
	all := make([][]Index, refits)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k := range all {
		group.Go(func() error {
			rng := rand.New(rand.NewPCG(seed, uint64(k)+1))
			m, err := fit(t.without(rng).withDummy(rng))
			if err != nil {
				return err
			}
			all[k] = Indices(m.Loss(), r.with(fewerPoints), fewerPoints, rng)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	samples := make([]sample, dim)
	for _, indices := range all {
		for c := range indices { // none where the model is constant
			samples[c] = append(samples[c], indices[c])
		}
	}
	return samples, nil
}

// sample are the indices of one parameter by several models.
type sample []Index

func first(i Index) float64 { return i.First }
func total(i Index) float64 { return i.Total }

func (s sample) mean(of func(Index) float64) float64 {
	sum := 0.0
	for _, index := range s {
		sum += of(index) / float64(len(s))
	}
	return sum
}

// interval is that around an estimate, given that the variance is scale times the
// mean square of the deviations.
func (s sample) interval(of func(Index) float64, estimate, scale float64) Interval {
	half := 1.0
	if len(s) > 0 {
		squares := 0.0
		for _, index := range s {
			squares += (of(index) - estimate) * (of(index) - estimate) / float64(len(s))
		}
		half = normal95 * math.Sqrt(scale*squares)
	}
	return Interval{Estimate: estimate, Low: max(estimate-half, 0), High: min(estimate+half, 1)}
}
