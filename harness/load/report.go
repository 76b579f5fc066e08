package load

import (
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Report is what a run came to.
type Report struct {
	// Sent counts the requests whose end was seen; Sent = Expected +
	// HTTPErrors + ConnectionErrors. Requests that the context interrupted
	// are not among them.
	Sent int
	// Expected counts the right answers: the only ones that are throughput.
	Expected int
	// HTTPErrors and ConnectionErrors count the other two classes.
	HTTPErrors, ConnectionErrors int
	// Connections counts the connections that were made or tried. As many as
	// Sent means that the server keeps none alive.
	Connections int
	// FirstFailure describes the first failure; empty when there was none.
	FirstFailure string
	// Wall is the time from the run's start to its last answer.
	Wall time.Duration
	// DriverCPU is the CPU time that this process used meanwhile, whatever
	// else it did; 0 on systems other than Linux.
	DriverCPU time.Duration
	// Latency is of all requests that were answered (as expected or not) or
	// that timed out. Connections refused or cut off have none: a quick
	// failure is not a quick page.
	Latency Latency
	// OpenLoop says from when latency counts: in an open loop from when each
	// request was due, in a closed loop from when it was sent, so that there
	// a slow answer delays the next request instead of showing in it.
	OpenLoop bool

	latencies []time.Duration // of a part, until it is joined with others
}

// Latency is a distribution of latencies. Percentiles come from a histogram
// with three significant digits; Mean and Max are exact.
type Latency struct {
	Count                         int
	Mean, P50, P90, P95, P99, Max time.Duration
}

// Metrics gives the report by the names of gctune's metrics, in seconds.
// Latencies are left out when there were none, and rates when nothing was
// measured. Driver_cpu_share is in cores: 1 is one core kept busy.
func (r Report) Metrics() map[string]float64 {
	m := map[string]float64{
		"requests":           float64(r.Sent),
		"window_seconds":     r.Wall.Seconds(),
		"http_errors":        float64(r.HTTPErrors),
		"connection_errors":  float64(r.ConnectionErrors),
		"driver_cpu_seconds": r.DriverCPU.Seconds(),
	}
	if r.Sent > 0 {
		m["error_share"] = float64(r.Sent-r.Expected) / float64(r.Sent)
	}
	if r.Wall > 0 {
		m["requests_per_second"] = float64(r.Expected) / r.Wall.Seconds()
		m["driver_cpu_share"] = r.DriverCPU.Seconds() / r.Wall.Seconds()
	}
	r.Latency.metrics(m)
	return m
}

func (l Latency) metrics(m map[string]float64) {
	if l.Count == 0 {
		return
	}
	m["latency_mean_seconds"] = l.Mean.Seconds()
	m["latency_p50_seconds"] = l.P50.Seconds()
	m["latency_p90_seconds"] = l.P90.Seconds()
	m["latency_p95_seconds"] = l.P95.Seconds()
	m["latency_p99_seconds"] = l.P99.Seconds()
	m["latency_max_seconds"] = l.Max.Seconds()
}

// String is the report in one line.
func (r Report) String() string {
	text := fmt.Sprintf("%d of %d answers as expected in %v", r.Expected, r.Sent, r.Wall.Round(time.Millisecond))
	if r.FirstFailure != "" {
		text += fmt.Sprintf("; %d HTTP errors, %d connection errors; first: %s", r.HTTPErrors, r.ConnectionErrors, r.FirstFailure)
	}
	return text
}

// The histogram's range: beyond it latencies are kept as its ends.
const (
	shortest = time.Microsecond
	longest  = time.Hour
	digits   = 3
)

// tally adds outcomes up. Many goroutines may add.
type tally struct {
	mu        sync.Mutex
	report    Report
	histogram *hdrhistogram.Histogram
	sum       time.Duration
	// busy is the time spent in requests, added over the workers.
	busy time.Duration
	keep bool // each latency, for a report to be joined with others
}

func newTally() *tally {
	return &tally{histogram: hdrhistogram.New(int64(shortest), int64(longest), digits)}
}

func (t *tally) add(o Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy += o.Latency
	t.count(o)
	if o.Class != ConnectionError || o.TimedOut {
		t.time(o.Latency)
	}
}

func (t *tally) count(o Outcome) {
	r := &t.report
	r.Sent++
	switch o.Class {
	case Expected:
		r.Expected++
	case HTTPError:
		r.HTTPErrors++
	case ConnectionError:
		r.ConnectionErrors++
	}
	if o.reply.dialled {
		r.Connections++
	}
	if r.FirstFailure == "" {
		r.FirstFailure = o.Failure
	}
}

func (t *tally) time(latency time.Duration) {
	if t.keep {
		t.report.latencies = append(t.report.latencies, latency)
	}
	t.sum += latency
	l := &t.report.Latency
	l.Count++
	l.Max = max(l.Max, latency)
	// In range by construction, so that it cannot be refused.
	_ = t.histogram.RecordValue(int64(min(max(latency, shortest), longest)))
}

// result closes the sum.
func (t *tally) result() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.report
	if r.Latency.Count > 0 {
		r.Latency.Mean = t.sum / time.Duration(r.Latency.Count)
		r.Latency.P50 = t.percentile(50)
		r.Latency.P90 = t.percentile(90)
		r.Latency.P95 = t.percentile(95)
		r.Latency.P99 = t.percentile(99)
	}
	return r
}

func (t *tally) percentile(p float64) time.Duration {
	return min(time.Duration(t.histogram.ValueAtPercentile(p)), t.report.Latency.Max)
}
