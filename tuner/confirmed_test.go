package tuner_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// searched is a study of figures, the baseline's 100 and 100 first.
func searched(figures ...[2]float64) (tuner.Definition, []studies.Trial) {
	d := tuner.Definition{
		Workload: "batch", Objectives: objective.Objectives{Throughput: "throughput", Memory: "memory"}, HasBaseline: true,
	}
	var trials []studies.Trial
	for i, f := range append([][2]float64{{100, 100}}, figures...) {
		trials = append(trials, studies.Trial{Number: i, State: studies.Complete, Runs: []studies.Run{
			{Metrics: map[string]float64{"throughput": f[0], "memory": f[1], "requests": 1}, Seconds: 1},
		}})
	}
	return d, trials
}

// compared is a comparison of eight pairs whose ratios are, on average, those given;
// single ones differ from that by the noise, up and down.
func compared(trial int, against *int, throughput, memory, noise float64) studies.Replay {
	r := studies.Replay{Trial: trial, Against: against, Purpose: studies.Confirmation, Ended: true, Planned: 3}
	for i := range 8 {
		sign := []float64{1, 1, -1, -1}[i%4]
		r.Pairs = append(r.Pairs, studies.Pair{
			Setting:       map[string]float64{"throughput": 100 * throughput * math.Exp(sign*noise), "memory": 100 * memory * math.Exp(sign*0.002)},
			Baseline:      map[string]float64{"throughput": 100, "memory": 100},
			BaselineFirst: i%2 == 0,
		})
	}
	return r
}

func confirmedOf(t *testing.T, d tuner.Definition, trials []studies.Trial, replays ...studies.Replay) tuner.Confirmed {
	t.Helper()
	c, known, err := d.Confirm(d.ScoreAll(trials), replays)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	return c
}

func whyLeft(c tuner.Confirmed, trial int) string {
	i := slices.IndexFunc(c.Members, func(m tuner.Member) bool { return m.Trial == trial })
	return c.Members[i].Left
}

func TestConfirmedSettingsKeepTheConstraints(t *testing.T) {
	d, trials := searched([2]float64{120, 130}, [2]float64{110, 80})
	memory, err := objective.ParseConstraint("memory <= 90")
	if err != nil {
		t.Fatal(err)
	}
	d.Constraints = []objective.Constraint{memory}
	replays := []studies.Replay{compared(1, nil, 1.2, 1.3, 0.01), compared(2, nil, 1.1, 0.8, 0.01)}
	c := confirmedOf(t, d, trials, replays...)
	if got := onFront(c); !slices.Equal(got, []int{2}) || c.Baseline {
		t.Errorf("on the front: %v, baseline %v", got, c.Baseline)
	}
	if why := whyLeft(c, 1); !strings.Contains(why, "violates memory <= 90") {
		t.Errorf("left since %q", why)
	}
	d.Constraints[0].Value = 10
	if c = confirmedOf(t, d, trials, replays...); len(c.Front()) > 0 || c.Baseline || len(c.Pending) > 0 {
		t.Errorf("nothing is usable: %+v", c)
	}
}

