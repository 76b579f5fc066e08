package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

// madeUp is a server whose heap grows from 1000 slots in boot to 2000 in the window,
// where 20 requests allocate 100 objects each.
func madeUp() gcmodel.Log {
	stat := func(minor, major, slots, objects float64) map[string]float64 {
		return map[string]float64{"minor_gc_count": minor, "major_gc_count": major, "heap_available_slots": slots, "total_allocated_objects": objects}
	}
	return gcmodel.Log{
		Ruby: "ruby 3.1.2",
		Processes: []gcmodel.Process{{
			Collections: []gcmodel.Collection{
				{}, {Slots: 1000, Live: 500, Seconds: 0.004, Major: true, By: "newobj", MajorBy: "nofree"},
				{Slots: 2000, Live: 1200, Seconds: 0.001, By: "newobj"},
				{Slots: 2000, Live: 1500, Seconds: 0.003, By: "newobj"},
				{Slots: 2000, Live: 1500, Seconds: 0.005, Major: true, By: "malloc", MajorBy: "oldgen"},
			},
			Marks: []gcmodel.Mark{
				{Name: gcmodel.Boot, Collections: 2, Requests: 1, RSSBytes: 20e6, Stat: stat(1, 1, 1000, 1800)},
				{Name: gcmodel.Window, Collections: 5, Requests: 21, RSSBytes: 24e6, Stat: stat(3, 2, 2000, 3800)},
			},
		}},
	}
}

