package harness_test

import (
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/probe"
)

// counts are those of a process with 1000 slots.
func counts(allocated float64) *probe.Report {
	return &probe.Report{Slots: 1000, Stat: map[string]float64{"total_allocated_objects": allocated}}
}

// Slots have been used once when a process has allocated as many objects since it was
// first seen, or first answered; without the probe there is nothing to wait for.
func TestSlotsUsedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		looks []harness.Counts
		want  bool
	}{
		"too few objects":       {[]harness.Counts{{1: counts(50)}, {1: counts(1049)}}, false},
		"as many as slots":      {[]harness.Counts{{1: counts(50)}, {1: counts(1050)}}, true},
		"a worker that is new":  {[]harness.Counts{{1: counts(0)}, {1: counts(2000), 2: counts(70)}}, false},
		"one that began since":  {[]harness.Counts{{1: counts(0)}, {1: counts(0), 2: counts(70)}, {1: counts(1000), 2: counts(1070)}}, true},
		"one that answers late": {[]harness.Counts{{1: nil}, {1: counts(70)}, {1: counts(1070)}}, true},
		"one that has ended":    {[]harness.Counts{{1: counts(0), 2: counts(0)}, {1: counts(1000)}}, true},
		"no answer":             {[]harness.Counts{{1: nil}, {1: nil}}, true},
	} {
		if got := harness.UsedOnce(c.looks...); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
