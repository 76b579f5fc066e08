package tuner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// scripted measures by a function, and remembers what it was asked.
type scripted struct {
	asked   []harness.Trial
	measure func(ctx context.Context, n int, t harness.Trial) (harness.Result, error)
}

func (s *scripted) Run(ctx context.Context, t harness.Trial) (harness.Result, error) {
	s.asked = append(s.asked, t)
	return s.measure(ctx, len(s.asked)-1, t)
}

// figures are those of a heap: more slots, more throughput and more memory.
func figures(t harness.Trial) harness.Result {
	slots := 10000.0
	if text, ok := t.Setting["SLOTS"]; ok {
		slots, _ = strconv.ParseFloat(text, 64)
	}
	return harness.Result{State: harness.Complete, Seconds: 1, Metrics: map[string]float64{
		"throughput": 200 - 100/slots, "memory": 50 + slots/1e4, "requests": 250,
	}}
}

func well(_ context.Context, _ int, t harness.Trial) (harness.Result, error) { return figures(t), nil }

// newLoop is a study of one parameter in a store of its own.
func newLoop(t *testing.T, workload harness.Workload) *tuner.Loop {
	t.Helper()
	store, err := studies.Open(t.Context(), filepath.Join(t.TempDir(), "gctune.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	definition := tuner.Definition{
		Workload:    "server",
		Objectives:  objective.Objectives{Throughput: "throughput", Memory: "memory"},
		Parameters:  []space.Parameter{{Name: "SLOTS", Scale: space.Log, Min: 1e4, Max: 1e6}},
		Baseline:    space.Setting{},
		HasBaseline: true,
	}
	searched, err := space.New(definition.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	study, err := store.CreateStudy(t.Context(), studies.Study{Name: "s", Created: time.Unix(1, 0), Seed: 7, Definition: text})
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Unix(1000, 0)
	return &tuner.Loop{
		Study: study, Definition: definition, Space: searched, Sampler: sampler.Random{}, Store: store,
		Workload: workload, Budget: 5,
		OutputPath: func(n int) string { return fmt.Sprintf("trial-%d.log", n) },
		Observe:    func(tuner.Event) {},
		Now:        func() time.Time { clock = clock.Add(time.Second); return clock },
	}
}

func trials(t *testing.T, l *tuner.Loop) []tuner.Scored {
	t.Helper()
	all, err := l.Store.Trials(context.WithoutCancel(t.Context()), l.Study.ID)
	if err != nil {
		t.Fatal(err)
	}
	return l.Definition.ScoreAll(all)
}

func TestLoopSpendsItsBudget(t *testing.T) {
	w := &scripted{measure: well}
	l := newLoop(t, w)
	end, err := l.Run(t.Context())
	if err != nil || end != tuner.BudgetSpent {
		t.Fatalf("end %q, %v", end, err)
	}
	if len(w.asked) != 5 || len(w.asked[0].Setting) != 0 {
		t.Fatalf("asked for %v", w.asked)
	}
	seen := map[string]bool{}
	for i, trial := range trials(t, l) {
		if trial.Number != i || trial.State != studies.Complete || trial.Losses == nil {
			t.Errorf("trial %d: %+v", i, trial)
		}
		if key := l.Space.Key(trial.Setting); seen[key] {
			t.Errorf("%s was measured twice", key)
		} else {
			seen[key] = true
		}
	}
	// All windows are as large as the baseline's was.
	for i, asked := range w.asked[1:] {
		if asked.Requests != 250 {
			t.Errorf("trial %d: a window of %d requests, want 250", i+1, asked.Requests)
		}
	}
}

func TestLoopGoesOnWithTheInterruptedTrial(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := &scripted{measure: func(ctx context.Context, n int, trial harness.Trial) (harness.Result, error) {
		if n == 3 {
			cancel(why)
			return harness.Result{}, context.Cause(ctx)
		}
		return figures(trial), nil
	}}
	l := newLoop(t, w)
	if _, err := l.Run(ctx); !errors.Is(err, why) {
		t.Fatalf("got %v, want the cause", err)
	}
	if last := trials(t, l)[3]; last.State != studies.Interrupted || last.Reason != "enough" {
		t.Fatalf("trial 3 is %s (%s)", last.State, last.Reason)
	}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.asked) != 6 || l.Space.Key(w.asked[3].Setting) != l.Space.Key(w.asked[4].Setting) {
		t.Errorf("the interrupted setting must come first and once more: %v", w.asked)
	}
	unbroken := newLoop(t, &scripted{measure: well})
	if _, err := unbroken.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range trials(t, unbroken) {
		if got := trials(t, l)[i]; l.Space.Key(got.Setting) != l.Space.Key(want.Setting) {
			t.Errorf("trial %d: %v, unbroken %v", i, got.Setting, want.Setting)
		}
	}
}

func TestLoopTriesVoidMeasurementsOnceMore(t *testing.T) {
	w := &scripted{measure: func(_ context.Context, n int, trial harness.Trial) (harness.Result, error) {
		if n == 1 || n == 3 || n == 4 { // trial 1 is void once, trial 2 twice
			return harness.Result{State: harness.Void, Reason: "a worker was replaced"}, nil
		}
		return figures(trial), nil
	}}
	l := newLoop(t, w)
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := trials(t, l)
	if len(all) != 5 || len(w.asked) != 7 {
		t.Fatalf("%d trials by %d runs, want 5 by 7", len(all), len(w.asked))
	}
	if all[1].State != studies.Complete || all[1].Attempts != 2 || all[2].State != studies.Void {
		t.Errorf("trial 1 %s after %d attempts, trial 2 %s", all[1].State, all[1].Attempts, all[2].State)
	}
}

func TestLoopNeedsItsBaseline(t *testing.T) {
	broken := true
	w := &scripted{measure: func(_ context.Context, _ int, trial harness.Trial) (harness.Result, error) {
		if broken {
			return harness.Result{State: harness.Failed, Reason: "no database"}, nil
		}
		return figures(trial), nil
	}}
	l := newLoop(t, w)
	var baseline *tuner.BaselineError
	if _, err := l.Run(t.Context()); !errors.As(err, &baseline) || baseline.Reason != "no database" {
		t.Fatalf("got %v", err)
	}
	if len(w.asked) != 1 {
		t.Errorf("%d runs, want 1", len(w.asked))
	}
	broken = false // mended
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := trials(t, l); len(all) != 5 || all[0].State != studies.Complete {
		t.Errorf("%d trials, the first %s", len(all), all[0].State)
	}
}

// Objectives and constraints may change during a study, to what its trials lack.
func TestLoopNamesTheMetricThatTheBaselineLacks(t *testing.T) {
	l := newLoop(t, &scripted{measure: well})
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Definition.Objectives.Memory = "unheard_of"
	l.Budget = 6
	var baseline *tuner.BaselineError
	_, err := l.Run(t.Context())
	if !errors.As(err, &baseline) || !strings.Contains(err.Error(), `"unheard_of" was not measured (measured: memory, requests, throughput)`) {
		t.Errorf("got %v", err)
	}
}

func TestLoopGivesUpWhenNothingCanBeMeasured(t *testing.T) {
	broken := true
	w := &scripted{measure: func(_ context.Context, n int, trial harness.Trial) (harness.Result, error) {
		if n > 0 && broken {
			return harness.Result{State: harness.Failed, Reason: "disk gone"}, nil
		}
		return figures(trial), nil
	}}
	l := newLoop(t, w)
	l.Budget = 20
	var stuck *tuner.StuckError
	if _, err := l.Run(t.Context()); !errors.As(err, &stuck) || stuck.InARow != 5 || stuck.Reason != "disk gone" {
		t.Fatalf("got %v", err)
	}
	broken = false
	if end, err := l.Run(t.Context()); err != nil || end != tuner.BudgetSpent {
		t.Errorf("after mending: %q, %v", end, err)
	}
}

func TestLoopStopsAtItsDeadline(t *testing.T) {
	w := &scripted{measure: well}
	l := newLoop(t, w)
	l.Budget, l.Deadline = 1000, time.Unix(1020, 0) // the clock goes on by a second at each look
	end, err := l.Run(t.Context())
	if err != nil || end != tuner.TimeSpent {
		t.Fatalf("end %q, %v", end, err)
	}
	if n := len(w.asked); n < 2 || n > 20 {
		t.Errorf("%d trials before the deadline", n)
	}
}

func TestLoopEndsWithASmallSpace(t *testing.T) {
	l := newLoop(t, &scripted{measure: well})
	l.Definition.Parameters = []space.Parameter{{Name: "SLOTS", Min: 1, Max: 3}}
	var err error
	if l.Space, err = space.New(l.Definition.Parameters); err != nil {
		t.Fatal(err)
	}
	l.Budget = 50
	end, err := l.Run(t.Context())
	if err != nil || end != tuner.SpaceExhausted {
		t.Fatalf("end %q, %v", end, err)
	}
	if n := len(trials(t, l)); n != 4 { // the baseline and three values
		t.Errorf("%d trials, want 4", n)
	}
}

// The baseline is measured again at fixed places, also when resumed between them.
func TestLoopRepeatsTheBaseline(t *testing.T) {
	for _, stops := range [][]int{{9}, {2, 4, 5, 9}} {
		w := &scripted{measure: well}
		l := newLoop(t, w)
		l.RepeatBaseline = 4
		for _, l.Budget = range stops {
			if _, err := l.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if runs := len(trials(t, l)[0].Runs); runs != 3 || len(w.asked) != 9+2 { // after 4 and 8 trials
			t.Errorf("stopped at %v: %d runs of the baseline, %d runs in all; want 3 and 11", stops, runs, len(w.asked))
		}
	}
}

func TestWrongAnswersMakeATrialInfeasible(t *testing.T) {
	w := &scripted{measure: func(_ context.Context, n int, trial harness.Trial) (harness.Result, error) {
		result := figures(trial)
		result.Metrics["error_share"] = 0
		if n == 1 {
			result.Metrics["error_share"], result.Warnings = 0.5, []string{"the first that was not: GET /x: 500"}
		}
		return result, nil
	}}
	l := newLoop(t, w)
	l.Definition.Constraints = []objective.Constraint{{Metric: "error_share", AtMost: true, Text: "error_share <= 0"}}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := trials(t, l)[1]; got.State != studies.Infeasible || got.Reason != "violates error_share <= 0 (measured 0.5): the first that was not: GET /x: 500" {
		t.Errorf("trial 1 is %s: %s", got.State, got.Reason)
	}
}

// The reference point is the baseline's throughput and twice its memory, unless
// there are limits.
func TestReference(t *testing.T) {
	l := newLoop(t, &scripted{measure: well})
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := trials(t, l)
	if got := l.Definition.Reference(all); len(got) != 2 || got[0] != -math.Log(199.99) || got[1] != math.Log(2*51) {
		t.Errorf("reference %v, want the losses of 199.99 and 102", got)
	}
	limit, err := objective.ParseConstraint("memory <= 60")
	if err != nil {
		t.Fatal(err)
	}
	l.Definition.Constraints = []objective.Constraint{limit}
	if got := l.Definition.Reference(all); len(got) != 2 || got[1] != math.Log(60) {
		t.Errorf("reference %v, want the memory loss of 60", got)
	}
	if got := l.Definition.Reference(nil); got != nil {
		t.Errorf("without a baseline there is no throughput to refer to, got %v", got)
	}
}
