package problems_test

import (
	"math"
	"testing"

	"github.com/gctune/gctune/bench/problems"
)

// rising has the score 0.01 times the trial's number plus an offset, up to 1.
func rising(offset float64, trials int) problems.Record {
	var r problems.Record
	for trial := 1; trial <= trials; trial++ {
		r.Scores = append(r.Scores, min(0.01*float64(trial)+offset, 1))
	}
	return r
}

func TestSummary(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	s := problems.Summarise([]problems.Record{rising(0, 100), rising(0.3, 100), rising(0.6, 100)})
	// At 50: 0.5, 0.8 and 1. Standard error: the deviation 0.2516611 over the root of 3.
	if !near(s.Means[2], 2.3/3) || math.Abs(s.Errors[2]-0.1452966) > 1e-6 || !near(s.Worst, 0.5) {
		t.Errorf("at 50 trials %.4f ± %.7f, worst %.3f, want 0.7667 ± 0.1452966 and 0.5", s.Means[2], s.Errors[2], s.Worst)
	}
	if s.Needed != 65 { // the middle one passes 0.95 at 65
		t.Errorf("%v trials to 0.95, want 65", s.Needed)
	}
	short := problems.Summarise([]problems.Record{rising(0, 30), rising(0, 30)})
	if !near(short.Means[1], 0.3) || !math.IsNaN(short.Means[2]) || !math.IsNaN(short.Worst) || !math.IsInf(short.Needed, 1) {
		t.Errorf("short searches say %+v, want 0.3 at 30 and nothing of 50", short)
	}
}
