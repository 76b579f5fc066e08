package tuner_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

const minSlots = "RUBY_HEAP_MIN_SLOTS"

// oldHeap is a program on a patched Ruby 1.8 that keeps 15,000 objects and allocates
// 1,500 for each request. A collection of a heap of so many slots comes when they are
// used up, and takes as long as three requests.
func oldHeap(slots float64) map[string]float64 {
	perRequest := 1500 / (slots - 15_000)
	return map[string]float64{
		"requests": 200, "requests_per_cpu_second": 100 / (1 + 3*perRequest), "memory_pss_peak_bytes": 5e6 + 40*slots,
		"gc_count": 200 * perRequest, "gc_count_per_1000_requests": 1000 * perRequest,
		"gc_time_share": 3 * perRequest / (1 + 3*perRequest),
	}
}

// oldLog is the log of it with nothing set: 20 collections in the window, and before it
// those of a heap that grows from 10,000 slots to 30,000.
func oldLog() *harness.Log {
	all := []harness.Collection{
		{Slots: 10000, Live: 2500}, {Slots: 10000, Live: 4375}, {Slots: 10000, Live: 5781}, {Slots: 10000, Live: 6836},
		{Slots: 30000, Live: 12627}, {Slots: 30000, Live: 15000}, {Slots: 30000, Live: 15000},
	}
	for range 20 {
		all = append(all, harness.Collection{Slots: 30000, Live: 15000})
	}
	return &harness.Log{
		Ruby: "ruby 1.8.7 (2008-08-11 patchlevel 72) [x86_64-linux]",
		Processes: []harness.ProcessLog{{Collections: all, Marks: []harness.Mark{
			{Name: harness.MarkBoot, Collections: 6}, {Name: harness.MarkWarmup, Collections: 7}, {Name: harness.MarkWindow, Collections: 27, Requests: 200},
		}}},
	}
}

// onOldRuby measures such a program. Where turned, memory falls with slots, which no
// collector does.
func onOldRuby(log *harness.Log, turned bool) *scripted {
	return &scripted{measure: func(_ context.Context, _ int, t harness.Trial) (harness.Result, error) {
		slots := 30_000.0
		if text, ok := t.Setting[minSlots]; ok {
			slots, _ = strconv.ParseFloat(text, 64)
		}
		metrics := oldHeap(max(slots, 25_000))
		if turned {
			metrics["memory_pss_peak_bytes"] = 1e12 / metrics["memory_pss_peak_bytes"]
		}
		return harness.Result{State: harness.Complete, Seconds: 1, Metrics: metrics, Log: log}, nil
	}}
}