// Figures relative to a baseline without any are not there.
func TestConfirmedWithoutABaseline(t *testing.T) {
	d, trials := searched([2]float64{120, 130})
	latency, err := objective.ParseConstraint("latency <= 90")
	if err != nil {
		t.Fatal(err)
	}
	d.Constraints = []objective.Constraint{latency}
	if c, known, err := d.Confirm(d.ScoreAll(trials), []studies.Replay{compared(1, nil, 1.2, 1.3, 0.01)}); known || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	d.Constraints, d.Objectives.Memory = nil, "requests" // which pairs have not
	if c, known, err := d.Confirm(d.ScoreAll(trials), []studies.Replay{compared(1, nil, 1.2, 1.3, 0.01)}); known || err != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// With noise as large as this no order of throughput is certain.
func TestBeatenInBothEstimatesLeaves(t *testing.T) {
	d, trials := searched([2]float64{137, 15}, [2]float64{112, 51}, [2]float64{126, 38})
	replays := []studies.Replay{compared(1, nil, 1.37, 0.15, 0.15), compared(2, nil, 1.12, 0.51, 0.15), compared(3, nil, 1.26, 0.38, 0.15)}
	for range 3 { // the comparisons that there may be
		one := 1
		open := compared(2, &one, 0.82, 3.3, 0.15)
		open.Failure = "aborted"
		replays = append(replays, open)
	}
	c := confirmedOf(t, d, trials, replays...)
	if got := onFront(c); !slices.Equal(got, []int{1}) {
		t.Fatalf("on the front: %v\n%+v", got, c.Members)
	}
	for _, trial := range []int{2, 3} {
		if why := whyLeft(c, trial); !strings.Contains(why, "beaten by trial 1: ") {
			t.Errorf("trial %d left since %q", trial, why)
		}
	}
	if len(c.Doubts) > 0 {
		t.Errorf("in doubt: %v", c.Doubts)
	}
	// Beside each other trial 2 took clearly less memory, whatever the baseline says.
	one := 1
	c = confirmedOf(t, d, trials, replays[0], replays[1], compared(2, &one, 0.82, 0.9, 0.01))
	if got := onFront(c); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("on the front: %v\n%+v", got, c.Members)
	}
}

// Trials 1 and 2 were measured beside each other; trial 3 is between them.
func TestComparisonsCountBetweenAnyTwo(t *testing.T) {
	d, trials := searched([2]float64{140, 120}, [2]float64{138, 118}, [2]float64{139, 119})
	two := 2
	replays := []studies.Replay{
		compared(1, nil, 1.402, 1.200, 0.02), compared(2, nil, 1.398, 1.199, 0.02), compared(3, nil, 1.400, 1.1995, 0.02),
		compared(1, &two, 1.001, 1.05, 0.002), // in truth no faster, in more memory
	}
	c := confirmedOf(t, d, trials, replays...)
	if why := whyLeft(c, 1); !strings.Contains(why, "better than trial 2") {
		t.Errorf("trial 1 left since %q", why)
	}
}

// One of two that were to be measured again is; the other was begun, or was not.
func TestConfirmationThatWasCutShort(t *testing.T) {
	d, trials := searched([2]float64{120, 130}, [2]float64{90, 50}, [2]float64{110, 110})
	begun := compared(2, nil, 0.9, 1.5, 0.01) // far from what the search has seen
	begun.Ended, begun.Pairs = false, begun.Pairs[:3]
	accident := compared(3, nil, 1, 1, 0)
	accident.Failure, accident.Accident, accident.Pairs = "killed by SIGKILL", true, nil
	for name, replays := range map[string][]studies.Replay{
		"nothing begun": {compared(1, nil, 1.2, 1.3, 0.01)},
		"two begun":     {compared(1, nil, 1.2, 1.3, 0.01), begun, accident},
	} {
		c := confirmedOf(t, d, trials, replays...)
		if got := onFront(c); !slices.Equal(got, []int{1}) || !slices.Equal(c.Pending, []int{3, 2}) || len(c.Waiting) > 0 {
			t.Errorf("%s: on the front %v, pending %v, waiting %v", name, got, c.Pending, c.Waiting)
		}
	}
	if _, known, err := d.Confirm(d.ScoreAll(trials), []studies.Replay{begun}); known || err != nil {
		t.Error("a front was confirmed by three pairs", err)
	}
	// One that leaves uncovers nobody while others are pending.
	c := confirmedOf(t, d, trials, compared(1, nil, 0.9, 1.3, 0.01), begun)
	if got := onFront(c); len(got) > 0 || !slices.Equal(c.Pending, []int{3, 2}) {
		t.Errorf("on the front %v, pending %v", got, c.Pending)
	}
}
