package tuner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// Store is where the loop records trials.
type Store interface {
	Trials(ctx context.Context, study int64) ([]studies.Trial, error)
	Begin(ctx context.Context, study int64, t studies.Trial) (studies.Trial, error)
	Finish(ctx context.Context, study int64, number int, o studies.Outcome) error
	AddRun(ctx context.Context, study int64, number int, run studies.Run) error
	LogStore
}

// Loop works on one study until its budget is spent.
type Loop struct {
	Study      studies.Study
	Definition Definition
	Space      space.Space
	Sampler    sampler.Sampler
	Store      Store
	Workload   harness.Workload
	// Budget is the number of finished trials to reach, earlier ones included.
	Budget int
	// Deadline, unless zero, is when no further trial is begun.
	Deadline time.Time
	// UntilStable ends the loop as soon as more trials are expected to gain little.
	UntilStable bool
	// RepeatBaseline measures the baseline again after so many trials, which
	// shows drift and noise; 0 never does.
	RepeatBaseline int
	// Quiet bounds the disturbance by other programs.
	Quiet Quiet
	// Lengths, unless nil, bounds trials of servers that are as long as they need; nil
	// fixes their lengths beforehand.
	Lengths *harness.Lengths
	// Foresee tells the sampler what a model of the collector expects of settings,
	// where there is one that agrees with the trials.
	Foresee bool
	// OutputPath names the file that keeps a trial's output.
	OutputPath func(number int) string
	// Observe is told what happens.
	Observe func(Event)
	// Now is the clock.
	Now func() time.Time

	began    time.Time // of this run
	restless bool      // the machine was waited for in vain
	foreseer foreseer
}

// Event is something that happened in a study.
type Event struct {
	Kind EventKind
	// Trial is the one that it happened to.
	Trial Scored
	// Trials are all trials so far, scored.
	Trials []Scored
	// Disturbance is the share of the machine that other programs took; of
	// Disturbed.
	Disturbance float64
	// Foresight is the model, and Agreement how well it agrees with the trials; of
	// Foreseen and Contradicted.
	Foresight *Foresight
	Agreement Agreement
	// Err says why there is no model; of Unforeseen.
	Err error
}

// EventKind says what happened.
type EventKind int

// The kinds of events.
const (
	Began EventKind = iota
	Finished
	// Repeating and Repeated are about measuring the baseline again.
	Repeating
	Repeated
	// Disturbed: other programs took too much of the machine during a run, which
	// is measured again when they have become quiet.
	Disturbed
	// Foreseen: a model of the collector is calibrated, and tells the search what to
	// expect. Unforeseen: there is none. Contradicted: the trials contradict it, and
	// the search goes on without.
	Foreseen
	Unforeseen
	Contradicted
)

// End says why a loop came to its end.
type End string

// The ends.
const (
	BudgetSpent    End = "the budget is spent"
	TimeSpent      End = "the time is spent"
	SpaceExhausted End = "every setting of the search space has been tried"
	GainsLittle    End = "more trials are expected to gain little"
)

// BaselineError says that the baseline could not be measured: no other trial
// could be compared with anything.
type BaselineError struct {
	State  studies.State
	Reason string
}

func (e *BaselineError) Error() string {
	return fmt.Sprintf("the baseline could not be measured, so nothing else was tried: %s", e.Reason)
}

// StuckError says that trial after trial could not be measured for reasons other
// than their settings.
type StuckError struct {
	InARow int
	Reason string
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("the last %d trials could not be measured; the latest: %s", e.InARow, e.Reason)
}

const (
	// stuckAfter so many failed or void trials in a row the loop gives up.
	stuckAfter = 5
	// voidAttempts is how often a setting is tried whose measurement was void.
	voidAttempts = 2
)

// Run measures the baseline, then proposes and measures until the budget or the
// time is spent. When ctx ends, the trial under way is marked as interrupted and
// the cause returned; the next Run begins with that trial.
func (l *Loop) Run(ctx context.Context) (End, error) {
	l.began = l.Now()
	if err := l.baseline(ctx); err != nil {
		return "", err
	}
	for {
		trials, err := l.scored(ctx)
		if err != nil {
			return "", err
		}
		if err := l.stuck(trials); err != nil {
			return "", err
		}
		if err := l.repeatBaseline(ctx, trials); err != nil {
			return "", err
		}
		if end := l.end(trials); end != "" {
			return end, nil
		}
		next, err := l.next(ctx, trials)
		if errors.Is(err, sampler.ErrExhausted) {
			return SpaceExhausted, nil
		}
		if err != nil {
			return "", fmt.Errorf("proposing a setting: %w", err)
		}
		if err := l.measure(ctx, next); err != nil {
			return "", err
		}
	}
}

