package tuner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
)

// ReplayStore is where a confirmation keeps what it measures.
type ReplayStore interface {
	Trials(ctx context.Context, study int64) ([]studies.Trial, error)
	Replays(ctx context.Context, study int64) ([]studies.Replay, error)
	SaveReplay(ctx context.Context, study int64, r studies.Replay) (studies.Replay, error)
	UpdateReplay(ctx context.Context, r studies.Replay) error
}

// Confirmation measures members of a study's front again, each beside the baseline,
// and then neighbours beside each other where their order is in doubt. The store is
// its only memory: it goes on where it was killed.
type Confirmation struct {
	Study      studies.Study
	Definition Definition
	Store      ReplayStore
	Workload   harness.Workload
	// Settings is how many settings of the front are measured again: the named
	// choices first, then the others from the most throughput down. Where one
	// leaves, the next moves up; there are at most as many comparisons beyond.
	Settings int
	// MinPairs, MaxPairs and Precision are those of each comparison.
	MinPairs, MaxPairs int
	Precision          float64
	// Deadline, unless zero, is when no further pair is begun; Now is the clock.
	Deadline time.Time
	Now      func() time.Time
	// OutputPath names the file for the output of "setting" or "baseline".
	OutputPath func(which string) string
	// Observe is told of each pair.
	Observe func(ConfirmationEvent)
}

// ConfirmationEvent is a pair that was measured, or the end of a comparison.
type ConfirmationEvent struct {
	Trial int
	// Against is the trial in the baseline's place, or nil.
	Against *int
	Effect  Effect
	// Failure is why the comparison came to nothing.
	Failure string
	// Accident says that the next run tries it again.
	Accident bool
	Ended    bool
}

// Run measures what is left to be measured. What came to nothing by an accident in an
// earlier run is tried again, and in this one not.
func (c *Confirmation) Run(ctx context.Context) error {
	if err := c.again(ctx); err != nil {
		return err
	}
	for {
		trials, confirmations, err := c.read(ctx)
		if err != nil {
			return err
		}
		next, err := c.next(trials, confirmations)
		if err != nil || next == nil || c.late() {
			return err
		}
		if err := c.compare(ctx, trials, *next); err != nil {
			return err
		}
	}
}

func (c *Confirmation) again(ctx context.Context) error {
	_, confirmations, err := c.read(ctx)
	for i := 0; err == nil && i < len(confirmations); i++ {
		if r := confirmations[i]; r.Accident {
			r.Accident, r.Failure, r.Ended = false, "", false
			err = c.Store.UpdateReplay(ctx, r)
		}
	}
	return err
}

// Done says that there is nothing left to be measured, but for what came to nothing
// by an accident.
func (c *Confirmation) Done(ctx context.Context) (bool, error) {
	trials, confirmations, err := c.read(ctx)
	if err != nil {
		return false, err
	}
	next, err := c.next(trials, confirmations)
	return next == nil, err
}

func (c *Confirmation) late() bool { return !c.Deadline.IsZero() && !c.Now().Before(c.Deadline) }

func (c *Confirmation) read(ctx context.Context) ([]Scored, []studies.Replay, error) {
	trials, err := c.Store.Trials(ctx, c.Study.ID)
	if err != nil {
		return nil, nil, err
	}
	replays, err := c.Store.Replays(ctx, c.Study.ID)
	return c.Definition.ScoreAll(trials), ConfirmationsOf(c.Study, replays), err
}

