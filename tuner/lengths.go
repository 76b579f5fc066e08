package tuner

import (
	"math"
	"strings"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/pareto"
)

// Short reports whether the trial's window was ended because it was beaten: its
// figures are of less work than those of others, and its memory may not have reached
// its peak.
func (s Scored) Short() bool {
	end, known := s.Metrics["window_end"]
	return known && end == harness.EndedBeaten
}

// Adaptive reports whether the trial was measured in windows that are as long as they
// need.
func (s Scored) Adaptive() bool {
	first, measured := s.first()
	_, known := first["window_end"]
	return measured && known
}

// first is the first run that has no successor, with its figures: whatever runs are
// added, it stays the same, though it may not count.
func (s Scored) first() (metrics map[string]float64, measured bool) {
	for _, run := range s.Trial.Runs {
		if run.Metrics[superseded] == 0 && len(run.Metrics) > 0 {
			return run.Metrics, true
		}
	}
	return nil, false
}

// Saved is what a study's trials have saved by being no longer than they need.
type Saved struct {
	// Seconds of load.
	Seconds float64
	// Beaten and Precise are the trials that ended before their bound.
	Beaten, Precise int
}

// SavedBy adds up what the trials have saved.
func SavedBy(trials []Scored) (saved Saved) {
	for _, t := range trials {
		for _, run := range t.Runs {
			saved.Seconds += run.Metrics["saved_seconds"]
		}
		switch end, known := t.Metrics["window_end"]; {
		case known && end == harness.EndedBeaten:
			saved.Beaten++
		case known && end == harness.EndedPrecise:
			saved.Precise++
		}
	}
	return saved
}

// lengthsOf are the bounds of a trial's warm-up and window. The first measurement of
// the baseline is as long as it may be, as all others are compared with it, and fixes
// the bounds of the others.
func (l *Loop) lengthsOf(t studies.Trial, trials []Scored) *harness.Lengths {
	if l.Lengths == nil {
		return nil
	}
	lengths, d := *l.Lengths, l.Definition
	if baseline, ok := d.BaselineOf(trials); ok {
		first, _ := baseline.first()
		if served := int(first["memory_requests"]); served > 0 {
			lengths.Least, lengths.Most = served, max(int(first["requests"]), 1)
			lengths.MostSeconds = first["window_seconds"]
		}
		lengths.MajorSeconds = first["gc_major_seconds"]
		if majors := first["gc_major_count"]; majors > 0 {
			lengths.MajorEvery = int(first["requests"] / majors)
		}
	}
	isBaseline := d.HasBaseline && t.Number == 0
	if isBaseline || d.needsWholeWindows() {
		lengths.Error, lengths.MostSeconds = 0, 0
	}
	if !isBaseline && d.Objectives.Throughput == cpuThroughput {
		lengths.Beaten = d.beaten(trials)
	}
	return &lengths
}

// needsWholeWindows says that a window must not end because throughput is known well
// enough: where a limit is on a latency, whose tail takes many requests to see, or
// where throughput is not that whose error is known.
func (d Definition) needsWholeWindows() bool {
	for _, c := range d.Constraints {
		if strings.HasPrefix(c.Metric, "latency_") {
			return true
		}
	}
	return d.Objectives.Throughput != cpuThroughput
}

// memoryMargin is more than the peaks of two runs of one setting differ, as a
// logarithm.
const memoryMargin = 0.01

// beaten is what the loop tells a harness that does not know the front: a setting is
// where a member of the front takes less memory and has clearly more throughput. The
// peak of a window under way can only grow.
func (d Definition) beaten(trials []Scored) func(metrics map[string]float64) bool {
	type member struct {
		throughput objective.Estimate
		memory     float64 // loss
	}
	known := d.estimates(trials)
	var front []member
	for _, p := range pareto.Front(d.Believed(trials)) {
		for _, t := range trials {
			if estimate, ok := known.of(t); ok && t.Number == p.ID {
				front = append(front, member{estimate, p.Losses[1]})
			}
		}
	}
	return func(metrics map[string]float64) bool {
		memory, seen := metrics[d.Objectives.Memory]
		estimate, ok := known.ofRuns([]objective.CPURun{cpuRun(metrics)})
		if !seen || !ok || !known.known {
			return false
		}
		for _, m := range front {
			if math.Log(memory) > m.memory+memoryMargin && estimate.ClearlyBelow(m.throughput) {
				return true
			}
		}
		return false
	}
}
