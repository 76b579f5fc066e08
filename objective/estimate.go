package objective

import "math"

// Estimate is what is believed of a trial's throughput.
type Estimate struct {
	// Log is the logarithm of the throughput, Error its standard error among the
	// trials of a study.
	Log, Error float64
}

// clearly is how many standard errors of a difference make it clear enough to spend
// no more on it. A single trial that is as good looks as bad in one case of fifteen.
const clearly = 1.5

// ClearlyBelow reports whether the estimate is less than another one by more than
// their errors account for.
func (e Estimate) ClearlyBelow(other Estimate) bool {
	return other.Log-e.Log > clearly*math.Hypot(e.Error, other.Error)
}