// scored reads all trials back: the store is the loop's only memory.
func (l *Loop) scored(ctx context.Context) ([]Scored, error) {
	trials, err := l.Store.Trials(ctx, l.Study.ID)
	if err != nil {
		return nil, err
	}
	return l.Definition.ScoreAll(trials), nil
}

func (l *Loop) end(trials []Scored) End {
	switch {
	case FinishedTrials(trials) >= l.Budget:
		return BudgetSpent
	case !l.Deadline.IsZero() && !l.Now().Before(l.Deadline):
		return TimeSpent
	case l.UntilStable && l.Definition.Stable(l.Space, l.Study.Seed, trials):
		return GainsLittle
	}
	return ""
}

// FinishedTrials counts the trials that a budget pays for: all but those that are
// still to be measured.
func FinishedTrials(trials []Scored) int {
	finished := 0
	for _, t := range trials {
		if !pending(t) {
			finished++
		}
	}
	return finished
}

// pending says that a trial is still to be measured: it was interrupted, or its
// first measurement was void.
func pending(t Scored) bool {
	return t.State == studies.Interrupted || t.State == studies.Running ||
		t.State == studies.Void && t.Attempts < voidAttempts
}

// stuck looks at the latest trials of this run: what failed in an earlier one
// may have been mended since.
func (l *Loop) stuck(trials []Scored) error {
	inARow, reason := 0, ""
	for _, t := range slices.Backward(trials) {
		switch {
		case pending(t):
			continue
		case t.State != studies.Failed && t.State != studies.Void, t.Started.Before(l.began):
			return nil
		}
		if reason == "" {
			reason = t.Reason
		}
		if inARow++; inARow >= stuckAfter {
			return &StuckError{inARow, reason}
		}
	}
	return nil
}

// baseline sees that trial 0 is measured, where the study has a baseline. One
// that failed before is tried again: the user will have mended something.
func (l *Loop) baseline(ctx context.Context) error {
	if !l.Definition.HasBaseline {
		return nil
	}
	stored, err := l.Store.Trials(ctx, l.Study.ID)
	if err != nil {
		return err
	}
	trials := l.Definition.ScoreAll(stored)
	switch {
	case len(trials) == 0:
	case l.settled(trials[0]):
		return nil
	case stored[0].State == studies.Complete: // without a metric that is now asked for
		return &BaselineError{trials[0].State, trials[0].Reason}
	}
	next := studies.Trial{Number: 0, Origin: "baseline", Setting: l.Definition.Baseline}
	for range voidAttempts {
		if err := l.measure(ctx, next); err != nil {
			return err
		}
		if trials, err = l.scored(ctx); err != nil {
			return err
		}
		if trials[0].State != studies.Void {
			break
		}
	}
	if t := trials[0]; !l.settled(t) {
		return &BaselineError{t.State, t.Reason}
	}
	return nil
}

// settled says that there is nothing more to do about the baseline: it has
// figures, or an external program calls the default values infeasible, which may
// well be the truth in a problem of the user's own.
func (l *Loop) settled(baseline Scored) bool {
	return baseline.Losses != nil || l.Definition.Workload == "external" && baseline.State == studies.Infeasible
}

// next is the trial that was interrupted, or a new one.
func (l *Loop) next(ctx context.Context, trials []Scored) (_ studies.Trial, err error) {
	for _, t := range trials {
		if pending(t) {
			return studies.Trial{Number: t.Number, Origin: t.Origin, Setting: t.Setting}, nil
		}
	}
	request := l.Definition.Request(l.Space, l.Study.Seed, trials)
	if request.Guess, err = l.guess(ctx, trials); err != nil {
		return studies.Trial{}, err
	}
	setting, err := l.Sampler.Propose(request)
	if err != nil {
		return studies.Trial{}, err
	}
	number := 0
	if len(trials) > 0 {
		number = trials[len(trials)-1].Number + 1
	}
	return studies.Trial{Number: number, Origin: sampler.Origin(l.Sampler, request), Setting: setting}, nil
}
