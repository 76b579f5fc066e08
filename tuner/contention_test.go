package tuner_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/pareto"
)

// shared is a machine that another program uses from one second to another; it
// slows what is measured meanwhile. A run takes five seconds.
type shared struct {
	second   float64
	from, to float64
	own      float64 // what services of the application's own take
}

func (m *shared) load() float64 {
	if m.from <= m.second && m.second < m.to {
		return 0.6
	}
	return 0
}

func (m *shared) run(_ context.Context, _ int, t harness.Trial) (harness.Result, error) {
	r, load := figures(t), m.load()
	r.Metrics["throughput"] *= 1 - load/2
	r.Metrics["other_cpu_share"], r.Metrics["steal_share"] = m.own+load, 0.02
	m.second += 5
	r.Seconds = 5
	return r, nil
}

func (m *shared) now() time.Time { return time.Unix(1000, int64(m.second*1e9)) }

// on makes a loop work on the machine.
func (m *shared) on(t *testing.T, budget int, events *[]tuner.EventKind) *tuner.Loop {
	l := newLoop(t, &scripted{measure: m.run})
	l.Budget, l.RepeatBaseline, l.Now = budget, 12, m.now
	l.Quiet = tuner.Quiet{Limit: 0.25, Repeats: 2, Patience: time.Minute, Load: func(context.Context) (float64, error) {
		m.second++
		return m.load(), nil
	}}
	l.Observe = func(e tuner.Event) {
		if e.Kind == tuner.Disturbed && events != nil {
			*events = append(*events, e.Kind)
		}
	}
	return l
}

func front(t *testing.T, l *tuner.Loop) []int {
	t.Helper()
	var numbers []int
	for _, p := range pareto.Front(tuner.Points(trials(t, l))) {
		numbers = append(numbers, p.ID)
	}
	return numbers
}

func finish(t *testing.T, l *tuner.Loop) []tuner.Scored {
	t.Helper()
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return trials(t, l)
}

// Another program takes the machine for 55 seconds in the middle of a study: what
// it met is measured again when it has gone, and the study is as without it.
func TestADisturbedRunIsMeasuredAgain(t *testing.T) {
	undisturbed := (&shared{}).on(t, 20, nil)
	want := finish(t, undisturbed)
	var events []tuner.EventKind
	m := &shared{from: 78, to: 133}
	l := m.on(t, 20, &events)
	got := finish(t, l)
	if len(events) != 1 {
		t.Errorf("told of %d disturbances, want one", len(events))
	}
	again := 0
	for i, trial := range got {
		if trial.Metrics["throughput"] != want[i].Metrics["throughput"] {
			t.Errorf("trial %d: throughput %v, undisturbed %v", i, trial.Metrics["throughput"], want[i].Metrics["throughput"])
		}
		for _, run := range trial.Trial.Runs {
			if run.Metrics["superseded"] == 1 {
				again++
			}
		}
	}
	if again != 1 {
		t.Errorf("%d runs have a successor, want one: it is kept", again)
	}
	if got, want := front(t, l), front(t, undisturbed); !slices.Equal(got, want) {
		t.Errorf("front %v, undisturbed %v", got, want)
	}
}

// Where the machine does not become quiet, runs are marked, the wait is not
// repeated for each, and the study comes to its end. The quiet ones that come
// later are neither.
func TestARunOnABusyMachineIsMarked(t *testing.T) {
	var events []tuner.EventKind
	m := &shared{from: 78, to: 78 + 70 + 3*5}
	got := finish(t, m.on(t, 20, &events))
	if len(events) != 1 {
		t.Errorf("waited %d times, want once", len(events))
	}
	marked := 0
	for _, trial := range got {
		if trial.Metrics["contended"] == 1 {
			marked++
			w := trial.Runs[len(trial.Runs)-1].Warnings
			if len(w) != 1 || !strings.Contains(w[0], "other programs took 62 % of the machine's CPU time meanwhile, where 2 % is usual") {
				t.Errorf("warnings %q", w)
			}
		}
	}
	if marked < 2 || marked > 6 {
		t.Errorf("%d trials are marked", marked)
	}
	if last := got[len(got)-1]; last.Metrics["contended"] != 0 || len(last.Runs[0].Warnings) > 0 {
		t.Errorf("the last trial was measured in quiet: %+v", last)
	}
}

// A database of the application's own works whenever the application does. That is
// found out once, and then it is usual.
func TestOwnServicesDisturbNobody(t *testing.T) {
	var events []tuner.EventKind
	m := &shared{own: 0.4}
	got := finish(t, m.on(t, 20, &events))
	for _, trial := range got {
		if trial.Metrics["contended"] != 0 || len(trial.Runs[0].Warnings) > 0 {
			t.Errorf("trial %d is marked: %+v", trial.Number, trial.Runs)
		}
	}
	if len(events) != 2 || len(got[1].Trial.Runs) != 1 {
		t.Errorf("waited %d times, want twice, for the baseline", len(events))
	}
}

// A study that has measured for five seconds waits no longer than that.
func TestAShortStudyIsNotSpentWaiting(t *testing.T) {
	var events []tuner.EventKind
	m := &shared{to: 1000}
	finish(t, m.on(t, 4, &events))
	if len(events) != 1 || m.second > 5*5+7 { // a baseline more, and a look more
		t.Errorf("five runs took %v s; waited %d times", m.second, len(events))
	}
}

// A baseline whose first run was disturbed is judged by the others.
func TestMarkedRunsGiveWay(t *testing.T) {
	definition := newLoop(t, nil).Definition
	run := func(throughput, contended float64) studies.Run {
		return studies.Run{Metrics: map[string]float64{"throughput": throughput, "memory": 1, "contended": contended}}
	}
	s := definition.Score(studies.Trial{State: studies.Complete, Runs: []studies.Run{run(50, 1), run(100, 0), run(100, 0)}})
	if math.Abs(s.Metrics["throughput"]-100) > 1e-9 || s.Measured != 3 || len(s.Runs) != 2 {
		t.Errorf("%+v", s)
	}
	if s := definition.Score(studies.Trial{State: studies.Complete, Runs: []studies.Run{run(50, 1)}}); s.Metrics["throughput"] != 50 {
		t.Errorf("the only run counts: %+v", s)
	}
}

// Answers that are wrong while other programs disturb: the reason is the first wrong
// answer, and the disturbance stands behind it.
func TestReasonOfADisturbedFailureIsTheFailure(t *testing.T) {
	m := &shared{from: 78, to: 1e6}
	l := m.on(t, 18, nil)
	l.Definition.Constraints = []objective.Constraint{{Metric: "error_share", AtMost: true, Value: 0, Text: "error_share <= 0"}}
	l.Workload = &scripted{measure: func(ctx context.Context, n int, trial harness.Trial) (harness.Result, error) {
		disturbed := m.load() > 0
		r, err := m.run(ctx, n, trial)
		r.Metrics["error_share"] = 0
		if disturbed {
			r.Metrics["error_share"] = 0.5
			r.Warnings = []string{"the server is slow", "the first that was not: GET /page: status 500"}
		}
		return r, err
	}}
	got := finish(t, l)
	last := got[len(got)-1]
	const want = "violates error_share <= 0 (measured 0.5): the first that was not: GET /page: status 500: other programs took 62 %"
	if last.State != studies.Infeasible || !strings.HasPrefix(last.Reason, want) {
		t.Errorf("%s: %q, want it to begin with %q", last.State, last.Reason, want)
	}
}
