package objective

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TwinRatio is what one pair of processes says of one metric. Whatever was
// measured inside the pair, request by request, is in this one number: the pair
// is the sample, as its processes are what differs from one time to the next.
type TwinRatio struct {
	// Ratio is setting/baseline.
	Ratio float64
	// BaselineFirst is the order in which the two processes were started.
	BaselineFirst bool
}

// TwinInterval estimates the ratio setting/baseline from pairs of processes.
//
// The logarithms of the pairs' ratios are y = effect ± order + noise, with + where
// the baseline was started first: of two equal servers the one started second was
// seen to be some 2 % faster. That is a crossover design with two sequences, and
// is analysed as one: the effect is the mean of the two sequences' means, in which
// the order cancels, and its standard error is s/2·√(1/n₁+1/n₂), where s² is the
// variance within the sequences, pooled, with n₁+n₂−2 degrees of freedom (B. Jones,
// M. G. Kenward, Design and Analysis of Cross-Over Trials, section 2.4). The plain
// t interval of all y is wider, as the order is part of its noise; that of blocks
// of two pairs has half of the degrees of freedom.
//
// With fewer than four pairs, or one order alone, the order cannot be told from
// noise: then it is the plain t interval of all pairs, with n−1 degrees.
//
// TestTwinIntervalsHoldTheTruth simulates both this and the rule that ends a
// measurement, SettledTwins.
func TwinInterval(pairs []TwinRatio, confidence float64) (Interval, error) {
	c, err := twinContrast(pairs)
	if err != nil {
		return Interval{}, err
	}
	return c.interval(confidence), nil
}

// TwinDifference estimates how the effects of two settings differ, as the ratio of
// the first to the second, where each was measured beside the baseline and not
// beside the other (Welch's interval, with Satterthwaite's degrees of freedom).
func TwinDifference(first, second []TwinRatio, confidence float64) (Interval, error) {
	a, errA := twinContrast(first)
	b, errB := twinContrast(second)
	if err := errors.Join(errA, errB); err != nil {
		return Interval{}, err
	}
	va, vb := a.se*a.se, b.se*b.se
	difference := contrast{mean: a.mean - b.mean, se: math.Sqrt(va + vb), degrees: a.degrees + b.degrees}
	if va+vb > 0 {
		difference.degrees = (va + vb) * (va + vb) / (va*va/a.degrees + vb*vb/b.degrees)
	}
	return difference.interval(confidence), nil
}

// contrast is an estimate of a logarithm.
type contrast struct{ mean, se, degrees float64 }

func (c contrast) interval(confidence float64) Interval {
	return logInterval(c.mean, c.se, c.degrees, confidence)
}

// leastCrossover is the number of pairs from which the order is taken out.
const leastCrossover = 4

func twinContrast(pairs []TwinRatio) (contrast, error) {
	bySequence, err := logsBySequence(pairs)
	if err != nil {
		return contrast{}, err
	}
	one, other := bySequence[0], bySequence[1]
	if len(pairs) < leastCrossover || len(one) == 0 || len(other) == 0 {
		return plainContrast(append(one, other...))
	}
	mean1, mean2 := stat.Mean(one, nil), stat.Mean(other, nil)
	degrees := float64(len(pairs) - 2)
	variance := (squares(one) + squares(other)) / degrees
	return contrast{
		mean:    (mean1 + mean2) / 2,
		se:      math.Sqrt(variance*(1/float64(len(one))+1/float64(len(other)))) / 2,
		degrees: degrees,
	}, nil
}

func plainContrast(logs []float64) (contrast, error) {
	if len(logs) < 2 {
		return contrast{}, ErrTooFewPairs
	}
	mean, sd := stat.MeanStdDev(logs, nil)
	return contrast{mean: mean, se: sd / math.Sqrt(float64(len(logs))), degrees: float64(len(logs) - 1)}, nil
}

func logsBySequence(pairs []TwinRatio) (sequences [2][]float64, err error) {
	for _, p := range pairs {
		log := math.Log(p.Ratio)
		if math.IsNaN(log) || math.IsInf(log, 0) {
			return sequences, errors.New("paired measurements must be positive numbers")
		}
		sequence := 0
		if p.BaselineFirst {
			sequence = 1
		}
		sequences[sequence] = append(sequences[sequence], log)
	}
	return sequences, nil
}

// squares is the sum of the squared deviations from the mean.
func squares(values []float64) float64 {
	mean, sum := stat.Mean(values, nil), 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// largeEffect is how many times its own uncertainty an effect has to be for the
// precision not to matter.
const largeEffect = 5

// SettledTwins reports whether the interval of a ratio is narrow enough to stop
// measuring: half of its width is at most precision, relative, or at most a fifth
// of the effect. Whoever stops by it must look at even numbers of pairs only, in
// balanced order, and not before LeastTwins: looking earlier, and more often,
// finds narrow intervals by chance that miss the truth.
func SettledTwins(i Interval, precision float64) bool {
	if !(i.Low > 0) {
		return false
	}
	half := math.Log(i.High/i.Low) / 2
	return half <= precision || largeEffect*half <= math.Abs(math.Log(i.Estimate))
}

// LeastTwins is the least number of pairs after which a measurement may end
// because its interval is narrow.
const LeastTwins = 6

// Simultaneous is the confidence that each of several intervals needs for all of
// them together to hold the truth with 95 % (Bonferroni). Unlike a step-down
// method such as Holm's it gives intervals, so that what is printed and the verdict
// that follows from it agree.
func Simultaneous(intervals int) float64 { return 1 - (1-confidence)/float64(max(intervals, 1)) }

// TwinNoise pools the noise of a pair, the standard deviation of its logarithm with
// the order of starting taken out, over several measurements. Of fewer than four
// pairs the order stays in.
func TwinNoise(measurements ...[]TwinRatio) Noise {
	sum, degrees := 0.0, 0
	for _, pairs := range measurements {
		sequences, err := logsBySequence(pairs)
		if err != nil {
			continue
		}
		if len(pairs) < leastCrossover {
			sequences = [2][]float64{append(sequences[0], sequences[1]...)}
		}
		for _, logs := range sequences {
			if len(logs) > 1 {
				sum += squares(logs)
				degrees += len(logs) - 1
			}
		}
	}
	if degrees == 0 {
		return Noise{}
	}
	return Noise{SD: math.Sqrt(sum / float64(degrees)), Degrees: degrees}
}

// power is how likely an effect is to be found that is called visible.
const power = 0.8

// VisibleEffect is the smallest effect, as a relative change, that a number of
// pairs shows with a probability of 80 % at the given confidence: the t quantile of
// the interval, and that of the power, times the standard error. It is +Inf for
// fewer than 3 pairs or unknown noise.
func (n Noise) VisibleEffect(pairs int, confidence float64) float64 {
	if n.Degrees == 0 || pairs < 3 {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(max(pairs-2, 1))}
	return math.Expm1((t.Quantile(0.5+confidence/2) + t.Quantile(power)) * n.SD / math.Sqrt(float64(pairs)))
}
