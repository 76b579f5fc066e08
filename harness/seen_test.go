package harness_test

import (
	"strings"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/process"
)

// samplesAt are looks at so many seconds after the first.
func samplesAt(seconds ...float64) process.MemorySummary {
	m := process.MemorySummary{Samples: len(seconds)}
	for _, s := range seconds {
		m.Times = append(m.Times, process.Sample{Seconds: s})
	}
	return m
}

func TestMemoryThatWasHardlySeenIsNoMeasurement(t *testing.T) {
	for name, c := range map[string]struct {
		memory  process.MemorySummary
		seconds float64
		reason  string
	}{
		"well seen":        {samplesAt(0, 0.1, 0.2, 0.3, 0.36), 0.38, ""},
		"once":             {samplesAt(0.001), 0.38, "memory was seen only 1 time in a run of 0.38 s"},
		"at the start":     {samplesAt(0, 0.02, 0.04, 0.06, 0.08, 0.1), 0.38, "memory was not seen for 0.28 s of a run of 0.38 s"},
		"not in between":   {samplesAt(0, 0.02, 0.04, 0.34, 0.36), 0.38, "memory was not seen for 0.30 s of a run of 0.38 s"},
		"not at the start": {samplesAt(0.3, 0.32, 0.34, 0.36, 0.38), 0.38, "memory was not seen for 0.30 s of a run of 0.38 s"},
	} {
		t.Run(name, func(t *testing.T) {
			err := harness.Seen(c.memory, c.seconds)
			switch {
			case c.reason == "" && err != nil:
				t.Error(err)
			case c.reason != "" && (err == nil || !strings.HasPrefix(err.Error(), c.reason) || !strings.Contains(err.Error(), "more work")):
				t.Errorf("%v, want %q and what to do", err, c.reason)
			}
		})
	}
}