func explained(t *testing.T, workload string, logs ...gcmodel.Log) *explanation {
	t.Helper()
	heap, err := explain.HeapOf(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	trial := tuner.Scored{Metrics: map[string]float64{"gc_time_share": 0.0754}}
	s := &storedStudy{Study: studies.Study{Name: "blog"}, trials: []tuner.Scored{trial}, definition: tuner.Definition{Workload: workload}}
	return &explanation{storedStudy: s, trial: trial, logs: map[int][]gcmodel.Log{0: logs}, heap: heap}
}

func TestHeapInSentences(t *testing.T) {
	got := explained(t, "server", madeUp(), madeUp()).heapLines()
	want := []string{
		"run         study blog, trial 0 (the defaults), the first of 2 runs, on ruby 3.1.2",
		"boot        2 collections, 1 minor and 1 major; at its end 1,000 slots, of which the last collection had found 500 in use (50 %), and 20.0 MB of memory (RSS). The first 1 collection ran before the log began",
		"window      3 collections, 2 minor and 1 major in 20 requests; at its end 2,000 slots, of which the last collection had found 1,500 in use (75 %), and 24.0 MB of memory (RSS)",
		"allocation  100 objects a request: the 500 slots that a collection leaves free last for 5 requests",
		"CPU time    7.5 % of that of the window goes into collection: that is about all that settings can save",
		"pauses      a minor collection took 2 ms on average, the longest 3 ms; a major collection took 5 ms on average, the longest 5 ms",
		"reasons     in boot collections started for want of free slots; major ones were so since a minor one had left too few slots free",
		"reasons     in the window collections started for want of free slots (2 of 3), by malloc (1 of 3); major ones were so since old objects had reached their limit",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Before 2.1 there is one kind of collection, and its time is by the clock.
func TestHeapThatMallocCollects(t *testing.T) {
	log := gcmodel.Log{Ruby: "ruby 1.8.7", Processes: []gcmodel.Process{{Marks: []gcmodel.Mark{
		{Name: gcmodel.Boot, Collections: 1, Requests: 1}, {Name: gcmodel.Window, Collections: 5, Requests: 3}}}}}
	log.Processes[0].Collections = []gcmodel.Collection{{Slots: 1000, Live: 500, Major: true, By: "newobj"}}
	for range 4 { // each after 1000 - 400 - 500 objects
		log.Processes[0].Collections = append(log.Processes[0].Collections,
			gcmodel.Collection{Slots: 1000, Live: 500, Free: 400, Seconds: 0.1, Major: true, By: "malloc"})
	}
	e := explained(t, "server", log)
	e.trial.Metrics = map[string]float64{"gc_time_share": 2.57, "gc_time_seconds": 0.4}
	text := strings.Join(e.heapLines(), "\n")
	for _, part := range []string{
		"allocation  200 objects a request: the 500 slots that a collection leaves free last for 3 requests, but malloc starts a collection sooner, one every 0.5 of a request",
		"CPU time    that of collections is not known: this interpreter counts their time by the clock, 400 ms in the window",
		"pauses      a collection took 100 ms on average", "in the window collections started by malloc, or by the program itself (GC.start), with slots free", "window      4 collections in 2 requests",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestHeapsOfWhichLittleIsKnown(t *testing.T) {
	log := madeUp()
	log.Processes[0].Collections = nil
	log.Processes[0].Marks[0].Stat, log.Processes[0].Marks[1].Stat = nil, nil
	e := explained(t, "server", log)
	for want, metrics := range map[string]map[string]float64{
		"it has no collection: none ran, or this interpreter does not tell of them;": {},
		"log         this interpreter does not tell of its collections:":             {"gc_count": 3},
	} {
		e.trial.Metrics = metrics
		if text := strings.Join(e.heapLines(), "\n"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	e.logs[1] = []gcmodel.Log{madeUp()}
	if text := strings.Join(e.heapLines(), "\n"); !strings.Contains(text, "log         no collection ran in this run, as its log has it, where those of other trials have some") {
		t.Errorf("of an interpreter that tells of others:\n%s", text)
	}
	delete(e.logs, 1)
	e.trial.Metrics = map[string]float64{"gc_count": 3}
	text := strings.Join(e.heapLines(), "\n")
	if !strings.Contains(text, "this interpreter does not tell of its collections") || strings.Contains(text, "pauses") {
		t.Errorf("of an interpreter that tells nothing:\n%s", text)
	}
	work := madeUp()
	work.Requests = 50
	for i := range work.Processes[0].Marks {
		work.Processes[0].Marks[i].Requests = 0
	}
	text = strings.Join(explained(t, "batch", work).heapLines(), "\n")
	if !strings.Contains(text, "in 50 units of work;") || !strings.Contains(text, "40 objects a unit of work: the 500 slots that a collection leaves free last for 13 units of work") {
		t.Errorf("of a batch program:\n%s", text)
	}
	calm := madeUp()
	calm.Processes[0].Collections[4].Major = false
	calm.Processes[0].Marks[1].Stat["minor_gc_count"], calm.Processes[0].Marks[1].Stat["major_gc_count"] = 4, 1
	text = strings.Join(explained(t, "server", calm).heapLines(), "\n")
	if !strings.Contains(text, "a minor collection took 3 ms on average, the longest 5 ms; there was no major one; before the window those took up to 4 ms") {
		t.Errorf("of a window without major collections:\n%s", text)
	}
	heaps := madeUp()
	heaps.Ruby = "ruby 3.3.8"
	text = strings.Join(explained(t, "server", heaps).heapLines(), "\n")
	if !strings.Contains(text, "100 objects a request: a collection every 7 requests, when the free slots of one of the heaps are used up") {
		t.Errorf("of several heaps:\n%s", text)
	}
	forked := madeUp()
	forked.Processes = append(forked.Processes, madeUp().Processes[0])
	text = strings.Join(explained(t, "server", forked).heapLines(), "\n")
	if !strings.Contains(text, "of 2 processes the one that collected most\n") || strings.Contains(text, "leaves free") {
		t.Errorf("of two processes, whose requests are not told apart:\n%s", text)
	}
	// 9 ms in the window of the one, and 20 in that of the other, which has its boot and
	// a collection of its window from it.
	other := madeUp().Processes[0]
	other.Collections = append(other.Collections[:3], gcmodel.Collection{Slots: 2000, Live: 1500, Seconds: 0.02, By: "newobj"})
	other.Marks[1].Collections = 4
	forked.Processes[1], forked.Ran = other, 21
	e = explained(t, "batch", forked)
	e.trial.Metrics = nil
	text = strings.Join(e.heapLines(), "\n")
	for _, want := range []string{"of 21 processes the one that collected most (the 2 with the most collections are recorded)",
		"CPU time    29 ms of the window went into collection, in 2 processes together"} {
		if !strings.Contains(text, want) {
			t.Errorf("of processes of a batch: no %q in\n%s", want, text)
		}
	}
}

// Boot allocates 1800 objects, of which at most 500 live.
func TestWhatManySlotsAtFirstDo(t *testing.T) {
	e := explained(t, "server", madeUp())
	for value, want := range map[string]string{
		"4000": "the heap begins with 4,000 slots, more than the 2,000 that it grows to by itself: it need not grow; in boot no collection starts for want of slots, where there were 2",
		"1500": "the heap begins with 1,500 slots, more than the 1,000 that it has by itself after boot, and less than the 2,000 that it grows to; in boot at most 1 collection starts for want of slots, where there were 2",
		"900":  "the heap begins with 900 slots, less than the 1,000 that it has by itself after boot: they are used up in boot, and it grows from there",
	} {
		if got := e.initialText(explain.Part{Name: "RUBY_GC_HEAP_INIT_SLOTS", Value: value}); got != want {
			t.Errorf("%s slots: %q, want %q", value, got, want)
		}
	}
	if got := e.initialText(explain.Part{Name: "RUBY_GC_HEAP_0_INIT_SLOTS", Value: "4000"}); got != "" {
		t.Errorf("of one heap of five: %q", got)
	}
	e.trial.Setting = space.Setting{"RUBY_GC_HEAP_FREE_SLOTS": "5000"}
	if got := e.initialText(explain.Part{Name: "RUBY_GC_HEAP_INIT_SLOTS", Value: "4000"}); got != "" {
		t.Errorf("what the heap grows to by itself is not known from another setting: %q", got)
	}
}

func TestWhatASettingDoes(t *testing.T) {
	e := explained(t, "server", madeUp())
	prediction := func(slots, live, collections float64) gcmodel.Prediction {
		about := func(x float64) gcmodel.Estimate { return gcmodel.Estimate{Estimate: x, Low: x / 2, High: x * 2} }
		return gcmodel.Prediction{Slots: about(slots), Live: about(live), CollectionsPer1000: about(collections)}
	}
	f := foretold{before: prediction(2000, 1500, 150), expected: prediction(3500, 1500, 50), parts: []explain.Part{
		{Name: "RUBY_GC_HEAP_FREE_SLOTS", Value: "2000", Alone: explain.Change{Collections: 0.25, Slots: 1.75, Memory: 1.1}},
		{Name: "RUBY_GC_MALLOC_LIMIT", Value: "64000000", Alone: explain.Change{Collections: 1, Slots: 1, Memory: 1.001}},
	}}
	want := []string{
		"RUBY_GC_HEAP_FREE_SLOTS=2000 by itself changes collections by -75.0 % and memory by +10.0 % (a larger value: " + ruby.Effect("ruby 3.1.2", "RUBY_GC_HEAP_FREE_SLOTS") + ")",
		"by themselves these change collections and memory by less than 1 %: RUBY_GC_MALLOC_LIMIT",
		"a collection leaves some 2,000 slots free instead of 500: at 100 objects a request they last for 20 requests instead of 5",
	}
	if diff := cmp.Diff(want, e.why(f)); diff != "" {
		t.Error(diff)
	}
	e.definition.HasBaseline, e.trials[0].Losses = true, []float64{0, 0}
	if text := e.offText(f); text != "" { // 150 a thousand were logged, as the model has it
		t.Errorf("the model is said to be off: %q", text)
	}
	f.before = prediction(2000, 1500, 400) // of 200 to 800
	if text := e.offText(f); !strings.Contains(text, "collections per 1,000 requests 400 where there were 150") {
		t.Errorf("%q, want that the model is off", text)
	}
}

func TestAgreementInPlainWords(t *testing.T) {
	for want, a := range map[string]tuner.Agreement{
		"no other trial has been measured to compare its predictions with": {},
		"over 2 trials that it had not seen its memory was off by 3.2 % (median), and it put two of them in the right order by memory in 100 of 100 cases. That is too few trials to rely on": {
			Trials: 2, Memory: 1, Collections: math.NaN(), MemoryError: 0.032},
		"over 20 trials that it had not seen its memory was off by 1.0 % (median), and it put two of them in the right order by memory in 90 of 100 cases, by collections in 75 of 100 cases": {
			Trials: 20, Memory: 0.8, Collections: 0.5, MemoryError: 0.01},
		"over 20 trials that it had not seen its memory was off by 40.0 % (median), and it put two of them in the right order by memory in 50 of 100 cases, by collections in 75 of 100 cases. That contradicts it: do not go by its predictions here": {
			Trials: 20, Memory: 0, Collections: 0.5, MemoryError: 0.4},
	} {
		if got := agreeingText(a); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSpansInWords(t *testing.T) {
	for want, s := range map[string]explain.Span{
		"less than 1 %":                     {Low: 0.995, High: 1.005, AtLow: "1", AtHigh: "2"},
		"-50.0 % at 400000":                 {Low: 0.5, High: 1, AtLow: "400000"},
		"-50.0 % at 400000, +20.0 % at 100": {Low: 0.5, High: 1.2, AtLow: "400000", AtHigh: "100"},
	} {
		if got := spanText(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhyThereIsNoLog(t *testing.T) {
	s := &storedStudy{Study: studies.Study{Name: "blog"}}
	failed := tuner.Scored{Trial: studies.Trial{Number: 3, State: studies.Infeasible, Reason: "failed to allocate memory"}}
	measured := tuner.Scored{Trial: studies.Trial{Number: 0, State: studies.Complete}}
	warned := tuner.Scored{Trial: studies.Trial{Number: 1, State: studies.Complete, Runs: []studies.Run{{Warnings: []string{
		"one run took only 0.1 s", "collections could not be recorded in full: no space left \x1b[2Jon device"}}}}}
	logs := map[int][]gcmodel.Log{}
	for i := 4; i < 18; i++ {
		logs[i] = nil
	}
	for _, c := range []struct {
		trial tuner.Scored
		logs  map[int][]gcmodel.Log
		parts []string
	}{
		{failed, logs, []string{"it is infeasible (failed to allocate memory)", "there are logs of 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 2 more"}},
		{warned, nil, []string{"study blog: collections could not be recorded in full: no space left  [2Jon device. `gctune optimize"}},
		{measured, nil, []string{"did not record collections yet", "RUBY_GC_DATA_FILE may be set", "TMPDIR", "the log in the store is damaged", "`gctune optimize --budget N`"}},
	} {
		text := s.noLog(c.trial, c.logs).Error()
		for _, part := range c.parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q does not say %q", text, part)
			}
		}
	}
}

func TestSettingsBeyondTheMachine(t *testing.T) {
	f := foretold{expected: gcmodel.Prediction{MemoryBytes: gcmodel.Estimate{Estimate: 30e9}}}
	if got, want := beyondText(f, 16e9), "that is beyond the memory of this machine, which has 16 GB: such a run would fail, or never fill its heap"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, memory := range []float64{0, 64e9} { // not known, and enough
		if got := beyondText(f, memory); got != "" {
			t.Errorf("with %v bytes: %q", memory, got)
		}
	}
	if got := changeText(8e10); got != "more than 1000 times" {
		t.Errorf("%q", got)
	}
	if got := machineMemory(); got < 64e6 || got > 1e15 {
		t.Errorf("this machine has %v bytes", got)
	}
}

// What Ruby's documents say of a parameter may not hold at the edge of a step.
func TestPartsAgainstTheRule(t *testing.T) {
	e := explained(t, "server", madeUp())
	e.definition.Parameters = []space.Parameter{{Name: "RUBY_GC_HEAP_FREE_SLOTS", Default: "4096"}}
	for _, c := range []struct {
		value   string
		ratio   float64
		against bool
	}{{"8000", 1.48, true}, {"8000", 0.5, false}, {"1000", 1.48, false}, {"1000", 0.5, true}, {"8000", 1.001, false}} {
		text := e.partText(explain.Part{Name: "RUBY_GC_HEAP_FREE_SLOTS", Value: c.value, Alone: explain.Change{Collections: c.ratio, Memory: 1}})
		if got := strings.Contains(text, "here it is the other way"); got != c.against {
			t.Errorf("%+v: %q", c, text)
		}
	}
}

// JSON has no number for what a hand-made log can come to.
func TestTimesThatAreNone(t *testing.T) {
	log := madeUp()
	for i := range log.Processes[0].Collections {
		log.Processes[0].Collections[i].Seconds = 1e308
	}
	for _, s := range explained(t, "server", log).heap.Stages {
		j := stageToJSON(s)
		if j.Minor.Mean != nil || j.Major.Longest != nil || s.Seconds != 0 {
			t.Errorf("%+v", j)
		}
	}
	if positive(math.Inf(1)) != nil || positive(2) == nil {
		t.Error("infinite")
	}
}

// A measured figure outside of the predicted interval is marked; a bound is within.
func TestMeasuredBesideBounds(t *testing.T) {
	predicted := gcmodel.Estimate{Estimate: 50, Low: 40, High: 60}
	row := figure{measured: func(t tuner.Scored) (float64, bool) { v, known := t.Metrics["gc_count"]; return v, known }}
	for value, want := range map[float64]string{39: "39, below", 40: "40", 60: "60", 61: "61, above"} {
		if got := row.besideBounds(&tuner.Scored{Metrics: map[string]float64{"gc_count": value}}, predicted); got != want {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
	if got := row.besideBounds(nil, predicted); got != nil {
		t.Errorf("of no trial: %v", got)
	}
}

// A change is a ratio, but not one from next to nothing.
func TestChangeOf(t *testing.T) {
	for _, c := range []struct {
		before, after float64
		want          any
	}{{50, 60, 1.2}, {50, 50.01, 1.0}, {1, 10, 10.0}, {1, 10.5, nil}, {0, 3, nil}, {4, 0, 0.0}} {
		if got := changeOf(c.before, c.after); got != c.want {
			t.Errorf("%v to %v: %v, want %v", c.before, c.after, got, c.want)
		}
	}
}
