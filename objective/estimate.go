package objective

import "math"

// Estimate is what is believed of a trial's throughput.
type Estimate struct {
	// Log is the logarithm of the throughput, Error its standard error among the
	// trials of a study, with Degrees of freedom, which may be infinite.
	Log, Error, Degrees float64
}

// Steady says that it is of Steady, and not of single figures.
func (e Estimate) Steady() bool { return math.IsInf(e.Degrees, 1) }

// Interval is that of the throughput, of 95 %.
func (e Estimate) Interval() Interval {
	return logInterval(e.Log, e.Error, e.Degrees, confidence)
}

// clearly is how many standard errors of a difference make it clear enough to spend
// no more on it. A single trial that is as good looks as bad in one case of fifteen.
const clearly = 1.5

// ClearlyBelow reports whether the estimate is less than another one by more than
// their errors account for.
func (e Estimate) ClearlyBelow(other Estimate) bool {
	return other.Log-e.Log > clearly*math.Hypot(e.Error, other.Error)
}
