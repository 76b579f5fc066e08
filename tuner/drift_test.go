package tuner_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/tuner"
)

// slowing measures on a machine that becomes slower with each run, with a noise of
// 1 %.
func slowing(each float64) *scripted {
	random := rand.New(rand.NewPCG(1, 2))
	return &scripted{measure: func(_ context.Context, n int, t harness.Trial) (harness.Result, error) {
		r := figures(t)
		r.Metrics["throughput"] *= math.Exp(-each*float64(n) + 0.01*random.NormFloat64())
		return r, nil
	}}
}

func drifting(t *testing.T, each float64) []tuner.Scored {
	l := newLoop(t, slowing(each))
	l.Budget, l.RepeatBaseline = 45, 12
	return finish(t, l)
}

// A study on a machine that slows down has, corrected, the figures of a machine
// that does not, up to a factor that all have in common; as measured the last ones
// are a third lower. What was measured is kept.
func TestADriftIsTakenOut(t *testing.T) {
	got := drifting(t, 0.008)
	if got[0].Drift == nil {
		t.Fatal("no drift was found")
	}
	var least, most = math.Inf(1), 0.0
	for _, trial := range got {
		truth := figures(harness.Trial{Setting: trial.Setting}).Metrics["throughput"]
		ratio := trial.Metrics["throughput"] / truth
		least, most = min(least, ratio), max(most, ratio)
	}
	if most/least > 1.12 {
		t.Errorf("corrected ratios to the truth go from %.3f to %.3f", least, most)
	}
	last := got[len(got)-1]
	stored := last.Trial.Runs[0].Metrics["throughput"]
	if raw := last.Metrics["uncorrected_throughput"]; raw != stored || stored > 0.85*last.Metrics["throughput"] {
		t.Errorf("measured %v, kept %v, corrected %v", stored, raw, last.Metrics["throughput"])
	}
	if last.DriftError <= 0 || last.DriftError < got[1].DriftError {
		t.Errorf("standard errors %v after the last run of the baseline, %v between two", last.DriftError, got[1].DriftError)
	}
	if noise := tuner.NoiseOf(got, "throughput"); noise.SD < 0.003 || noise.SD > 0.03 {
		t.Errorf("noise %v, want some 1 %%", noise.SD)
	}
	levels := slices.Clone(got[0].Drift.Levels)
	slices.Reverse(levels)
	if len(levels) != 5 || !slices.IsSorted(levels) {
		t.Errorf("levels, the last first: %v do not rise", levels)
	}
}

func TestASteadyMachineIsLeftAlone(t *testing.T) {
	got := drifting(t, 0)
	for _, trial := range got {
		if trial.Drift != nil || trial.Metrics["throughput"] != trial.Trial.Runs[0].Metrics["throughput"] && len(trial.Runs) == 1 {
			t.Fatalf("trial %d: %+v", trial.Number, trial)
		}
	}
}
