package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gctune/gctune/harness/load"
	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/process"
)

// snapshot is what is known at one edge of the window.
type snapshot struct {
	cpuSeconds float64
	workers    map[int]worker
}

// memoryInterval is how often memory is sampled. Reading the PSS of a process
// of 150 MB takes about two milliseconds.
const memoryInterval = 200 * time.Millisecond

func (x *session) snapshot(ctx context.Context) (snapshot, error) {
	var s snapshot
	var err error
	if s.workers, err = x.workers(ctx); err != nil {
		return s, err
	}
	readPeaks(s.workers)
	if s.cpuSeconds, err = x.tree.CPU(); err != nil {
		return s, fmt.Errorf("reading the program's CPU time: %w", err)
	}
	return s, nil
}

// begin opens the window. Memory sampling starts first: its CPU is this
// process's, not the server's.
func (x *session) begin(ctx context.Context) error {
	if err := x.alive("during warm-up"); err != nil {
		return err
	}
	before, err := x.snapshot(ctx)
	if err != nil {
		return err
	}
	x.before, x.facts = before, facts(before.workers)
	x.recorder.mark(MarkWarmup, before.workers, x.answered, true)
	x.memory = x.tree.StartSampling(memoryInterval)
	return nil
}

// finish closes the window and turns it into metrics, unless what was measured
// was no steady server.
func (x *session) finish(ctx context.Context, report load.Report) (map[string]float64, error) {
	if err := x.alive("in the window"); err != nil {
		return nil, err
	}
	// CPU first: the probe's own reports cost some.
	cpuSeconds, err := x.tree.CPU()
	if err != nil {
		return nil, fmt.Errorf("reading the program's CPU time: %w", err)
	}
	memory := x.memory.Stop()
	after, err := x.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if err := sameWorkers(x.before.workers, after.workers); err != nil {
		return nil, err
	}
	x.recorder.mark(MarkWindow, after.workers, x.answered+report.Sent, true)
	x.keepLog(after.workers)
	metrics, err := x.figures(report, cpuSeconds-x.before.cpuSeconds, memory, after.workers)
	if err == nil {
		x.addGrowth(metrics, memory, metrics["requests_per_second"])
	}
	return metrics, err
}

// figures are the metrics of a window.
func (x *session) figures(report load.Report, cpuSeconds float64, memory process.MemorySummary, after map[int]worker) (map[string]float64, error) {
	if report.Expected == 0 {
		return nil, x.trial.broken("no answer was the expected one; the first: %s", report.FirstFailure)
	}
	metrics := report.Metrics()
	x.addCPU(metrics, report, cpuSeconds)
	x.warnings = append(x.warnings, memoryMetrics(metrics, memory)...)
	if err := x.addCollections(metrics, after, cpuSeconds, report.Expected); err != nil {
		return nil, err
	}
	metrics["warmup_requests"] = float64(x.warmupRequests)
	metrics["start_seconds"] = x.startSeconds
	metrics["processes"] = float64(len(after))
	x.warnAbout(metrics, report)
	return metrics, nil
}

// sameWorkers voids a window in which a worker ended or was replaced: half of
// such a window measures a cold process.
func sameWorkers(before, after map[int]worker) error {
	ended, began := missingIn(after, before), missingIn(before, after)
	switch {
	case ended == "" && began == "":
		return nil
	case began == "":
		return voided("process %s ended during the window, so the server was not the same throughout: see its output for why", ended)
	case ended == "":
		return voided("process %s began during the window, so the server was not the same throughout: see its output for why", began)
	}
	return voided("a worker restarted during the window: process %s ended and %s began, so the server was not the same throughout. Its output may say why; what ends workers after a number of requests, or beyond a size, has to be off while gctune measures", ended, began)
}

// missingIn names the workers that are in one map and not in the other, where
// their numbers may be others' now.
func missingIn(other, workers map[int]worker) string {
	var missing []string
	for _, pid := range slices.Sorted(maps.Keys(workers)) {
		if o, ok := other[pid]; !ok || o.StartTime != workers[pid].StartTime {
			missing = append(missing, workers[pid].String())
		}
	}
	return strings.Join(missing, ", ")
}

