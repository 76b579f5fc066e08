package tuner_test

import (
	"fmt"
	"testing"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/space"
)

// outlookStudy has a baseline of 100 in 100 MB, and then trials that each have one
// per cent more memory than the last but the same throughput, twice the baseline's:
// only the first of them adds anything.
func outlookStudy(t *testing.T, trials int) (tuner.Definition, space.Space, []tuner.Scored) {
	t.Helper()
	d := tuner.Definition{
		Objectives:  objective.Objectives{Throughput: "throughput", Memory: "memory"},
		Parameters:  []space.Parameter{{Name: "SLOTS", Min: 0, Max: 1000, Default: "0"}},
		HasBaseline: true,
	}
	s, err := space.New(d.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	var all []studies.Trial
	for n := range trials {
		throughput, memory := 200.0, 50+0.5*float64(n)
		if n == 0 {
			throughput, memory = 100, 100
		}
		all = append(all, complete(n, throughput, memory))
	}
	return d, s, d.ScoreAll(all)
}

func complete(n int, throughput, memory float64) studies.Trial {
	return studies.Trial{Number: n, State: studies.Complete, Setting: space.Setting{"SLOTS": fmt.Sprint(20 * n)},
		Runs: []studies.Run{{Metrics: map[string]float64{"throughput": throughput, "memory": memory}}}}
}

func TestOutlookCountsTrialsWithoutGrowth(t *testing.T) {
	d, s, trials := outlookStudy(t, 12)
	since := func(trials []tuner.Scored) int {
		t.Helper()
		outlook, known := d.Outlook(s, 1, trials)
		if !known || outlook.Gain < 0 {
			t.Fatalf("the outlook is %+v, %t", outlook, known)
		}
		return outlook.Since
	}
	// Trial 1 made the hypervolume, 2 to 11 added nothing.
	if got := since(trials); got != 10 {
		t.Errorf("without growth since %d trials, want 10", got)
	}
	// ln 2 · ln 4 is the hypervolume so far. A little less memory adds ln 2 · ln(50/49.9),
	// 0.14 % of it: too little to count. One of 45 adds 7.6 %.
	little := append(trials[:12:12], d.Score(complete(12, 200, 49.9)))
	if got := since(little); got != 11 {
		t.Errorf("with a rise of 0.14 %%: without growth since %d trials, want 11", got)
	}
	more := append(little[:13:13], d.Score(complete(13, 200, 45)))
	if got := since(more); got != 0 {
		t.Errorf("with a rise of 7.6 %%: without growth since %d trials, want 0", got)
	}
	// What was interrupted is to be measured again, and does not count.
	interrupted := append(trials[:12:12], tuner.Scored{Trial: studies.Trial{Number: 12, State: studies.Interrupted,
		Setting: space.Setting{"SLOTS": "999"}}})
	if got := since(interrupted); got != 10 {
		t.Errorf("with an interrupted trial: without growth since %d trials, want 10", got)
	}
}

func TestOutlookIsUnknownWithFewTrials(t *testing.T) {
	d, s, trials := outlookStudy(t, 7)
	if outlook, known := d.Outlook(s, 1, trials); known {
		t.Errorf("after seven trials the outlook is %+v", outlook)
	}
}

func TestOutlookOfAnExhaustedSpace(t *testing.T) {
	d, _, trials := outlookStudy(t, 4)
	for highest, want := range map[float64]bool{3: true, 4: false} {
		s, err := space.New([]space.Parameter{{Name: "SLOTS", Min: 0, Max: 20 * highest, Step: 20, Default: "0"}})
		if err != nil {
			t.Fatal(err)
		}
		outlook, known := d.Outlook(s, 1, trials)
		if known != want || outlook.Exhausted != want || outlook.Gain != 0 {
			t.Errorf("4 trials of a space of %v settings: %+v, %t", highest+1, outlook, known)
		}
	}
}
