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

// 60 collections of which 6 by malloc, and 20 of which 10: 16 of 80.
func TestReasonsAreWeighedByCollections(t *testing.T) {
	r, known := tuner.ReasonsOf([]tuner.Scored{
		withRuns(map[string]float64{"gc_count": 60, "gc_reasons_seen": 60, "gc_by_malloc_share": 0.1, "gc_major_by_oldmalloc_share": 0}),
		withRuns(map[string]float64{"gc_count": 20, "gc_reasons_seen": 20, "gc_by_malloc_share": 0.5, "gc_major_by_oldmalloc_share": 0},
			map[string]float64{"gc_count": 0}),
		{}, // not measured
	})
	if !known || r.Trials != 2 || r.Seen != 80 || r.Collections != 80 {
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
	r, _ = tuner.ReasonsOf([]tuner.Scored{withRuns(map[string]float64{"gc_count": 50, "gc_reasons_seen": 50, "gc_by_malloc_share": 0})})
	if r.Never("gc_by_malloc_share") {
		t.Error("one in twenty may well be missed in 50")
	}
	if _, known := tuner.ReasonsOf([]tuner.Scored{withRuns(map[string]float64{"gc_count": 100})}); known {
		t.Error("a Ruby that does not tell")
	}
	if _, known := tuner.ReasonsOf([]tuner.Scored{withRuns(map[string]float64{"gc_count": 0})}); known {
		t.Error("no collection at all")
	}
}
