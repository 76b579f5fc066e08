package tuner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
)

// Quiet says what disturbance by other programs a run may have. A run with more is
// measured again when the machine is quiet, and is marked when it does not become
// quiet.
type Quiet struct {
	// Limit is the share that others may take of the machine's CPU time that they
	// usually leave in the study; from 1 on nothing is too much. What an
	// application's own services take, such as a database, is usual.
	Limit float64
	// Repeats is how often a disturbed run may be measured again.
	Repeats int
	// Patience is how long to wait for a quiet machine before each; it is never
	// longer than the study has measured so far, so that a short one is not spent
	// waiting.
	Patience time.Duration
	// Load tells what share others take now, while nothing is measured. It is asked
	// until it is low enough, so it has to take its time.
	Load func(ctx context.Context) (float64, error)
}

// bound is the disturbance beyond which a run is disturbed too much.
func (q Quiet) bound(usual float64) float64 { return usual + q.Limit*(1-usual) }

// The metrics that disturbance is judged by, and those that are set by it.
const (
	otherCPU = "other_cpu_share"
	steal    = "steal_share"
	// contended is 1 in a run that was disturbed too much.
	contended = "contended"
	// superseded is 1 in such a run when there is a later one in its place.
	superseded = "superseded"
)

func disturbance(metrics map[string]float64) float64 { return metrics[otherCPU] + metrics[steal] }

// usualDisturbance is the lower quartile of what was seen in the study: not the
// mean, which a disturbed hour would raise.
func usualDisturbance(trials []Scored) float64 {
	var seen []float64
	for _, t := range trials {
		for _, run := range t.Trial.Runs {
			if _, known := run.Metrics[otherCPU]; known {
				seen = append(seen, disturbance(run.Metrics))
			}
		}
	}
	if len(seen) == 0 {
		return 0
	}
	slices.Sort(seen)
	return seen[len(seen)/4]
}

// counting are the runs that a trial's figures come from: none that has a
// successor, and of the others those that were not disturbed, if there are any.
func counting(runs []studies.Run) []studies.Run {
	var final, calm []studies.Run
	for _, run := range runs {
		if run.Metrics[superseded] > 0 {
			continue
		}
		final = append(final, run)
		if run.Metrics[contended] == 0 {
			calm = append(calm, run)
		}
	}
	if len(calm) > 0 {
		return calm
	}
	return final
}

func measuredRuns(runs []studies.Run) int {
	n := 0
	for _, run := range runs {
		if run.Metrics[superseded] == 0 {
			n++
		}
	}
	return n
}

// effort is a setting measured until it was in quiet.
type effort struct {
	usual    float64
	patience time.Duration
	runs     []studies.Run
	// calm: the machine was quiet before the run to come; quiet are the
	// disturbances of the runs before which it was.
	calm  bool
	quiet []float64
}

// add tells whether the run was disturbed too much.
func (e *effort) add(run studies.Run, q Quiet) bool {
	e.runs = append(e.runs, run)
	e.patience += seconds(run)
	share := disturbance(run.Metrics)
	if e.calm {
		e.quiet = append(e.quiet, share)
	}
	if len(e.quiet) > 1 { // what comes with the load each time is the application's own
		e.usual = max(e.usual, slices.Min(e.quiet))
	}
	return q.Limit > 0 && share > q.bound(e.usual)
}

// measureCalmly runs a trial, and again where other programs disturbed it. All
// complete runs are returned, and the last result.
func (l *Loop) measureCalmly(ctx context.Context, t studies.Trial) ([]studies.Run, harness.Result, error) {
	trials, err := l.scored(ctx)
	if err != nil {
		return nil, harness.Result{}, err
	}
	e := effort{usual: usualDisturbance(trials), patience: measuring(trials)}
	for {
		started := l.Now()
		result, err := l.run(ctx, t)
		if err != nil || result.State != harness.Complete {
			return nil, result, err
		}
		run := studies.Run{Metrics: result.Metrics, Seconds: result.Seconds, Started: started, Warnings: result.Warnings, Log: packLog(l.Definition.logOf(t.Setting, result))}
		if !e.add(run, l.Quiet) {
			l.restless = false
			return e.runs, result, nil
		}
		run.Metrics[contended] = 1
		if again, err := l.again(ctx, t.Number, &e); err != nil || !again {
			last := &e.runs[len(e.runs)-1]
			last.Warnings = append(slices.Clone(last.Warnings), disturbed(disturbance(run.Metrics), e.usual, len(e.runs)))
			return e.runs, result, err
		}
		run.Metrics[superseded] = 1
	}
}

func seconds(run studies.Run) time.Duration {
	return time.Duration(run.Seconds * float64(time.Second))
}

// measuring is the time that all runs of a study have taken.
func measuring(trials []Scored) time.Duration {
	var total time.Duration
	for _, t := range trials {
		for _, run := range t.Trial.Runs {
			total += seconds(run)
		}
	}
	return total
}

// again waits until a disturbed run can be measured again, if it can.
func (l *Loop) again(ctx context.Context, number int, e *effort) (bool, error) {
	if len(e.runs) > l.Quiet.Repeats || l.restless {
		return false, nil
	}
	share := disturbance(e.runs[len(e.runs)-1].Metrics)
	if err := l.tellOf(ctx, Event{Kind: Disturbed, Disturbance: share}, number); err != nil {
		return false, err
	}
	var err error
	e.calm, err = l.awaitCalm(ctx, e.usual, min(e.patience, l.Quiet.Patience))
	return e.calm, err
}

// disturbed is the warning of a run that could not be measured in quiet.
func disturbed(share, usual float64, runs int) string {
	text := fmt.Sprintf("other programs took %.0f %% of the machine's CPU time meanwhile, where %.0f %% is usual here", 100*share, 100*usual)
	if runs > 1 {
		text += fmt.Sprintf(", and so in %d runs before", runs-1)
	}
	return text + ": the figures may be theirs in part"
}

// awaitCalm waits for a machine that is quiet enough to measure again. One that
// was waited for in vain is not waited for again until a run was undisturbed.
func (l *Loop) awaitCalm(ctx context.Context, usual float64, patience time.Duration) (bool, error) {
	for deadline := l.Now().Add(patience); ; {
		now, err := l.Quiet.Load(ctx)
		if err != nil {
			return false, fmt.Errorf("waiting for a quiet machine: %w", err)
		}
		if now <= l.Quiet.bound(usual) {
			return true, nil
		}
		if !l.Now().Before(deadline) {
			l.restless = true
			return false, nil
		}
	}
}