func (x *session) addCPU(metrics map[string]float64, report load.Report, cpuSeconds float64) {
	if cpuSeconds > 0 {
		metrics["requests_per_cpu_second"] = float64(report.Expected) / cpuSeconds
		metrics["cpu_seconds_per_request"] = cpuSeconds / float64(report.Expected)
	}
}

// memoryMetrics adds a window's memory, and returns what is to be said of it.
func memoryMetrics(metrics map[string]float64, m process.MemorySummary) (warnings []string) {
	addSeries(metrics, "rss", m.RSS)
	if m.HavePSS {
		addSeries(metrics, "pss", m.PSS)
		return nil
	}
	addSeries(metrics, "pss", m.RSS)
	return []string{"PSS could not be read here, so memory is RSS: pages that processes share count once for each of them"}
}

func addSeries(metrics map[string]float64, kind string, s process.Series) {
	metrics["memory_"+kind+"_peak_bytes"] = float64(s.Peak)
	metrics["memory_"+kind+"_p95_bytes"] = float64(s.P95)
	metrics["memory_"+kind+"_mean_bytes"] = float64(s.Mean)
}

// addGrowth adds how memory went over the window, and names a server whose memory
// is not steady.
func (x *session) addGrowth(metrics map[string]float64, memory process.MemorySummary, requestsPerSecond float64) {
	g, known := growthOf(memory)
	if !known {
		return
	}
	g.addTo(metrics, requestsPerSecond)
	if warning := g.warning(requestsPerSecond); warning != "" {
		x.warn("%s", warning)
	}
}

// addCollections adds what the probe saw in the processes that answered it at
// both edges of the window.
func (x *session) addCollections(metrics map[string]float64, after map[int]worker, cpuSeconds float64, requests int) error {
	onCPU := cpuShare(cpuSeconds, metrics)
	var deltas []probe.Delta
	for pid, w := range after {
		before := x.before.workers[pid].report
		if before == nil || w.report == nil {
			continue
		}
		delta, err := probe.Between(*before, *w.report)
		if err != nil {
			return voided("process %s: %v", w, err)
		}
		if delta.Elapsed {
			delta.Seconds *= onCPU
		}
		deltas = append(deltas, delta)
	}
	if len(deltas) == 0 {
		x.warn("no process answered the probe: there are no collection counts")
		return nil
	}
	maps.Copy(metrics, probe.Metrics(deltas))
	if count, counted := metrics["gc_count"]; counted {
		metrics["gc_count_per_1000_requests"] = 1000 * count / float64(requests)
	}
	if seconds, ok := metrics["gc_time_seconds"]; ok && cpuSeconds > 0 {
		metrics["gc_time_share"] = seconds / cpuSeconds
		metrics["gc_time_share_expected"] = dueShare(seconds/cpuSeconds, deltas)
	}
	return nil
}

// dueShare is a share of CPU time in collection, with as many collections as are due
// to what it was seen in.
func dueShare(share float64, deltas []probe.Delta) float64 {
	due, seen := 0.0, 0.0
	for _, d := range deltas {
		due, seen = due+d.DueSeconds(), seen+d.Seconds
	}
	if seen == 0 || share*due/seen >= 1 {
		return share
	}
	return share * due / seen
}

// cpuShare is the part of the time in which a server answers that it has a processor:
// what its collector tells by the clock is CPU time to that part. A server answers no
// longer than all answers take, and no longer than the window.
func cpuShare(cpuSeconds float64, metrics map[string]float64) float64 {
	answering := min(metrics["latency_mean_seconds"]*metrics["requests"], metrics["window_seconds"])
	if !(answering > 0) {
		return 1
	}
	return min(1, cpuSeconds/answering)
}

// driverBusy is the share of a core beyond which the load driver may be what
// limits the server.
const driverBusy = 0.7

func (x *session) warnAbout(metrics map[string]float64, report load.Report) {
	if metrics["driver_cpu_share"] > driverBusy {
		x.warn("the load driver used %.0f %% of a core: requests per second may be its limit, not the server's (CPU figures are not affected)", 100*metrics["driver_cpu_share"])
	}
	if report.FirstFailure != "" {
		x.warn("not all answers were as expected; the first that was not: %s", report.FirstFailure)
	}
}
