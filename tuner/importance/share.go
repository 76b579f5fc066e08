package importance

import "math/rand/v2"

// Interval is an estimate with the 90 % interval around it.
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
)

// Shares estimates the shares of all parameters in the variance that a loss has in
// the region, by the model of all trials. The intervals are from refits of the
// model to random three quarters of the trials. Each refit has one more parameter
// with random values; what these get is what chance gives. The same arguments give
// the same answer. Errors are those of NewModel.
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
	chance := quantile(spread[len(r)].sorted(total), 0.5)
	for c, index := range indices {
		shares[c] = Share{
			First: spread[c].interval(first, index.First),
			Total: spread[c].interval(total, index.Total),
		}
		shares[c].Found = shares[c].Total.Low > max(chance, nothing)
	}
	return shares, nil
}
