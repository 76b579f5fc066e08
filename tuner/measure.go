package tuner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
)

// measure begins a trial, runs it, and records how it ended.
func (l *Loop) measure(ctx context.Context, t studies.Trial) error {
	t.OutputPath = l.OutputPath(t.Number)
	t.Started = l.Now()
	t.Marker = Marker(l.Study, t.Number)
	t, err := l.Store.Begin(ctx, l.Study.ID, t)
	if err != nil {
		return fmt.Errorf("recording the begin of trial %d: %w", t.Number, err)
	}
	if err := l.tell(ctx, Began, t.Number); err != nil {
		return err
	}
	runs, result, err := l.measureCalmly(ctx, t)
	outcome := studies.Outcome{
		State:      studies.State(result.State),
		Reason:     result.Reason,
		OutputPath: t.OutputPath,
		Finished:   l.Now(),
	}
	switch {
	case err != nil:
		outcome.State, outcome.Reason = studies.Interrupted, interruption(ctx, err)
	case result.State == harness.Complete:
		outcome.Runs = runs
		outcome = l.checked(t, outcome)
	default:
		outcome.Warnings = result.Warnings
	}
	if recording := l.Store.Finish(ctx, l.Study.ID, t.Number, outcome); recording != nil {
		return errors.Join(err, fmt.Errorf("recording trial %d: %w", t.Number, recording))
	}
	if err != nil {
		return err
	}
	return l.tell(ctx, Finished, t.Number)
}

// checked turns a run whose metrics cannot be scored into a failed one, so that
// what is stored is what is shown. A wrong answer's share above its limit makes
// figures incomparable: that is no measurement of the setting.
func (l *Loop) checked(t studies.Trial, o studies.Outcome) studies.Outcome {
	t.State, t.Runs = studies.Complete, o.Runs
	s := l.Definition.Score(t)
	o.State, o.Reason = s.State, s.Reason
	last := o.Runs[len(o.Runs)-1]
	if reason := s.incomparable(last); reason != "" {
		o.State, o.Reason = studies.Infeasible, reason
	}
	if o.State != studies.Complete {
		o.Warnings, o.Runs = append(o.Warnings, last.Warnings...), nil
	}
	return o
}

// incomparable is why the figures of a run are none to compare, with the first wrong
// answer from its warnings; "" when they are.
func (s Scored) incomparable(run studies.Run) string {
	for _, v := range s.Violations {
		if v.Constraint.Metric == "error_share" {
			return strings.Join(append([]string{v.String()}, said(run)...), ": ")
		}
	}
	return ""
}

// said is the last word of a workload, and then that of contention, which is added
// behind it and may be what brought it about.
func said(run studies.Run) []string {
	warnings := run.Warnings
	from := len(warnings) - 1
	if run.Metrics[contended] > 0 {
		from--
	}
	return warnings[max(0, from):]
}

func (l *Loop) run(ctx context.Context, t studies.Trial) (harness.Result, error) {
	trials, err := l.scored(ctx)
	if err != nil {
		return harness.Result{}, err
	}
	trial := l.likeBaseline(trials)
	trial.Setting, trial.Marker, trial.OutputPath = t.Setting, t.Marker, t.OutputPath
	trial.Lengths = l.lengthsOf(t, trials)
	return l.Workload.Run(ctx, trial)
}

// likeBaseline is what every trial has in common with the baseline: its window,
// as a setting that is measured over less work than another would see fewer major
// collections, and a start that is to be compared with its own.
func (l *Loop) likeBaseline(trials []Scored) harness.Trial {
	baseline, ok := l.Definition.BaselineOf(trials)
	if !ok || len(baseline.Runs) == 0 {
		return harness.Trial{}
	}
	first := baseline.Runs[0].Metrics
	return harness.Trial{Requests: int(first["requests"]), StartSeconds: first["start_seconds"]}
}

// repeatBaseline measures the baseline again when as many trials have been
// finished since the last time as RepeatBaseline says. It is a function of the
// trials alone, so that a resumed study repeats at the same places.
func (l *Loop) repeatBaseline(ctx context.Context, trials []Scored) error {
	baseline, ok := l.Definition.BaselineOf(trials)
	if l.RepeatBaseline == 0 || !ok {
		return nil
	}
	// The first time comes early, so that a short study has intervals too.
	due := 1 + (len(trials)+l.RepeatBaseline-firstRepeat)/l.RepeatBaseline
	for have := baseline.Measured; have < due; have++ {
		if err := l.repeatOnce(ctx, baseline); err != nil {
			return err
		}
	}
	return nil
}

// firstRepeat is the number of trials after which the baseline is measured again
// for the first time.
const firstRepeat = 4

func (l *Loop) repeatOnce(ctx context.Context, baseline Scored) error {
	if err := l.tell(ctx, Repeating, baseline.Number); err != nil {
		return err
	}
	t := baseline.Trial
	t.Marker, t.Started = Marker(l.Study, t.Number), l.Now()
	runs, result, err := l.measureCalmly(ctx, t)
	if err != nil {
		return err
	}
	if result.State != harness.Complete {
		// It worked before, so this run is an accident; it is kept as one, with
		// no figures, and not tried for ever.
		runs = []studies.Run{{
			Metrics: map[string]float64{}, Seconds: result.Seconds, Started: t.Started,
			Warnings: append(result.Warnings, "measuring the baseline again did not work: "+result.Reason),
		}}
	}
	for _, run := range runs {
		if err := l.Store.AddRun(ctx, l.Study.ID, t.Number, run); err != nil {
			return fmt.Errorf("recording a repeated run of the baseline: %w", err)
		}
	}
	return l.tell(ctx, Repeated, t.Number)
}

// Marker is carried by every process of a trial. It begins with what
// MarkerPrefix gives for the study.
func Marker(study studies.Study, number int) string {
	return fmt.Sprintf("%s%d", MarkerPrefix(study), number)
}

// MarkerPrefix begins the markers of all of a study's processes. The study's
// creation time tells it from one of the same name in another store.
func MarkerPrefix(study studies.Study) string {
	return fmt.Sprintf("gctune-%x-%s-", study.Created.UnixNano(), study.Name)
}

func interruption(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); cause != nil {
		return cause.Error()
	}
	return err.Error()
}

// tell reports an event with the state of the whole study.
func (l *Loop) tell(ctx context.Context, kind EventKind, number int) error {
	return l.tellOf(ctx, Event{Kind: kind}, number)
}

// tellOf completes an event with the trials.
func (l *Loop) tellOf(ctx context.Context, e Event, number int) error {
	trials, err := l.scored(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	for _, t := range trials {
		if t.Number == number {
			e.Trial, e.Trials = t, trials
			l.Observe(e)
		}
	}
	return nil
}
