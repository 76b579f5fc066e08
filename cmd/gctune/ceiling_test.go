package main

import (
	"math"
	"strings"
	"testing"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// Where collection takes a fifth of the CPU time, 25 % are to be gained at most. Trial 2
// has more; trial 3, too, but it was measured again.
func TestGainsBeyondCollectionAreNamed(t *testing.T) {
	s := &storedStudy{definition: tuner.Definition{
		Objectives: objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory_bytes"}, HasBaseline: true}}
	o := s.definition.Objectives
	for number, figures := range [][2]float64{{100, 100}, {124, 120}, {126, 150}, {140, 160}} {
		s.trials = append(s.trials, tuner.Scored{
			Trial:   studies.Trial{Number: number},
			Metrics: map[string]float64{o.Throughput: figures[0], o.Memory: figures[1], "gc_time_share": 0.2},
			Losses:  []float64{-math.Log(figures[0]), math.Log(figures[1])},
		})
	}
	if got, want := s.tooGood(), "trials 2, 3: collection takes 20 % of the CPU time of the defaults, so that settings can gain about +25.0 %;"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	s.confirmed = &tuner.Confirmed{Pending: []int{1, 2}, Members: []tuner.Member{
		{Trial: 3, Pairs: 6, Throughput: objective.Interval{Estimate: 1.4}, Memory: objective.Interval{Estimate: 1.6}}}}
	if got := s.tooGood(); !strings.HasPrefix(got, "trial 2: ") {
		t.Errorf("%q, want trial 2 alone", got)
	}
	delete(s.trials[0].Metrics, "gc_time_share")
	if got := s.tooGood(); got != "" {
		t.Errorf("%q of an unknown share", got)
	}
}
