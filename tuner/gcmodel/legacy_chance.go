package gcmodel

import "math"

// legacyRuns is how many runs a prediction averages.
const legacyRuns = 12

// chances spreads what is not known evenly over the runs, the same each time: the
// golden ratio and its like leave no two of them in step.
func (p *legacyProgram) chances() [legacyRuns]legacyChance {
	var all [legacyRuns]legacyChance
	for i := range all {
		n := float64(i)
		even := (n + 0.5) / legacyRuns
		other := math.Mod(0.5+n*0.6180339887, 1)
		third := math.Mod(0.5+n*0.7548776662, 1)
		fourth := math.Mod(0.5+n*0.5698402910, 1)
		overshoots := leastOvershoots * math.Pow(mostOvershoots/leastOvershoots, fourth)
		all[i] = legacyChance{overshoots: overshoots, boot: bootOvershoots, live: 1 + liveDoubt*normal(other), rate: 1, patience: -math.Log(1 - even)}
		if p.blind {
			all[i].rate = math.Exp(p.guessed * normal(third))
		}
	}
	return all
}

// edges are two more runs, in which a hundredth of the live slots more or less is
// found. A heap that grows in one of them and not in the other could do either, so
// bounds take in both; the mean does without them.
func edges() [2]legacyChance {
	return [2]legacyChance{
		{live: 0.99, rate: 1, patience: 1, overshoots: leastOvershoots, boot: bootOvershoots},
		{live: 1.01, rate: 1, patience: 1, overshoots: mostOvershoots, boot: bootOvershoots},
	}
}

const (
	// liveDoubt is how far, relatively, live slots of other runs lie from the log's.
	liveDoubt = 0.002
	// bootOvershoots is the share of collections started by malloc that find the limit
	// overshot, while a program is read and its data made. When answers are put
	// together it is between leastOvershoots, of new strings, and mostOvershoots, of
	// strings that grow.
	bootOvershoots                  = 0.4
	leastOvershoots, mostOvershoots = 0.01, 0.5
)

func normal(quantile float64) float64 { return math.Sqrt2 * math.Erfinv(2*quantile-1) }

// sample collects what the runs say of one figure.
type sample struct{ n, sum, least, most float64 }

func (s *sample) add(x float64) {
	if s.n == 0 {
		s.least, s.most = x, x
	}
	s.n, s.sum, s.least, s.most = s.n+1, s.sum+x, math.Min(s.least, x), math.Max(s.most, x)
}

// widen takes a figure into the bounds and not into the mean.
func (s *sample) widen(x float64) {
	s.least, s.most = math.Min(s.least, x), math.Max(s.most, x)
}

// estimate is the mean; its bounds take in every run and, around it, what the
// model leaves out.
func (s *sample) estimate(relative, absolute float64) Estimate {
	low, high := within(s.least, relative, absolute), within(s.most, relative, absolute)
	return Estimate{finite(s.sum / math.Max(s.n, 1)), low.Low, high.High}
}
