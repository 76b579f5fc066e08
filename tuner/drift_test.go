package tuner_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
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

// The estimate from shares takes the speed of the machine out by itself, so a drift
// must not be taken out twice, nor its error be counted twice. Errors are as stated.
func TestADriftIsTakenOutOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	truths := map[string]float64{}
	w := &scripted{measure: func(_ context.Context, n int, trial harness.Trial) (harness.Result, error) {
		collection, besides := 0.002, 1.0
		if len(trial.Setting) > 0 {
			collection, besides = 0.0005+0.004*random.Float64(), math.Exp(0.02*random.NormFloat64())
		}
		truths[trial.Setting["SLOTS"]] = -math.Log(0.010*besides + collection)
		seen := collection * math.Exp(0.05*random.NormFloat64())
		speed := math.Exp(-0.012*float64(n) + 0.01*random.NormFloat64())
		return harness.Result{State: harness.Complete, Seconds: 1, Metrics: map[string]float64{
			"requests_per_cpu_second": speed / (0.010*besides + seen), "gc_time_share": seen / (0.010*besides + seen),
			"memory_pss_peak_bytes": 1e8,
		}}, nil
	}}
	l := newLoop(t, w)
	l.Definition.Objectives = objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory_pss_peak_bytes"}
	l.Budget, l.RepeatBaseline, l.Lengths = 45, 12, &harness.Lengths{Error: 0.02}
	got := finish(t, l)
	if got[0].Drift == nil {
		t.Fatal("no drift was found")
	}
	// A window under way is not corrected, and not the slower for it.
	judge := w.asked[len(w.asked)-1].Lengths.Beaten
	for collection, beaten := range map[float64]bool{0.0004: false, 0.006: true} {
		speed := math.Exp(-0.012 * float64(len(w.asked)))
		if judge(map[string]float64{
			"requests_per_cpu_second": speed / (0.010 + collection), "gc_time_share": collection / (0.010 + collection),
			"throughput_error": 0.01, "memory_pss_peak_bytes": 1.1e8,
		}) != beaten {
			t.Errorf("%v s of collection: beaten is not %v", collection, beaten)
		}
	}
	believed := l.Definition.Estimates(got)
	mean := 0.0
	for _, trial := range got {
		mean += (believed[trial.Number].Log - truths[trial.Setting["SLOTS"]]) / float64(len(got))
	}
	var squares, stated float64
	for _, trial := range got {
		e := believed[trial.Number]
		squares += math.Pow(e.Log-truths[trial.Setting["SLOTS"]]-mean, 2)
		stated += e.Error * e.Error
	}
	rms := math.Sqrt(squares / float64(len(got)))
	if ratio := math.Sqrt(stated / squares); rms > 0.03 || ratio < 0.75 || ratio > 1.4 {
		t.Errorf("error %.4f, of which %.2f is stated", rms, ratio)
	}
	for i, o := range l.Definition.Request(l.Space, 1, got).History {
		if e := believed[got[i].Number]; o.Errors[0] != e.Error || o.Losses[0] != -e.Log {
			t.Errorf("trial %d: the sampler is told %v ± %v, believed is %+v", i, -o.Losses[0], o.Errors[0], e)
		}
	}
}

// Without a share the corrected figure is all there is, and its error is that of a
// run and of the correction.
func TestTheErrorOfACorrectionIsTold(t *testing.T) {
	l := newLoop(t, slowing(0.008))
	l.Budget, l.RepeatBaseline = 45, 12
	got := finish(t, l)
	noise, believed := tuner.NoiseOf(got, "throughput").SD, l.Definition.Estimates(got)
	for i, o := range l.Definition.Request(l.Space, 1, got).History {
		want := math.Sqrt(noise*noise/float64(len(got[i].Runs)) + math.Pow(got[i].DriftError, 2))
		if got[i].DriftError <= 0 || math.Abs(o.Errors[0]-want) > 1e-12 || math.Abs(believed[i].Error-want) > 1e-12 {
			t.Errorf("trial %d: the sampler is told ± %v, believed is ± %v, want %v", i, o.Errors[0], believed[i].Error, want)
		}
	}
}
