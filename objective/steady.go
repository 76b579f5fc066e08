package objective

import "math"

// SteadyEstimate ranks settings by CPU time for each request on a machine whose
// speed changes from run to run.
//
// A setting acts through collection. Where the other work of a request does not
// depend on it, CPU seconds for each request are proportional to 1 / (1 − s),
// with s the share of CPU time spent in collection; and a share does not change
// with the machine's speed, as both of its parts do. So
//
//	log throughput ≈ log baseline + log(1 − s) − log(1 − s₀)
//
// estimates the same as the raw measurement does, with other errors: the raw one
// has the machine's noise, this one leaves out what a setting changes besides
// (page faults, caches). The two are averaged with the weights of their
// variances.
type SteadyEstimate struct {
	// Throughput and Share are the baseline's: geometric mean, and mean share.
	Throughput, Share float64
	// RawNoise is the standard deviation of the logarithm of a raw measurement.
	RawNoise float64
}

// The errors of the share's way, as standard deviations of a logarithm. Shares
// of runs of one setting differ by about 8 % of themselves; what collection time
// does not see was a few per cent between settings measured both ways.
const (
	shareNoise = 0.08
	shareBias  = 0.03
)

// LogThroughput estimates the logarithm of a setting's throughput from its raw
// measurement and its share, with the standard error of the estimate. A share
// outside [0, 1), or an unknown noise, leaves the raw one.
func (e SteadyEstimate) LogThroughput(raw, share float64) (estimate, standardError float64) {
	direct := math.Log(raw)
	if !(share >= 0 && share < 1 && e.Share >= 0 && e.Share < 1 && e.RawNoise > 0 && e.Throughput > 0) {
		return direct, e.RawNoise
	}
	byShare := math.Log(e.Throughput) + math.Log1p(-share) - math.Log1p(-e.Share)
	spread := shareNoise * share / (1 - share) // of log(1 − s), to first order
	weightDirect := 1 / (e.RawNoise * e.RawNoise)
	weightShare := 1 / (spread*spread + shareBias*shareBias)
	weight := weightDirect + weightShare
	return (weightDirect*direct + weightShare*byShare) / weight, 1 / math.Sqrt(weight)
}
