package tuner_test

import (
	"slices"
	"testing"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/space"
)

// What is measured again first is what the search believes to be good. Trial 1 had
// 30 % more throughput with as much time in collection as the defaults, on a machine
// whose runs differ by 6 %; trial 2 had 4 % more with half the time in collection.
func TestTheLuckyAreNotMeasuredAgainFirst(t *testing.T) {
	d := tuner.Definition{
		Workload: "server", Objectives: objective.Objectives{Throughput: "requests_per_cpu_second", Memory: "memory"},
		Parameters: []space.Parameter{{Name: "SLOTS", Scale: space.Log, Min: 1, Max: 1e6}}, Baseline: space.Setting{}, HasBaseline: true,
	}
	trial := func(number int, memory, share float64, throughputs ...float64) studies.Trial {
		one := studies.Trial{Number: number, State: studies.Complete, Setting: map[string]string{}}
		for _, throughput := range throughputs {
			one.Runs = append(one.Runs, studies.Run{Metrics: map[string]float64{
				"requests_per_cpu_second": throughput, "gc_time_share": share, "memory": memory,
			}})
		}
		return one
	}
	trials := d.ScoreAll([]studies.Trial{
		trial(0, 100, 0.2, 100, 94, 106, 101, 93, 107),
		trial(1, 120, 0.2, 130), trial(2, 119, 0.1, 104), trial(3, 90, 0.2, 99), trial(4, 140, 0.2, 97), trial(5, 150, 0.2, 95),
	})
	c := &tuner.Confirmation{Definition: d, Settings: 2}
	if got := c.Candidates(trials, tuner.Confirmed{}); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("trials %v are to be measured again, want 2 and 3", got)
	}
}

// Where the setting with the most throughput turns out to be no better than the
// defaults, the one with the least memory is next, and not the others like the first.
func TestNamedChoicesTakeTurns(t *testing.T) {
	nothing := [2]float64{0, 0.2}
	w := &twinned{effects: effects{"1": nothing, "2": nothing, "3": nothing, "4": {-0.1, -0.2}}}
	conf, store := confirmStudy(t, w, [][2]float64{{130, 120}, {125, 115}, {120, 110}, {90, 80}}, "1", "2", "3", "4")
	if err := conf.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	replays, err := store.Replays(t.Context(), conf.Study.ID)
	if err != nil || len(replays) < 2 {
		t.Fatalf("%d replays, %v", len(replays), err)
	}
	if replays[0].Trial != 1 || replays[1].Trial != 4 {
		t.Errorf("measured again: trials %d and %d, want 1 and 4", replays[0].Trial, replays[1].Trial)
	}
}
