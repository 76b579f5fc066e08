package main

import (
	"math"
	"slices"
	"testing"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
)

// What is of the search's front and was not measured again is not drawn as beaten,
// whatever was.
func TestPlotTellsUnconfirmedFromBeaten(t *testing.T) {
	s := &storedStudy{
		definition: tuner.Definition{Objectives: objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory_bytes"}, HasBaseline: true},
		confirmed: &tuner.Confirmed{
			Baseline: true, Waiting: []int{2},
			Members: []tuner.Member{{Trial: 1, Throughput: objective.Interval{Estimate: 1.1}, Memory: objective.Interval{Estimate: 1.2}}},
		},
	}
	o := s.definition.Objectives
	for number, figures := range [][2]float64{{100, 100}, {110, 120}, {120, 150}, {90, 130}} {
		s.trials = append(s.trials, tuner.Scored{
			Trial:   studies.Trial{Number: number},
			Metrics: map[string]float64{o.Throughput: figures[0], o.Memory: figures[1]},
			Losses:  []float64{-math.Log(figures[0]), math.Log(figures[1])},
		})
	}
	numbers := func(points []report.Point) (all []int) {
		for _, p := range points {
			all = append(all, p.Trial)
		}
		return all
	}
	f := s.plot()
	if got := numbers(f.Unconfirmed); !slices.Equal(got, []int{2}) {
		t.Errorf("not measured again: %v, want trial 2", got)
	}
	if got := numbers(f.Beaten); !slices.Equal(got, []int{3}) {
		t.Errorf("beaten: %v, want trial 3", got)
	}
}
