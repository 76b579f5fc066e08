package tuner_test

import (
	"math"
	"testing"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

func withRuns(runs ...map[string]float64) tuner.Scored {
	s := tuner.Scored{Metrics: map[string]float64{}}
	for _, metrics := range runs {
		s.Runs = append(s.Runs, studies.Run{Metrics: metrics})
	}
	return s
}

// 30 collections of which 3 by malloc, and 10 of which 5: 8 of 40.
func TestReasonsAreWeighedByCollections(t *testing.T) {
	r, known := tuner.ReasonsOf([]tuner.Scored{
		withRuns(map[string]float64{"gc_count": 30, "gc_reasons_seen": 30, "gc_by_malloc_share": 0.1, "gc_major_by_oldmalloc_share": 0}),
		withRuns(map[string]float64{"gc_count": 10, "gc_reasons_seen": 10, "gc_by_malloc_share": 0.5, "gc_major_by_oldmalloc_share": 0},
			map[string]float64{"gc_count": 0}),
		{}, // not measured
	})
	if !known || r.Trials != 2 || r.Seen != 40 || r.Collections != 40 {
		t.Fatalf("%+v, %v", r, known)
	}
	if got := r.Share("gc_by_malloc_share"); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("share by malloc %v, want 0.2", got)
	}
	if r.Never("gc_by_malloc_share") || !r.Never("gc_major_by_oldmalloc_share") || r.Never("gc_major_by_unprotected_share") {
		t.Error("never: malloc has started some, old malloc none, and of the third nothing is known")
	}
}

// What was not seen may have had any reason.
func TestNothingIsSaidOfUnseenCollections(t *testing.T) {
	r, _ := tuner.ReasonsOf([]tuner.Scored{withRuns(map[string]float64{"gc_count": 100, "gc_reasons_seen": 90, "gc_by_malloc_share": 0})})
	if r.Never("gc_by_malloc_share") {
		t.Error("a tenth was not seen")
	}
	if _, known := tuner.ReasonsOf([]tuner.Scored{withRuns(map[string]float64{"gc_count": 100})}); known {
		t.Error("a Ruby that does not tell")
	}
	if _, known := tuner.ReasonsOf([]tuner.Scored{withRuns(map[string]float64{"gc_count": 0})}); known {
		t.Error("no collection at all")
	}
}
