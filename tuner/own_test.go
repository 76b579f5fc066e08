package tuner_test

import (
	"testing"

	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
)

// A child begins with its parent's collections, which are counted once.
func TestWindowOfForkedProcesses(t *testing.T) {
	stat := func(count float64) map[string]float64 { return map[string]float64{"count": count} }
	before := []gcmodel.Collection{{}, {Slots: 100, Live: 50, Seconds: 0.001, By: "newobj"}}
	shared := append(before, gcmodel.Collection{Slots: 100, Live: 60, Seconds: 0.002, By: "method"})
	child := func(seconds float64, by string) []gcmodel.Collection {
		return append(append([]gcmodel.Collection{}, shared...), gcmodel.Collection{Slots: 100, Live: 70, Seconds: seconds, By: by})
	}
	process := func(c []gcmodel.Collection, counted float64) gcmodel.Process {
		return gcmodel.Process{Collections: c, Marks: []gcmodel.Mark{
			{Name: gcmodel.Boot, Collections: 2, Stat: stat(2)}, {Name: gcmodel.Window, Collections: int64(len(c)), Stat: stat(counted)}}}
	}
	log := gcmodel.Log{Processes: []gcmodel.Process{
		process(child(0.003, "newobj"), 4), process(child(0.004, "capi"), 4), process(child(0.005, "newobj"), 9)}} // 5 of which the log lacks
	want := tuner.Window{Collections: 4, Own: 2, Counted: 9, Told: true, Ended: true}
	if got := tuner.WindowOf(log); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := tuner.WindowOf(gcmodel.Log{Processes: []gcmodel.Process{process(nil, 0)}}); got.Told {
		t.Errorf("%+v of a log without a collection", got)
	}
}
