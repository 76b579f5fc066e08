package tuner_test

import (
	"context"
	"math"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// listening keeps what it was last asked with.
type listening struct {
	sampler.Sampler
	last *sampler.Request
}

func (l listening) Propose(r sampler.Request) (space.Setting, error) {
	*l.last = r
	return l.Sampler.Propose(r)
}

// A search must not take a machine's failure for a setting's, nor throw away the
// figures of a setting that is merely too large.
func TestSamplerIsToldWhatSettingsAreToBlameFor(t *testing.T) {
	const (
		ordinary = iota + 1
		infeasible
		failed
		tooLarge
		tooSlow
	)
	w := &scripted{measure: func(_ context.Context, n int, trial harness.Trial) (harness.Result, error) {
		result := figures(trial)
		result.Metrics["memory"], result.Metrics["latency_p99_seconds"] = 60, 0.1
		switch n {
		case infeasible:
			return harness.Result{State: harness.Infeasible, Reason: "it aborts"}, nil
		case failed:
			return harness.Result{State: harness.Failed, Reason: "no route"}, nil
		case tooLarge:
			result.Metrics["memory"] = 300
		case tooSlow:
			result.Metrics["latency_p99_seconds"] = 3
		}
		return result, nil
	}}
	l := newLoop(t, w)
	l.Budget = 7
	for _, text := range []string{"memory <= 200", "latency_p99_seconds <= 1s"} {
		c, err := objective.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		l.Definition.Constraints = append(l.Definition.Constraints, c)
	}
	var asked sampler.Request
	l.Sampler = listening{sampler.Random{}, &asked}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]struct{ losses, infeasible bool }{
		ordinary: {true, false}, infeasible: {false, true}, failed: {false, false}, tooLarge: {true, false}, tooSlow: {true, true},
	} {
		o := asked.History[n]
		if got := o.Losses != nil; got != want.losses || o.Infeasible != want.infeasible {
			t.Errorf("trial %d: losses %v, infeasible %v; want %+v", n, o.Losses, o.Infeasible, want)
		}
	}
	if got := asked.History[tooLarge].Losses[1]; math.Abs(got-math.Log(300)) > 1e-12 {
		t.Errorf("loss of memory is %g, want log 300", got)
	}
}

// The baseline is measured again and again, so its scatter is known; by then the
// sampler is told it.
func TestSamplerIsToldTheNoise(t *testing.T) {
	throughputs := []float64{100, 110, 95} // of the baseline
	baselines := 0
	w := &scripted{measure: func(_ context.Context, _ int, trial harness.Trial) (harness.Result, error) {
		result := figures(trial)
		result.Metrics["memory"] = 60
		if len(trial.Setting) == 0 {
			result.Metrics["throughput"] = throughputs[baselines%3]
			result.Metrics["memory"] += float64(baselines % 3)
			baselines++
		}
		return result, nil
	}}
	l := newLoop(t, w)
	l.Budget, l.RepeatBaseline = 12, 6
	var asked sampler.Request
	l.Sampler = listening{sampler.Random{}, &asked}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if baselines != 3 {
		t.Fatalf("the baseline was measured %d times, want 3", baselines)
	}
	// The standard deviation of log 100, log 110 and log 95, by hand.
	mean := (math.Log(100) + math.Log(110) + math.Log(95)) / 3
	sum := 0.0
	for _, v := range throughputs {
		sum += math.Pow(math.Log(v)-mean, 2)
	}
	want := math.Sqrt(sum / 2)
	for n, runs := range map[int]float64{0: 3, 1: 1} {
		got := asked.History[n].Errors
		if len(got) != 2 || math.Abs(got[0]-want/math.Sqrt(runs)) > 1e-9 {
			t.Errorf("trial %d: standard errors %v, want %g for throughput", n, got, want/math.Sqrt(runs))
		}
	}
}
