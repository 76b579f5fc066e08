package harness

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gctune/gctune/harness/process"
)

// growth is how fast memory grew over a window, in bytes per second, with a 95 %
// interval.
type growth struct {
	slope, low, high float64
	seconds          float64 // between the first and the last sample
	mean             float64 // bytes
}

// leastSamples are needed for a slope with an interval that means something.
const leastSamples = 6

// growthOf fits a line to a tree's memory, PSS where there is one. Memory moves in
// steps, so that what the line leaves over is alike from one sample to the next;
// the interval is widened, and its degrees of freedom reduced, by the correlation
// of neighbours, as for a first-order autoregressive series (Santer and others,
// "Statistical significance of trends and trend differences in layer-average
// atmospheric temperature time series", J. Geophys. Res. 105, 2000, section 4).
func growthOf(m process.MemorySummary) (growth, bool) {
	if len(m.Times) < leastSamples {
		return growth{}, false
	}
	times, values := make([]float64, len(m.Times)), make([]float64, len(m.Times))
	for i, sample := range m.Times {
		times[i], values[i] = sample.Seconds, float64(sample.RSS)
		if m.HavePSS {
			values[i] = float64(sample.PSS)
		}
	}
	g := growth{seconds: times[len(times)-1] - times[0], mean: stat.Mean(values, nil)}
	if !(g.seconds > 0) {
		return growth{}, false
	}
	intercept, slope := stat.LinearRegression(times, values, nil, false)
	left := make([]float64, len(values))
	for i := range values {
		left[i] = values[i] - intercept - slope*times[i]
	}
	half := slopeError(times, left)
	g.slope, g.low, g.high = slope, slope-half, slope+half
	return g, true
}

// slopeError is half the width of a slope's 95 % interval, from what the line
// leaves over.
func slopeError(times, left []float64) float64 {
	n := float64(len(times))
	squares, neighbours := 0.0, 0.0
	for i, e := range left {
		squares += e * e
		if i > 0 {
			neighbours += e * left[i-1]
		}
	}
	if squares == 0 {
		return 0 // a straight line
	}
	// The correlation in what a line leaves over is too low by about (2 + 4ρ)/n
	// (Kendall, "Note on bias in the estimation of autocorrelation", Biometrika 41,
	// 1954, with the two more of a fitted line).
	alike := neighbours / squares
	alike = min(max(alike+(2+4*alike)/n, 0), 0.99)
	effective := max(n*(1-alike)/(1+alike), leastEffective)
	spread := stat.Variance(times, nil) * (n - 1)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: effective - 2}.Quantile(0.975)
	return t * math.Sqrt(squares/(effective-2)/spread)
}

// leastEffective leaves one degree of freedom to samples however alike.
const leastEffective = 3

// The growth that is told: it is above zero by its interval, and over the window
// it comes to this share of the memory. Less is common after a warm-up.
const growthTold = 0.02

func (g growth) told() bool { return g.low > 0 && g.slope*g.seconds > growthTold*g.mean }

// addTo adds the slope; requests are those that were answered meanwhile.
func (g growth) addTo(metrics map[string]float64, perSecond float64) {
	metrics["memory_growth_bytes_per_second"] = g.slope
	metrics["memory_growth_low_bytes_per_second"] = g.low
	metrics["memory_growth_high_bytes_per_second"] = g.high
	if perSecond > 0 {
		metrics["memory_growth_bytes_per_1000_requests"] = 1000 * g.slope / perSecond
	}
}

func (g growth) warning(perSecond float64) string {
	text := fmt.Sprintf("memory was not steady: it grew by %s/s (95 %%: %s to %s)", signedBytes(g.slope), signedBytes(g.low), signedBytes(g.high))
	if perSecond > 0 {
		text += fmt.Sprintf(" or %s per 1000 requests", signedBytes(1000*g.slope/perSecond))
	}
	return text + ": the server leaks, or was still taking up memory. If a longer load.warmup does not end it, it leaks, and its figures of memory are those of this window alone"
}

func signedBytes(b float64) string {
	if b < 0 {
		return "-" + humanize.Bytes(uint64(-b))
	}
	return humanize.Bytes(uint64(b))
}