// next is what to measure next: nil when all is done.
func (c *Confirmation) next(trials []Scored, confirmations []studies.Replay) (*studies.Replay, error) {
	for _, r := range confirmations {
		if !r.Ended {
			return &r, nil
		}
	}
	if len(confirmations) >= 2*c.Settings {
		return nil, nil
	}
	certain, _, err := c.Definition.judgeFront(trials, confirmations, false)
	if err != nil {
		return nil, err
	}
	if next := c.unmeasured(trials, confirmations, certain); next != nil {
		return next, nil
	}
	for _, doubt := range certain.Doubts {
		tried := func(r studies.Replay) bool {
			return r.Against != nil && (Doubt{r.Trial, *r.Against} == doubt || Doubt{*r.Against, r.Trial} == doubt)
		}
		if !slices.ContainsFunc(confirmations, tried) {
			return c.replay(trialNumbered(trials, doubt.More), &doubt.Less), nil
		}
	}
	final, _, err := c.Definition.judgeFront(trials, confirmations, true)
	if err != nil {
		return nil, err
	}
	return c.unmeasured(trials, confirmations, final), nil
}

// unmeasured is the first candidate that nobody has begun to measure again.
func (c *Confirmation) unmeasured(trials []Scored, confirmations []studies.Replay, result Confirmed) *studies.Replay {
	for _, number := range c.Candidates(trials, result) {
		begun := func(r studies.Replay) bool { return r.Trial == number && r.Against == nil }
		if !slices.ContainsFunc(confirmations, begun) {
			return c.replay(trialNumbered(trials, number), nil)
		}
	}
	return nil
}

// Candidates are the settings of the front to be measured again, or that were: at
// most Settings.
func (c *Confirmation) Candidates(trials []Scored, result Confirmed) []int {
	return c.Definition.candidates(trials, result, c.Settings)
}

func trialNumbered(trials []Scored, number int) Scored {
	i := slices.IndexFunc(trials, func(t Scored) bool { return t.Number == number })
	return trials[i]
}

func (c *Confirmation) replay(t Scored, against *int) *studies.Replay {
	return &studies.Replay{
		Trial: t.Number, Setting: t.Setting, Purpose: studies.Confirmation, Against: against, Planned: c.Settings,
		Created: c.Now(), Fingerprint: c.Study.Fingerprint,
	}
}

// compare measures pairs until the comparison is at its end, and keeps each at once.
func (c *Confirmation) compare(ctx context.Context, trials []Scored, r studies.Replay) error {
	baseline := c.Definition.Baseline
	if r.Against != nil {
		baseline = trialNumbered(trials, *r.Against).Setting
	}
	run := &Replay{
		Workload: c.Workload, Objectives: c.Definition.Objectives,
		Setting: r.Setting, Baseline: baseline, Have: r.Pairs,
		MinPairs: c.MinPairs, MaxPairs: c.MaxPairs, Precision: c.Precision,
		Confidence: objective.Simultaneous(2 * c.Settings),
		Deadline:   c.Deadline, Now: c.Now,
		Marker: MarkerPrefix(c.Study) + "confirm-", OutputPath: c.OutputPath,
	}
	run.Observe = func(e Effect) (err error) {
		e.Keep(&r, run.Confidence)
		if r, err = c.save(ctx, r); err != nil {
			return err
		}
		c.Observe(ConfirmationEvent{Trial: r.Trial, Against: r.Against, Effect: e})
		return nil
	}
	effect, err := run.Run(ctx)
	var unmeasured *SettingError
	switch {
	case errors.As(err, &unmeasured) && len(unmeasured.Setting) > 0:
		r.Failure, r.Accident = unmeasured.Reason, unmeasured.Accident
	case err != nil:
		return fmt.Errorf("confirming the front: %w", err)
	}
	if r.Ended = r.Failure != "" || len(effect.Pairs) >= c.MaxPairs || !c.late(); r.Ended {
		if _, err := c.save(ctx, r); err != nil {
			return err
		}
		c.Observe(ConfirmationEvent{Trial: r.Trial, Against: r.Against, Effect: effect, Failure: r.Failure, Accident: r.Accident, Ended: true})
	}
	return nil
}

// save keeps a comparison as far as it has come.
func (c *Confirmation) save(ctx context.Context, r studies.Replay) (studies.Replay, error) {
	if r.ID != 0 {
		return r, c.Store.UpdateReplay(ctx, r)
	}
	return c.Store.SaveReplay(ctx, c.Study.ID, r)
}
