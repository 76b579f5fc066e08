package harness

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/gctune/gctune/harness/load"
	"github.com/gctune/gctune/harness/process"
)

// Lengths are the bounds between which a server's warm-up and window are as long as
// what is seen in them demands. They are for closed loops: in an open loop, whose
// timetable cannot be cut, lengths are fixed.
type Lengths struct {
	// Least is the number of requests, warm-up included, that a trial is not ended
	// before unless it is beaten, and over which memory is measured, so that peaks
	// are those of the same work; over more where the heap grows longer. 0 is
	// LeastSeconds of load.
	Least int
	// Most is the number of requests at which a window ends whatever it has shown;
	// 0 is DefaultWindow of load.
	Most int
	// MostSeconds is how long a window lasts at most that has had Least requests: as
	// many as Most take a setting that is far slower long. 0 is no such bound.
	MostSeconds float64
	// Error is the standard error of throughput, as a part of it, at which a window
	// may end; 0 never ends one.
	Error float64
	// MajorSeconds is what a major collection takes, and MajorEvery how many requests
	// there are to one, where they are known: a short window has seen few.
	MajorSeconds float64
	MajorEvery   int
	// Beaten says of the metrics so far that the setting is out of the question: its
	// window is ended at once. It is asked with requests_per_cpu_second,
	// gc_time_share, gc_time_share_expected, throughput_error, and the peaks of memory,
	// which can only grow; nil never ends one.
	Beaten func(metrics map[string]float64) bool
}

// LeastSeconds of load are needed at least for what is not beaten.
const LeastSeconds = 1.5

// How a window came to its end, as the metric window_end.
const (
	EndedAtBound = iota
	EndedPrecise
	EndedBeaten
)

// asNeeded is a load that is looked at while it lasts.
type asNeeded struct {
	*session
	looks   []look
	serving int // processes
	least   int
	most    int
	begin   int                   // the look that the window begins with
	settled bool                  // the warm-up has ended there
	since   int                   // the look at which that was first found; -1 before
	peak    process.Memory        // seen so far, at the looks
	summary process.MemorySummary // of the first `least` requests, or until grown
	covered int                   // requests that summary is of
	watch   *watch
}

// look is what one chunk of load has shown, and the state after it; the first is of
// no load.
type look struct {
	snapshot
	served  int // requests so far
	report  load.Report
	seconds float64 // of CPU, in the chunk
	// at is when the chunk ended, in seconds since memory was first read, and
	// machine what other programs had done until then.
	at      float64
	machine moment
}

// measureAsNeeded warms up and measures in one: what has been seen since the change
// from warm-up to steady state is the window.
func (x *session) measureAsNeeded(ctx context.Context) (map[string]float64, error) {
	if x.server.Warmup > 0 {
		if err := x.warmUpBy(ctx, x.server.Warmup); err != nil {
			return nil, err
		}
	}
	first, err := x.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	x.memory = x.tree.StartSampling(memoryInterval)
	watch := x.server.watch(x.tree)
	n := &asNeeded{
		session: x,
		watch:   watch,
		looks:   []look{{snapshot: first, machine: watch.before}},
		serving: max(1, len(serving(first.workers))),
		least:   x.trial.Lengths.Least,
		most:    x.trial.Lengths.Most,
		since:   -1,
	}
	if x.server.Warmup > 0 { // it has been all that there is to be
		n.settled, n.since = true, 0
	}
	for {
		if err := n.chunk(ctx); err != nil {
			return nil, err
		}
		if err := n.sameSinceSettled(); err != nil {
			return nil, err
		}
		if end, over := n.end(); over {
			return n.finish(end)
		}
	}
}

// end says whether the window is at its end, and why.
func (n *asNeeded) end() (reason int, over bool) {
	if n.least == 0 || n.most == 0 {
		return 0, false
	}
	n.settle()
	if n.summary.Samples == 0 && n.grown() && n.served() >= n.least {
		n.cover(n.memory.SoFar())
	}
	if !n.settled || len(n.window()) < leastChunks {
		return 0, false
	}
	l := n.trial.Lengths
	metrics := n.soFar()
	switch {
	case l.Beaten != nil && l.Beaten(metrics):
		return EndedBeaten, true
	case n.served() < n.least:
		return 0, false
	case metrics["throughput_error"] > 0 && metrics["throughput_error"] <= l.Error:
		return EndedPrecise, true
	}
	return EndedAtBound, n.served()-n.looks[n.begin].served >= n.most || n.lastedLong()
}

// lastedLong is of the window so far.
func (n *asNeeded) lastedLong() bool {
	bound := n.trial.Lengths.MostSeconds
	return bound > 0 && n.last().at-n.looks[n.begin].at >= bound
}