func foreseeing(t *testing.T, workload *scripted) (*tuner.Loop, *[]tuner.Event) {
	t.Helper()
	l := newLoop(t, workload)
	l.Definition.Objectives = objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory_pss_peak_bytes"}
	l.Definition.Parameters = []space.Parameter{{Name: minSlots, Scale: space.Log, Min: 1e4, Max: 1e7}}
	searched, err := space.New(l.Definition.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	l.Space, l.Sampler, l.Foresee, l.Budget = searched, sampler.Default(nil), true, 9
	told := &[]tuner.Event{}
	l.Observe = func(e tuner.Event) {
		if e.Kind >= tuner.Foreseen {
			*told = append(*told, e)
		}
	}
	return l, told
}

// With one trial measured it is known which settings collect less, in no more than
// twice the memory.
func TestFirstTrialsAreForeseen(t *testing.T) {
	l, told := foreseeing(t, onOldRuby(oldLog(), false))
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(*told) != 1 || (*told)[0].Kind != tuner.Foreseen {
		t.Errorf("events %+v, want one that the model is there", *told)
	}
	profile := (*told)[0].Foresight.Profile
	for _, trial := range trials(t, l)[1:4] {
		p := profile.Predict(trial.Setting)
		if trial.Origin != "predicted" || p.CollectionsPer1000.Estimate >= 100 || p.MemoryBytes.Estimate > 2*6.2e6 { // the baseline has 100 in 6.2 MB
			t.Errorf("trial %d (%s) of %v: %+v", trial.Number, trial.Origin, trial.Setting, p)
		}
	}
}

// A study that was stopped goes on with the settings that it would have had.
func TestForesightSurvivesAStop(t *testing.T) {
	whole, _ := foreseeing(t, onOldRuby(oldLog(), false))
	if _, err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	stopped, _ := foreseeing(t, onOldRuby(oldLog(), false))
	for _, budget := range []int{2, 6, 9} {
		again := *stopped // as a new process has it
		again.Budget = budget
		if _, err := again.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := trials(t, stopped)
	for i, want := range trials(t, whole) {
		if got[i].Setting[minSlots] != want.Setting[minSlots] {
			t.Errorf("trial %d has %v, unbroken %v", i, got[i].Setting, want.Setting)
		}
	}
}

// A model that the trials contradict is left, and one that cannot be is told.
func TestForesightThatDoesNotHold(t *testing.T) {
	l, told := foreseeing(t, onOldRuby(oldLog(), true))
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(*told); n != 2 || (*told)[0].Kind != tuner.Foreseen || (*told)[1].Kind != tuner.Contradicted || (*told)[1].Agreement.Memory > -0.9 {
		t.Errorf("events %+v, want the model, and then that it is contradicted", *told)
	}
	unknown := oldLog()
	unknown.Ruby = "ruby 7.0.0 (2040-12-25)"
	own, fewOwn, still := oldLog(), oldLog(), oldLog()
	for i := range 20 { // all of the window
		if own.Processes[0].Collections[7+i].By = "newobj"; i < 7 { // of 20, just more than a third
			own.Processes[0].Collections[7+i].By = "method"
		}
	}
	for i := range 6 {
		fewOwn.Processes[0].Collections[7+i].By = "method"
	}
	still.Processes[0].Marks[2].Collections = 7
	for name, c := range map[string]struct {
		log  *harness.Log
		want error
	}{"no log": {nil, tuner.ErrNoLog}, "unknown": {unknown, gcmodel.ErrUnknown}, "empty": {&harness.Log{Ruby: oldLog().Ruby}, tuner.ErrNoLog},
		"own collections": {own, tuner.ErrOwnCollections}, "no collection": {still, gcmodel.ErrTooLittle}} {
		l, told := foreseeing(t, onOldRuby(c.log, false))
		l.Budget = 3
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(*told) != 1 || (*told)[0].Kind != tuner.Unforeseen || !errors.Is((*told)[0].Err, c.want) {
			t.Errorf("%s: events %+v, want %v", name, *told, c.want)
		}
	}
	l, told = foreseeing(t, onOldRuby(fewOwn, false))
	l.Budget = 3
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(*told) != 1 || (*told)[0].Kind != tuner.Foreseen {
		t.Errorf("with 6 of 20 collections started by the program: %+v, want a model", *told)
	}
}

// What minor and major collections cost is learnt from trials. Until one has major
// ones they are taken to cost four times a minor one.
func TestCostsOfCollections(t *testing.T) {
	const minorCost, majorCost = 0.002, 0.014 // relative to a request's other time
	trial := func(minor, major float64) tuner.Scored {
		time := minor*minorCost + major*majorCost
		return tuner.Scored{Losses: []float64{0, 0}, Trial: studies.Trial{}, Metrics: map[string]float64{
			"gc_count_per_1000_requests": minor + major, "gc_count": minor + major, "gc_minor_count": minor, "gc_time_share": time / (1 + time),
		}}
	}
	for name, c := range map[string]struct {
		trials []tuner.Scored
		ratio  float64
	}{
		"minor alone": {[]tuner.Scored{trial(100, 0)}, 4},
		"both":        {[]tuner.Scored{trial(100, 0), trial(80, 30), trial(10, 60)}, 7},
		"major alone": {[]tuner.Scored{trial(0, 60)}, 4},
	} {
		if minor, major := tuner.Costs(c.trials); math.Abs(major/minor/c.ratio-1) > 0.1 {
			t.Errorf("%s: a major collection costs %.3g, a minor one %.3g", name, major, minor)
		}
	}
	if minor, _ := tuner.Costs([]tuner.Scored{trial(100, 0)}); math.Abs(minor/minorCost-1) > 0.01 {
		t.Errorf("a minor collection costs %g, want %g", minor, minorCost)
	}
	if _, major := tuner.Costs([]tuner.Scored{trial(0, 60)}); math.Abs(major/majorCost-1) > 0.01 {
		t.Errorf("a major collection costs %g, want %g", major, majorCost)
	}
}
