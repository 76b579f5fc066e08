package main

import (
	"math"
	"slices"
	"testing"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// luckyStudy has a machine whose speed changes by a tenth from run to run. Trial 1 was
// lucky: it collects more than the defaults, and takes more memory than trial 2, which
// halves the collection of the defaults and was not lucky.
func luckyStudy() *storedStudy {
	s := &storedStudy{definition: tuner.Definition{
		Objectives:  objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory_bytes"},
		HasBaseline: true,
	}}
	run := func(throughput, memory, share float64) studies.Run {
		return studies.Run{Metrics: map[string]float64{"requests_per_cpu_second": throughput, "memory_bytes": memory, "gc_time_share": share}}
	}
	trial := func(number int, setting space.Setting, runs ...studies.Run) {
		scored := s.definition.Score(studies.Trial{Number: number, Setting: setting, State: studies.Complete, Runs: runs})
		s.trials = append(s.trials, scored)
	}
	trial(0, space.Setting{}, run(100, 100, 0.10), run(91, 100, 0.10), run(109, 100, 0.10), run(95, 100, 0.10), run(105, 100, 0.10))
	trial(1, space.Setting{"FREE": "1"}, run(112, 125, 0.12))
	trial(2, space.Setting{"FREE": "2"}, run(98, 120, 0.05))
	s.estimates = s.definition.Estimates(s.trials)
	return s
}

func TestFrontGoesByWhatIsBelieved(t *testing.T) {
	s := luckyStudy()
	var front []int
	for _, p := range s.front() {
		front = append(front, p.ID)
	}
	if !slices.Equal(front, []int{2, 0}) {
		t.Errorf("front is %v, want trial 2 and the baseline", front)
	}
	for name, want := range map[string]int{pareto.Throughput: 2, pareto.Lossless: 0, pareto.Memory: 0} {
		got, err := s.namedChoice(name)
		if err != nil || got.trial != want {
			t.Errorf("%s is trial %d (%v), want %d", name, got.trial, err, want)
		}
	}
	if got, err := s.underMemory("130"); err != nil || got.trial != 2 {
		t.Errorf("most throughput in 130 bytes: trial %d (%v), want 2", got.trial, err)
	}
}

// With the rest of the CPU time the same, halving a share of 10 % gains (1 − 0.05) /
// (1 − 0.1); a part of what was measured besides is taken for the setting's.
func TestFrontShowsWhatIsBelieved(t *testing.T) {
	s := luckyStudy()
	baseline, two := s.trials[0], s.trials[2]
	ratio := s.ratio(two, baseline, "requests_per_cpu_second").(float64)
	if want := 0.95 / 0.9; math.Abs(ratio-want) > 0.015 {
		t.Errorf("trial 2 gains %.3f, want about %.3f", ratio, want)
	}
	measured := math.Pow(100*91*109*95*105, 1.0/5) // runs differ by factors
	if got := s.believed(baseline, "requests_per_cpu_second"); math.Abs(got-measured) > 1e-9 {
		t.Errorf("the baseline is believed to have %g, want what was measured, %g", got, measured)
	}
	if got := s.plot().Front[0]; got.Trial != 2 || math.Abs(got.Throughput-measured*ratio) > 1e-9 {
		t.Errorf("drawn: %+v, want trial 2 at %g", got, measured*ratio)
	}
	if !s.showsBeliefs() {
		t.Error("nothing says that the figures are estimates")
	}
	s.confirmed = &tuner.Confirmed{Baseline: true, Members: []tuner.Member{
		{Trial: 2, Pairs: 6, Throughput: objective.Interval{Estimate: 1.05}, Memory: objective.Interval{Estimate: 1.2}}}}
	if s.showsBeliefs() {
		t.Error("confirmed figures are called estimates")
	}
}

// What is still to be measured again is on the front where the search believes it.
func TestPendingIsWhereItIsBelieved(t *testing.T) {
	s := luckyStudy()
	s.confirmed = &tuner.Confirmed{Pending: []int{2}, Members: []tuner.Member{}}
	front := s.front()
	if got := math.Exp(-front[0].Losses[0]); len(front) != 1 || math.Abs(got-s.believed(s.trials[2], "requests_per_cpu_second")) > 1e-9 {
		t.Errorf("front %v, want trial 2 at what is believed of it", front)
	}
}