// readMemory reads it at the end of a chunk, as long as it is compared: the judge is
// told what the samples may not have met yet.
func (n *asNeeded) readMemory() {
	memory, err := n.tree.Memory()
	if err != nil || n.summary.Samples > 0 {
		return
	}
	n.peak.PSS, n.peak.RSS = max(n.peak.PSS, memory.PSS), max(n.peak.RSS, memory.RSS)
	n.peak.HavePSS = memory.HavePSS
}

// cover takes the memory until now for that of the trial.
func (n *asNeeded) cover(m process.MemorySummary) {
	m.PSS.Peak, m.RSS.Peak = max(m.PSS.Peak, n.peak.PSS), max(m.RSS.Peak, n.peak.RSS)
	n.peak.PSS, n.peak.RSS, n.peak.HavePSS = m.PSS.Peak, m.RSS.Peak, m.HavePSS
	n.summary, n.covered = m, n.served()
}

// window are the looks at its chunks.
func (n *asNeeded) window() []look { return n.looks[n.begin+1:] }

// soFar are the metrics that decide on the end.
func (n *asNeeded) soFar() map[string]float64 {
	var total look
	expected := 0
	for _, l := range n.window() {
		total.seconds += l.seconds
		expected += l.report.Expected
	}
	pss := n.peak.PSS
	if !n.peak.HavePSS {
		pss = n.peak.RSS
	}
	metrics := map[string]float64{
		"requests_per_cpu_second": float64(expected) / total.seconds,
		"throughput_error":        n.throughputError(),
		"memory_pss_peak_bytes":   float64(pss),
		"memory_rss_peak_bytes":   float64(n.peak.RSS),
	}
	if collection, known := n.collection(n.begin, len(n.looks)-1); known && total.seconds > 0 {
		metrics["gc_time_share"] = collection.Seconds / total.seconds
	}
	if share, _, known := n.share(); known {
		metrics["gc_time_share_expected"] = share
	}
	maps.DeleteFunc(metrics, func(_ string, v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	return metrics
}

// finish turns the window into metrics.
func (n *asNeeded) finish(end int) (map[string]float64, error) {
	all := n.memory.Stop()
	if n.summary.Samples == 0 {
		n.cover(all)
	}
	if err := n.sameInWindow(); err != nil {
		return nil, err
	}
	begin := n.looks[n.begin]
	var parts []load.Report
	cpu := 0.0
	for _, l := range n.window() {
		parts, cpu = append(parts, l.report), cpu+l.seconds
	}
	n.before, n.facts = begin.snapshot, facts(begin.workers)
	n.warmupRequests += begin.served
	n.recorder.mark(MarkWarmup, begin.workers, n.answered+begin.served, false)
	n.recorder.mark(MarkWindow, n.last().workers, n.answered+n.served(), true)
	n.keepLog(n.last().workers)
	metrics, err := n.figures(load.Join(parts...), cpu, n.summary, n.last().workers)
	if err != nil {
		return nil, err
	}
	metrics["window_end"] = float64(end)
	metrics["memory_requests"] = float64(n.covered)
	metrics["saved_seconds"] = n.saved()
	n.addExpectations(metrics)
	maps.Copy(metrics, disturbed(begin.machine, n.last().machine))
	n.addGrowth(metrics, since(all, begin.at), float64(n.served()-begin.served)/(n.last().at-begin.at))
	return metrics, nil
}

// since leaves the samples of a summary from a time on; its other figures stay.
func since(m process.MemorySummary, seconds float64) process.MemorySummary {
	from, _ := slices.BinarySearchFunc(m.Times, seconds, func(s process.Sample, t float64) int { return cmp.Compare(s.Seconds, t) })
	m.Times = m.Times[from:]
	return m
}

// addExpectations adds what the search goes by.
func (n *asNeeded) addExpectations(metrics map[string]float64) {
	if e := n.throughputError(); !math.IsNaN(e) {
		metrics["throughput_error"] = e
	}
	if share, _, known := n.share(); known {
		metrics["gc_time_share_expected"] = share
	}
	if seconds, seen := n.majorSeconds(); seen {
		metrics["gc_major_seconds"] = seconds
	}
}

// saved is how much longer the load would have taken with fixed lengths: the
// shortest warm-up there is, and a whole window.
func (n *asNeeded) saved() float64 {
	fixed := warmupLeast*n.serving + n.most
	if n.server.Warmup > 0 {
		fixed = n.most
	}
	return time.Duration(float64(fixed-n.served()) / n.pace * float64(time.Second)).Seconds()
}
