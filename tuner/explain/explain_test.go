package explain_test

import (
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

// counted is a run of an interpreter that counts: two collections that the log has
// missed, one more in boot, none in warm-up, two in the window.
var counted = gcmodel.Log{
	Ruby: "ruby 3.1.2",
	Processes: []gcmodel.Process{{
		Collections: []gcmodel.Collection{
			{}, {},
			{Slots: 1000, Live: 400, Seconds: 0.002, Major: true, By: "newobj", MajorBy: "nofree"},
			{Slots: 1500, Live: 500, Seconds: 0.001, By: "newobj"},
			{Slots: 1500, Live: 600, Seconds: 0.003, By: "malloc"},
		},
		Marks: []gcmodel.Mark{
			{Name: gcmodel.Boot, Collections: 3, Requests: 1, RSSBytes: 5e6, Stat: map[string]float64{
				"minor_gc_count": 1, "major_gc_count": 2, "heap_available_slots": 1200, "total_allocated_objects": 3000, "heap_live_slots": 800}},
			{Name: gcmodel.Warmup, Collections: 3, Requests: 11, Stat: map[string]float64{
				"minor_gc_count": 1, "major_gc_count": 2, "heap_available_slots": 1500, "total_allocated_objects": 3300, "heap_live_slots": 1100}},
			{Name: gcmodel.Window, Collections: 5, Requests: 31, RSSBytes: 6e6, Stat: map[string]float64{
				"minor_gc_count": 3, "major_gc_count": 2, "heap_available_slots": 1500, "total_allocated_objects": 5300, "heap_live_slots": 1000}},
		},
	}},
}

func heapOf(t *testing.T, log gcmodel.Log) explain.Heap {
	t.Helper()
	h, err := explain.HeapOf(log)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestStagesOfAnInterpreterThatCounts(t *testing.T) {
	h := heapOf(t, counted)
	want := []explain.Stage{
		{
			Name: gcmodel.Boot, Requests: 1, Minor: explain.Pauses{Count: 1}, Major: explain.Pauses{Count: 2, Timed: 1, Total: 0.002, Longest: 0.002, Shortest: 0.002},
			Unseen: 2, Slots: 1200, Live: 400, Objects: 3000, Seconds: 0.002, RSSBytes: 5e6, By: map[string]int{"newobj": 1}, MajorBy: map[string]int{"nofree": 1},
		},
		{Name: gcmodel.Warmup, Requests: 10, Slots: 1500, Live: 400, Objects: 300, By: map[string]int{}, MajorBy: map[string]int{}},
		{
			Name: gcmodel.Window, Requests: 20, Minor: explain.Pauses{Count: 2, Timed: 2, Total: 0.004, Longest: 0.003, Shortest: 0.001},
			Slots: 1500, Live: 600, Objects: 2000, Seconds: 0.004, RSSBytes: 6e6, By: map[string]int{"newobj": 1, "malloc": 1}, MajorBy: map[string]int{},
		},
	}
	if diff := cmp.Diff(want, h.Stages, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	if mean := h.Stages[2].Minor.Mean(); math.Abs(mean-0.002) > 1e-12 {
		t.Errorf("the mean pause is %v, want 0.002", mean)
	}
}

// Before 2.1 nothing is counted at the marks, and what was free as a collection began
// tells what was not used up.
func TestStagesOfAnInterpreterThatOnlyLogs(t *testing.T) {
	h := heapOf(t, gcmodel.Log{Requests: 4, Processes: []gcmodel.Process{{
		Collections: []gcmodel.Collection{
			{Slots: 1000, Live: 300, Major: true, By: "newobj"},
			{Slots: 1000, Live: 400, Free: 200, Major: true, By: "malloc"}, // 1000 - 200 - 300 were filled
			{Slots: 2000, Live: 500, Major: true, By: "newobj"},            // 2000 - 400
		},
		Marks: []gcmodel.Mark{{Name: gcmodel.Boot, Collections: 1}, {Name: gcmodel.Window, Collections: 3}},
	}}})
	window, found := h.Stage(gcmodel.Window)
	if !found || window.Objects != 500+1600 || window.Slots != 2000 || window.Live != 500 || window.Major.Count != 2 || window.Requests != 4 {
		t.Errorf("%+v", window)
	}
	if boot, _ := h.Stage(gcmodel.Boot); boot.Objects != 1000 {
		t.Errorf("%v objects in boot, want those that filled the first heap", boot.Objects)
	}
	if _, found := h.Stage(gcmodel.Warmup); found {
		t.Error("there is a warm-up that no mark ends")
	}
}

// The marks of a program that runs to its end have no counters but at the end.
func TestCollectionsOfUnknownKindAreTold(t *testing.T) {
	h := heapOf(t, gcmodel.Log{Requests: 10, Processes: []gcmodel.Process{{
		Collections: []gcmodel.Collection{{}, {}, {Slots: 100, Live: 40, Major: true}, {Slots: 100, Live: 50}},
		Marks: []gcmodel.Mark{{Name: gcmodel.Boot, Collections: 2}, {Name: gcmodel.Window, Collections: 4, Stat: map[string]float64{
			"minor_gc_count": 3, "major_gc_count": 1, "total_allocated_objects": 1000}}},
	}}})
	boot, window := h.Stages[0], h.Stages[1]
	if boot.Unsorted != 2 || boot.Minor.Count != 0 || boot.Collections() != 2 {
		t.Errorf("boot: %+v", boot)
	}
	// The first of the window followed one that nothing is known of.
	if window.Minor.Count != 1 || window.Major.Count != 1 || window.Objects != 60 {
		t.Errorf("window: %+v", window)
	}
}

func TestTheProcessThatCollectedMostIsToldOf(t *testing.T) {
	process := func(collections int, objects float64) gcmodel.Process {
		p := gcmodel.Process{Marks: []gcmodel.Mark{{Name: gcmodel.Window, Requests: 10, Collections: int64(collections),
			Stat: map[string]float64{"total_allocated_objects": objects}}}}
		for range collections {
			p.Collections = append(p.Collections, gcmodel.Collection{Slots: int64(100 * collections), Live: 50})
		}
		return p
	}
	h := heapOf(t, gcmodel.Log{Processes: []gcmodel.Process{process(2, 1000), process(3, 1500)}})
	window, _ := h.Stage(gcmodel.Window)
	if h.Processes != 2 || window.Slots != 300 || window.Objects != 2500 {
		t.Errorf("%d processes, %+v: want the heap of the second, the objects of both", h.Processes, window)
	}
	for _, log := range []gcmodel.Log{{}, {Processes: []gcmodel.Process{{}}}} {
		if _, err := explain.HeapOf(log); !errors.Is(err, explain.ErrNothing) {
			t.Errorf("%v, want ErrNothing", err)
		}
	}
}

func TestCourse(t *testing.T) {
	c := heapOf(t, counted).Course()
	// Boot's 3000 objects: two small heaps and 10,000 unknown ones, to scale, then 400
	// in use up to 800; the window's 2000: 1100 and 1000 slots were filled, then 400.
	boot := 3000.0 / (3*10000 + 400)
	window := 2000.0 / (1100 + 1000 + 400)
	want := explain.Course{
		Points: []explain.Point{
			{Objects: 10000 * boot / 1e6}, {Objects: 20000 * boot / 1e6},
			{Objects: 30000 * boot / 1e6, Slots: 1000, Live: 400, Major: true},
			{Objects: (3300 + 1100*window) / 1e6, Slots: 1500, Live: 500},
			{Objects: (3300 + 2100*window) / 1e6, Slots: 1500, Live: 600},
		},
		Marks: []explain.Place{{Name: gcmodel.Boot, Objects: 0.003}, {Name: gcmodel.Warmup, Objects: 0.0033}, {Name: gcmodel.Window, Objects: 0.0053}},
	}
	if diff := cmp.Diff(want, c, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// predict is a heap in which A halves collections when it doubles, B's memory goes
// down to a half and C does nothing.
func predict(setting map[string]string) gcmodel.Prediction {
	number := func(name string, usual float64) float64 {
		if x, err := strconv.ParseFloat(setting[name], 64); err == nil {
			return x
		}
		return usual
	}
	a, b := number("A", 100), number("B", 1)
	return gcmodel.Prediction{
		CollectionsPer1000: gcmodel.Estimate{Estimate: 1000 / a}, Slots: gcmodel.Estimate{Estimate: 10 * a},
		MemoryBytes: gcmodel.Estimate{Estimate: 1e6 * (a + 100*b)},
	}
}

func TestInfluences(t *testing.T) {
	searched, err := space.New([]space.Parameter{
		{Name: "A", Kind: space.Int, Scale: space.Log, Min: 50, Max: 400, Default: "100"},
		{Name: "B", Kind: space.Float, Min: 0.5, Max: 1, Default: "1"},
		{Name: "C", Kind: space.Choice, Values: []string{"x", "y"}, Default: "x"},
		{Name: "D", Kind: space.Int, Min: 1, Max: 9, Default: "5"},
		{Name: "E", Kind: space.Int, Min: 1, Max: 9, Default: "6", Above: "D"},
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	got := explain.Influences(func(s map[string]string) gcmodel.Prediction {
		seen["D="+s["D"]] = true
		return predict(s)
	}, space.Setting{}, searched)
	none := explain.Span{Low: 1, High: 1}
	want := []explain.Influence{
		{Name: "A", Collections: explain.Span{Low: 0.25, High: 2, AtLow: "400", AtHigh: "50"}, Memory: explain.Span{Low: 0.75, High: 2.5, AtLow: "50", AtHigh: "400"}},
		{Name: "B", Collections: none, Memory: explain.Span{Low: 0.75, High: 1, AtLow: "0.5"}},
		{Name: "C", Collections: none, Memory: none}, {Name: "D", Collections: none, Memory: none}, {Name: "E", Collections: none, Memory: none},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	if !got[0].Matters() || !got[1].Matters() || got[2].Matters() {
		t.Error("A and B matter, C does not")
	}
	if !seen["D=6"] || seen["D=7"] { // E is 6 by default
		t.Errorf("tried %v: want D up to the default of E alone", seen)
	}
}

func TestParts(t *testing.T) {
	got := explain.Parts(predict, space.Setting{"A": "100", "B": "1"}, space.Setting{"A": "200", "B": "1", "C": "y"})
	want := []explain.Part{
		{Name: "A", Value: "200", Alone: explain.Change{Collections: 0.5, Slots: 2, Memory: 1.5}},
		{Name: "C", Value: "y", Alone: explain.Change{Collections: 1, Slots: 1, Memory: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got[0].Alone.Matters() || got[1].Alone.Matters() {
		t.Error("A matters, C does not")
	}
}

// Boot allocates 3000 objects, of which at most 400 live.
func TestBootAtMost(t *testing.T) {
	h := heapOf(t, counted)
	for _, c := range []struct {
		slots float64
		most  int
		known bool
	}{
		{3001, 0, true},
		{2000, 1, true}, // the first after 2000, the next after 1600 more
		{1000, 4, true}, // 1000, 1600, 2200, 2800
		{400, 0, false}, // all of them may live
	} {
		if most, known := h.BootAtMost(c.slots); most != c.most || known != c.known {
			t.Errorf("%v slots: at most %d (%v), want %d (%v)", c.slots, most, known, c.most, c.known)
		}
	}
}
