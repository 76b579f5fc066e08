package objective

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with its 95 % confidence interval.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// String writes a ratio and its interval as changes: "+11.2 % (+9.0 % to +13.5 %)".
// There are more decimals where fewer would show a limit as nothing, so that one can
// see on which side of it the interval lies.
func (i Interval) String() string {
	changes := []any{100 * (i.Estimate - 1), 100 * (i.Low - 1), 100 * (i.High - 1)}
	decimals := 1
	for _, limit := range changes[1:] {
		if size := math.Abs(limit.(float64)); size > 0 && size < 0.05 {
			decimals = 2
		}
	}
	return fmt.Sprintf(strings.ReplaceAll("%+.*f %% (%+.*f %% to %+.*f %%)", "*", strconv.Itoa(decimals)), changes...)
}

// Inverse is the ratio the other way round.
func (i Interval) Inverse() Interval { return Interval{1 / i.Estimate, 1 / i.High, 1 / i.Low} }

// Verdict says how a setting compares with the baseline on one objective.
type Verdict string

// The verdicts. None means that the interval contains 1: no significant
// difference.
const (
	Better Verdict = "better"
	Worse  Verdict = "worse"
	None   Verdict = "none"
)

// confidence is two-sided, of a single interval or of several together.
const confidence = 0.95

// ErrTooFewPairs says that an interval needs at least two pairs.
var ErrTooFewPairs = errors.New("an interval needs at least 2 pairs of measurements")

// PairedRatio estimates the ratio variant/baseline from measurements made in
// pairs: the t interval on the logarithms of the pairs' ratios (a ratio's noise is
// multiplicative), at a confidence such as Simultaneous gives. Both slices hold
// positive numbers and have one element a pair. For pairs of processes that were
// alive together there is TwinInterval.
func PairedRatio(baseline, variant []float64, confidence float64) (Interval, error) {
	if len(baseline) != len(variant) {
		return Interval{}, errors.New("paired measurements need as many of the baseline as of the variant")
	}
	logs := make([]float64, len(baseline))
	for i := range baseline {
		logs[i] = math.Log(variant[i] / baseline[i])
		if math.IsNaN(logs[i]) || math.IsInf(logs[i], 0) {
			return Interval{}, errors.New("paired measurements must be positive numbers")
		}
	}
	c, err := plainContrast(logs)
	if err != nil {
		return Interval{}, err
	}
	return c.interval(confidence), nil
}

// MeanInterval is the geometric mean of repeated measurements with its t
// interval; of a single one, which has none, both limits are the measurement
// itself. It reports false for none, and for values that are not positive.
func MeanInterval(values []float64) (Interval, bool) {
	if len(values) == 0 {
		return Interval{}, false
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		if !(v > 0) {
			return Interval{}, false
		}
		logs[i] = math.Log(v)
	}
	if len(logs) == 1 {
		return Interval{Estimate: values[0], Low: values[0], High: values[0]}, true
	}
	c, err := plainContrast(logs)
	return c.interval(confidence), err == nil
}

// logInterval takes a mean of logarithms, its standard error and the degrees of
// freedom back to the scale of the measurements.
func logInterval(mean, standardError, degrees, confidence float64) Interval {
	t := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	if !math.IsInf(degrees, 1) {
		t = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile(0.5 + confidence/2)
	}
	return Interval{
		Estimate: math.Exp(mean),
		Low:      math.Exp(mean - t*standardError),
		High:     math.Exp(mean + t*standardError),
	}
}

// Negligible is the relative difference below which nothing is called better or
// worse, however certain it is. Memory is measured so steadily that pairs of equal
// servers now and then agree on a difference of some hundredths of a per cent, which
// is where in memory things have come to lie.
const Negligible = 0.002

func (i Interval) negligible() bool { return math.Abs(math.Log(i.Estimate)) < Negligible }

// ThroughputVerdict judges a ratio of throughputs to the baseline's: none where the
// interval has 1 in it, or the difference is negligible.
func ThroughputVerdict(ratio Interval) Verdict {
	if ratio.negligible() {
		return None
	}
	return judge(ratio.Low > 1, ratio.High < 1)
}

// MemoryVerdict judges a ratio of memory to the baseline's likewise: less is better.
func MemoryVerdict(ratio Interval) Verdict {
	if ratio.negligible() {
		return None
	}
	return judge(ratio.High < 1, ratio.Low > 1)
}

func judge(better, worse bool) Verdict {
	switch {
	case better:
		return Better
	case worse:
		return Worse
	}
	return None
}

// Noise is the run-to-run standard deviation of the logarithm of a metric, as
// estimated from repeated runs of one setting.
type Noise struct {
	// SD is the standard deviation; a value of 0.05 is noise of about 5 %.
	SD float64
	// Degrees are the degrees of freedom of the estimate; 0 means unknown.
	Degrees int
}

// RepeatNoise pools the noise of a metric over groups of repeated runs: each
// group holds the values of one setting, and needs two to tell anything.
func RepeatNoise(groups ...[]float64) Noise {
	squares, degrees := 0.0, 0
	for _, group := range groups {
		if len(group) < 2 {
			continue
		}
		logs := make([]float64, len(group))
		for i, v := range group {
			logs[i] = math.Log(v)
		}
		squares += stat.Variance(logs, nil) * float64(len(group)-1)
		degrees += len(group) - 1
	}
	if degrees == 0 {
		return Noise{}
	}
	return Noise{SD: math.Sqrt(squares / float64(degrees)), Degrees: degrees}
}

// Interval puts an interval around the mean of a number of runs. It reports
// false when the noise is unknown.
func (n Noise) Interval(estimate float64, runs int) (Interval, bool) {
	if n.Degrees == 0 || runs < 1 || estimate <= 0 {
		return Interval{}, false
	}
	return logInterval(math.Log(estimate), n.SD/math.Sqrt(float64(runs)), float64(n.Degrees), confidence), true
}
