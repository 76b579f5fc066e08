package studies_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies"
)

func TestStudyComesBackAsStored(t *testing.T) {
	s := fresh(t)
	want := studies.Study{
		Name: "blog-2.1_x", Created: noon, Seed: math.MaxUint64, Sampler: "auto",
		Config: "study: blog\n# 'quoted'; DROP TABLE studies;\n", Definition: json.RawMessage(`{"b":1,"a":[1e300]}`),
		Fingerprint: map[string]string{"ruby": "3.1.2", "": "x"},
	}
	created, err := s.CreateStudy(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	want.ID = created.ID
	got, err := s.Study(t.Context(), want.Name)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	bare := create(t, s, "bare")
	all, err := s.Studies(t.Context())
	if diff := cmp.Diff([]studies.Study{want, bare}, all); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestStudyNames(t *testing.T) {
	s := fresh(t)
	create(t, s, "blog")
	tests := map[string]error{"blog": studies.ErrExists, "": studies.ErrInvalid, " x": studies.ErrInvalid, "a\nb": studies.ErrInvalid, "Blog": nil}
	for name, want := range tests {
		if _, err := s.CreateStudy(t.Context(), studies.Study{Name: name}); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	if _, err := s.CreateStudy(t.Context(), studies.Study{Name: "d", Definition: json.RawMessage("{")}); !errors.Is(err, studies.ErrInvalid) {
		t.Errorf("a definition that is no JSON: %v, want ErrInvalid", err)
	}
	if _, err := s.Study(t.Context(), "none"); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("absent study: %v, want ErrNotFound", err)
	}
}

func TestUpdateStudy(t *testing.T) {
	s := fresh(t)
	want := create(t, s, "blog")
	other := create(t, s, "shop")
	want.Sampler, want.Config, want.Definition = "tpe", "study: blog", json.RawMessage("[]")
	want.Fingerprint = map[string]string{"ruby": "3.3.0"}
	if err := s.UpdateStudy(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Studies(t.Context())
	if diff := cmp.Diff([]studies.Study{want, other}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if err := s.UpdateStudy(t.Context(), studies.Study{ID: 99}); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("absent study: %v, want ErrNotFound", err)
	}
	want.Definition = json.RawMessage("{")
	if err := s.UpdateStudy(t.Context(), want); !errors.Is(err, studies.ErrInvalid) {
		t.Errorf("a definition that is no JSON: %v, want ErrInvalid", err)
	}
}

func TestTrialComesBackAsStored(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	trial := studies.Trial{
		Number: 7, Origin: "tpe", Setting: map[string]string{"RUBY_GC_HEAP_GROWTH_FACTOR": "1.10"}, Started: noon,
		Warnings: []string{"from the start"}, OutputPath: "out/7.log", Marker: "gctune-1-7",
	}
	if _, err := s.Begin(t.Context(), study.ID, trial); err != nil {
		t.Fatal(err)
	}
	outcome := studies.Outcome{
		State: studies.Infeasible, Reason: "killed by SIGABRT", Warnings: []string{"at the end"}, Finished: noon.Add(time.Hour),
		Runs: []studies.Run{
			{Metrics: map[string]float64{"a_seconds": 0.1, "b": -math.MaxFloat64, "c": 5e-324}, Seconds: 30.25, Started: noon, Warnings: []string{"w"}},
			{Metrics: map[string]float64{}},
		},
	}
	if err := s.Finish(t.Context(), study.ID, 7, outcome); err != nil {
		t.Fatal(err)
	}
	want := trial
	want.State, want.Reason, want.Attempts, want.Finished, want.Runs = outcome.State, outcome.Reason, 1, outcome.Finished, outcome.Runs
	want.Warnings = []string{"from the start", "at the end"}
	if diff := cmp.Diff([]studies.Trial{want}, trials(t, s, study.ID)); diff != "" {
		t.Error(diff)
	}
}

func TestTrialsOfStudiesAreApart(t *testing.T) {
	s := fresh(t)
	a, b := create(t, s, "a"), create(t, s, "b")
	for number := range 12 { // ten and more: numbers sort as numbers
		begin(t, s, a.ID, number)
		finish(t, s, a.ID, number, map[string]float64{"x": float64(number)})
	}
	begin(t, s, b.ID, 0)
	for number, trial := range trials(t, s, a.ID) {
		if trial.Number != number || trial.Runs[0].Metrics["x"] != float64(number) {
			t.Errorf("at %d: %+v", number, trial)
		}
	}
	if all := trials(t, s, b.ID); len(all) != 1 || len(all[0].Runs) != 0 || all[0].State != studies.Running {
		t.Errorf("%+v", all)
	}
	if _, err := s.Trials(t.Context(), 99); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("trials of no study: %v, want ErrNotFound", err)
	}
	if err := s.DeleteStudy(t.Context(), "a", dead); err != nil {
		t.Fatal(err)
	}
	again := create(t, s, "a")
	if again.ID == a.ID || len(trials(t, s, again.ID)) != 0 {
		t.Error("a study begins with what a deleted one of its name had")
	}
	assertEmpty(t, s, "runs", "metrics")
}

func assertEmpty(t *testing.T, s *studies.Store, tables ...string) {
	t.Helper()
	_, read := studies.Pools(s)
	for _, table := range tables {
		var n int
		if err := read.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s has %d rows of a deleted study; %v", table, n, err)
		}
	}
}

func TestBeginAgain(t *testing.T) {
	for _, state := range []studies.State{studies.Interrupted, studies.Failed, studies.Void, studies.Complete, studies.Infeasible, studies.Running} {
		t.Run(string(state), func(t *testing.T) {
			s := fresh(t)
			study := create(t, s, "blog")
			begin(t, s, study.ID, 3)
			if state != studies.Running {
				outcome := studies.Outcome{State: state, Reason: "why", Runs: []studies.Run{{Metrics: map[string]float64{"old": 1}}}}
				if err := s.Finish(t.Context(), study.ID, 3, outcome); err != nil {
					t.Fatal(err)
				}
			}
			trial, err := s.Begin(t.Context(), study.ID, studies.Trial{Number: 3, Origin: "tpe"})
			switch state {
			case studies.Complete, studies.Infeasible, studies.Running:
				if !errors.Is(err, studies.ErrExists) {
					t.Errorf("%v, want ErrExists", err)
				}
				return
			}
			want := studies.Trial{
				Number: 3, Origin: "tpe", State: studies.Running, Attempts: 2,
				Warnings: []string{fmt.Sprintf("attempt 1 was %s: why", state)},
			}
			if diff := cmp.Diff(want, trial); diff != "" || err != nil {
				t.Error(err, diff)
			}
			want.Setting = map[string]string{}
			if diff := cmp.Diff([]studies.Trial{want}, trials(t, s, study.ID)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBeginRefuses(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	if _, err := s.Begin(t.Context(), 99, studies.Trial{}); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("absent study: %v, want ErrNotFound", err)
	}
	if _, err := s.Begin(t.Context(), study.ID, studies.Trial{Number: -1}); !errors.Is(err, studies.ErrInvalid) {
		t.Errorf("number -1: %v, want ErrInvalid", err)
	}
}

func TestFinishRefuses(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	complete := studies.Outcome{State: studies.Complete}
	if err := s.Finish(t.Context(), study.ID, 0, complete); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("absent trial: %v, want ErrNotFound", err)
	}
	begin(t, s, study.ID, 0)
	for _, state := range []studies.State{studies.Running, "", "done"} {
		if err := s.Finish(t.Context(), study.ID, 0, studies.Outcome{State: state}); !errors.Is(err, studies.ErrInvalid) {
			t.Errorf("state %q: %v, want ErrInvalid", state, err)
		}
	}
	finish(t, s, study.ID, 0, nil)
	if err := s.Finish(t.Context(), study.ID, 0, complete); !errors.Is(err, studies.ErrNotRunning) {
		t.Errorf("finished trial: %v, want ErrNotRunning", err)
	}
}

func TestMetricsMustBeFinite(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	begin(t, s, study.ID, 1)
	finish(t, s, study.ID, 1, nil)
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := map[string]float64{"fine": 1, "latency_p99_seconds": value}
		runs := []studies.Run{{Metrics: map[string]float64{"fine": 1}}, {Metrics: bad}}
		errs := map[string]error{"Finish": s.Finish(t.Context(), study.ID, 0, studies.Outcome{State: studies.Complete, Runs: runs})}
		errs["AddRun"] = s.AddRun(t.Context(), study.ID, 1, runs[1])
		_, errs["SaveReplay"] = s.SaveReplay(t.Context(), study.ID, studies.Replay{Pairs: []studies.Pair{{Baseline: bad}}})
		for what, err := range errs {
			if !errors.Is(err, studies.ErrInvalid) || !strings.Contains(err.Error(), "latency_p99_seconds") {
				t.Errorf("%s with %v: %v, want ErrInvalid that names the metric", what, value, err)
			}
		}
		if _, err := s.SaveReplay(t.Context(), study.ID, studies.Replay{Memory: studies.Ratio{High: value}}); !errors.Is(err, studies.ErrInvalid) {
			t.Errorf("ratio of %v: %v, want ErrInvalid", value, err)
		}
	}
	all := trials(t, s, study.ID)
	if all[0].State != studies.Running || len(all[0].Runs)+len(all[1].Runs) != 1 {
		t.Errorf("something of a refused outcome was kept: %+v", all)
	}
}

func TestAddRun(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	run := studies.Run{Metrics: map[string]float64{"x": 2}, Seconds: 3, Started: noon}
	if err := s.AddRun(t.Context(), study.ID, 0, run); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("running trial: %v, want ErrNotFound", err)
	}
	finish(t, s, study.ID, 0, map[string]float64{"x": 1})
	if err := s.AddRun(t.Context(), study.ID, 0, run); err != nil {
		t.Fatal(err)
	}
	runs := trials(t, s, study.ID)[0].Runs
	if len(runs) != 2 || runs[0].Metrics["x"] != 1 || !cmp.Equal(runs[1], run) {
		t.Errorf("%+v", runs)
	}
}

// An interrupt cancels the context while a trial is being wound up: what was
// measured must be recorded all the same.
func TestMeasurementsSurviveCancelledContext(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	claim, err := s.Claim(t.Context(), "blog", studies.Owner{PID: 1}, alive)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, study.ID, 0)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, replay := s.SaveReplay(cancelled, study.ID, studies.Replay{Trial: 0})
	err = errors.Join(
		s.Finish(cancelled, study.ID, 0, studies.Outcome{State: studies.Complete}),
		s.AddRun(cancelled, study.ID, 0, studies.Run{}), replay, claim.Release(cancelled))
	if err != nil {
		t.Error(err)
	}
	if _, err := s.Begin(cancelled, study.ID, studies.Trial{Number: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Begin: %v, want context.Canceled", err)
	}
}

func TestReplays(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	first := studies.Replay{
		Trial: 0, Setting: map[string]string{"A": "1"}, Created: noon,
		Pairs:      []studies.Pair{{Setting: map[string]float64{"x": 1.1}, Baseline: map[string]float64{"x": 1}}},
		Throughput: studies.Ratio{Low: 1.01, Estimate: 1.05, High: 1.09}, Memory: studies.Ratio{Low: 1.3, Estimate: 1.31, High: 1.32},
		ThroughputVerdict: "better", MemoryVerdict: "worse", Fingerprint: map[string]string{"ruby": "3.1.2"}, Warnings: []string{"w"},
	}
	second := studies.Replay{Trial: studies.NoTrial, Setting: map[string]string{}, ThroughputVerdict: "none", MemoryVerdict: "none"}
	var want []studies.Replay
	for _, r := range []studies.Replay{first, second} {
		saved, err := s.SaveReplay(t.Context(), study.ID, r)
		if err != nil {
			t.Fatal(err)
		}
		r.ID = saved.ID
		want = append(want, r)
	}
	got, err := s.Replays(t.Context(), study.ID)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if _, err := s.SaveReplay(t.Context(), study.ID, studies.Replay{Trial: 5}); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("replay of an absent trial: %v, want ErrNotFound", err)
	}
}

// A replay goes on in place: a reader sees the pairs that are there so far.
func TestUpdateReplay(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	against := 0
	r := studies.Replay{
		Trial: 0, Setting: map[string]string{"A": "1"}, Purpose: studies.Confirmation, Against: &against, Created: noon,
		Pairs: []studies.Pair{{Setting: map[string]float64{"x": 1.1}, Baseline: map[string]float64{"x": 1}, BaselineFirst: true}},
	}
	r, err := s.SaveReplay(t.Context(), study.ID, r)
	if err != nil {
		t.Fatal(err)
	}
	r.Pairs = append(r.Pairs, studies.Pair{Setting: map[string]float64{"x": 1.2}, Baseline: map[string]float64{"x": 1}})
	r.Ended, r.Confidence = true, 0.995
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.UpdateReplay(cancelled, r); err != nil {
		t.Fatal(err)
	}
	got, err := s.Replays(t.Context(), study.ID)
	if diff := cmp.Diff([]studies.Replay{r}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	r.ID++
	if err := s.UpdateReplay(t.Context(), r); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("an absent replay: %v, want ErrNotFound", err)
	}
	r.ID--
	r.Pairs[0].Setting["x"] = math.Inf(1)
	if err := s.UpdateReplay(t.Context(), r); !errors.Is(err, studies.ErrInvalid) {
		t.Errorf("an infinite metric: %v, want ErrInvalid", err)
	}
}
