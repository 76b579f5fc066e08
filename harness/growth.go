package harness

import (
	"fmt"
	"math"
	"slices"

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
	// step is by how much even the lowest of the last third of the samples is
	// above the highest of the first third, in bytes.
	step float64
}

// leastSamples are needed for a slope with an interval that means something, and
// mostParts are as many as leave each part some samples in a window of seconds.
const (
	leastSamples = 6
	mostParts    = 8
)

// growthOf estimates the slope of a tree's memory, PSS where there is one. Memory
// moves in steps, and what it has risen by it keeps, so that the distances from a
// line are alike from sample to sample and a plain fit is far too sure of its
// slope. It is taken for a random walk with a drift in place of that: the window is
// divided into parts, whose rises are independent then, with the slope as their
// mean (t interval). One step makes no slope. Where memory does not walk at random
// the interval is wider than needed.
func growthOf(m process.MemorySummary) (growth, bool) {
	n := len(m.Times)
	if n < leastSamples || !(m.Times[n-1].Seconds > m.Times[0].Seconds) {
		return growth{}, false
	}
	times, values := make([]float64, n), make([]float64, n)
	for i, sample := range m.Times {
		times[i], values[i] = sample.Seconds, float64(sample.RSS)
		if m.HavePSS {
			values[i] = float64(sample.PSS)
		}
	}
	g := growth{seconds: times[n-1] - times[0], mean: stat.Mean(values, nil)}
	g.step = max(0, slices.Min(values[n-n/3:])-slices.Max(values[:n/3]))
	rises := risesOf(times, values)
	mean, sd := stat.MeanStdDev(rises, nil)
	count := float64(len(rises))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: count - 1}.Quantile(0.975) * sd / math.Sqrt(count)
	g.slope, g.low, g.high = mean, mean-half, mean+half
	return g, true
}

// risesOf the parts of a window are in bytes per second.
func risesOf(times, values []float64) []float64 {
	parts, last := min(mostParts, len(times)/2), len(times)-1
	rises := make([]float64, parts)
	for k := range rises {
		from, to := k*last/parts, (k+1)*last/parts
		rises[k] = (values[to] - values[from]) / (times[to] - times[from])
	}
	return rises
}

// Growth is told where it is above zero by its interval and comes to growthTold of
// the memory over the window, and a step from stepTold on. Less is common after a
// warm-up.
const (
	growthTold = 0.02
	stepTold   = 0.05
)

func (g growth) steady() bool  { return !(g.low > 0 && g.slope*g.seconds > growthTold*g.mean) }
func (g growth) stepped() bool { return g.step > stepTold*g.mean }

// addTo adds the slope; requests are those that were answered meanwhile.
func (g growth) addTo(metrics map[string]float64, perSecond float64) {
	metrics["memory_growth_bytes_per_second"] = g.slope
	metrics["memory_growth_low_bytes_per_second"] = g.low
	metrics["memory_growth_high_bytes_per_second"] = g.high
	if perSecond > 0 {
		metrics["memory_growth_bytes_per_1000_requests"] = 1000 * g.slope / perSecond
	}
}

// warning is empty for a server whose memory is steady.
func (g growth) warning(perSecond float64) string {
	if g.steady() && !g.stepped() {
		return ""
	}
	if g.steady() { // the steps are certain, a slope is not
		return fmt.Sprintf("memory was not steady: it rose by %s in steps: the server was still taking up memory; give load.warmup a larger number",
			humanize.Bytes(uint64(g.step)))
	}
	text := fmt.Sprintf("memory was not steady: it grew by %s/s (95 %%: %s to %s)", signedBytes(g.slope), signedBytes(g.low), signedBytes(g.high))
	if perSecond > 0 {
		text += fmt.Sprintf(", %s per 1000 requests", signedBytes(1000*g.slope/perSecond))
	}
	return text + ": the server leaks, or was still taking up memory. If a larger number in load.warmup does not end it, it leaks, and its figures of memory are those of this window alone"
}

func signedBytes(b float64) string {
	if b < 0 {
		return "-" + humanize.Bytes(uint64(-b))
	}
	return humanize.Bytes(uint64(b))
}
