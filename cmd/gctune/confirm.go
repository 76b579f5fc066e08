package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// The comparisons of a confirmation: an interval needs objective.LeastTwins, and
// there are several settings to be measured, so that no single one gets as many
// pairs as a replay that was asked for.
const (
	confirmedSettings = 4
	confirmPairs      = 10
	// confirmShare of --timeout is kept from the search for the confirmation.
	confirmShare = 0.25
)

func confirmFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "confirm", Value: confirmedSettings, Usage: "measure `N` settings of the front again, beside the defaults, when the search is done"},
		&cli.BoolFlag{Name: "no-confirm", Usage: "show the front as the search has left it"},
	}
}

func checkConfirmFlags(c *cli.Context) error {
	switch {
	case c.IsSet("confirm") && c.Bool("no-confirm"):
		return usagef("--confirm and --no-confirm contradict each other")
	case c.Int("confirm") < 1:
		return usagef("--confirm %d: at least 1; --no-confirm skips it", c.Int("confirm"))
	}
	return nil
}

// unconfirmable is why a study's front is not confirmed; "" where it is.
func unconfirmable(c *cli.Context, t *target) string {
	switch {
	case c.Bool("no-confirm"):
		return "--no-confirm was given"
	case t.config.External != nil:
		return "whether an external program repeats what it measures is its own affair; `gctune replay` measures a setting again"
	case !t.definition.HasBaseline:
		return "there is no baseline to measure settings beside"
	}
	return ""
}

// searchTime is how much of --timeout the search has.
func searchTime(c *cli.Context, t *target) time.Duration {
	timeout := c.Duration("timeout")
	if unconfirmable(c, t) == "" {
		timeout -= time.Duration(confirmShare * float64(timeout))
	}
	return timeout
}

// confirmer measures the front again and tells of it.
type confirmer struct {
	out     *progress
	run     *tuner.Confirmation
	began   time.Time
	pairs   int           // measured by this command
	each    time.Duration // a pair is expected to take
	planned int           // comparisons that are still to be made, before the first
	ended   int           // comparisons that have ended since
}

// confirm measures the front again, after a search that began at a time. That the baseline cannot be measured any more
// leaves the front as it is.
func confirm(c *cli.Context, t *target, store *studies.Store, study studies.Study, out *progress, searched time.Time) error {
	if why := unconfirmable(c, t); why != "" {
		out.line("the front is not confirmed: %s", why)
		return nil
	}
	// The search has added what only a running server tells, and a confirmation
	// counts for the circumstances that it is recorded with.
	study, err := store.Study(c.Context, study.Name)
	if err != nil {
		return err
	}
	dir, err := outputDirectory(c.String("store"), study.Name)
	if err != nil {
		return err
	}
	f := &confirmer{out: out, began: time.Now()}
	f.run = &tuner.Confirmation{
		Study: study, Definition: t.definition, Store: store, Workload: t.workload,
		Settings: c.Int("confirm"), MinPairs: objective.LeastTwins, MaxPairs: confirmPairs, Precision: twinPrecision,
		Now:        time.Now,
		OutputPath: func(which string) string { return filepath.Join(dir, "confirm-"+which+".log") },
		Observe:    f.observe,
	}
	if timeout := c.Duration("timeout"); timeout > 0 {
		f.run.Deadline = searched.Add(timeout)
	}
	if err := f.announce(c.Context, store, study); err != nil {
		return err
	}
	err = f.run.Run(c.Context)
	var baseline *tuner.SettingError
	switch {
	case interrupted(c.Context, err):
		return fmt.Errorf("%w: the search is done; the pairs of the confirmation are recorded; to go on: %s", errInterrupted, resumeCommand(c))
	case errors.As(err, &baseline):
		out.line("the front is not confirmed: %v", err)
		return nil
	case err != nil:
		return err
	}
	return f.tellOfTime(c, store)
}

// tellOfTime says that it was the time that has ended the confirmation.
func (f *confirmer) tellOfTime(c *cli.Context, store *studies.Store) error {
	if f.run.Deadline.IsZero() || f.run.Now().Before(f.run.Deadline) {
		return nil
	}
	done, err := f.run.Done(c.Context)
	if err != nil || done {
		return err
	}
	s, err := loadStudy(c.Context, store, f.run.Study.Name)
	if err != nil {
		return err
	}
	f.out.line("the time ran out before the front was measured again to the end; to go on: %s", s.confirmCommand(c, 0))
	return nil
}

// announce says what is to come and how long it takes.
func (f *confirmer) announce(ctx context.Context, store *studies.Store, study studies.Study) error {
	s, err := loadStudy(ctx, store, study.Name)
	if err != nil {
		return err
	}
	var known tuner.Confirmed
	if s.confirmed != nil {
		known = *s.confirmed
	}
	for _, number := range f.run.Candidates(s.trials, known) {
		done := func(r studies.Replay) bool { return r.Trial == number && r.Against == nil && r.Ended && !r.Accident }
		if !slices.ContainsFunc(tuner.ConfirmationsOf(study, s.replays), done) {
			f.planned++
		}
	}
	if f.planned == 0 {
		return nil
	}
	f.each = pairTime(s.trials)
	least := time.Duration(f.planned*f.run.MinPairs) * f.each
	f.out.line("confirmation: %s of the front to be measured again beside the defaults, %d to %d pairs each: about %s to %s, and as long again at most where neighbours have to be told apart (--no-confirm skips it)",
		count(f.planned, "setting"), f.run.MinPairs, f.run.MaxPairs,
		least.Round(time.Second), (least * time.Duration(f.run.MaxPairs) / time.Duration(f.run.MinPairs)).Round(time.Second))
	return nil
}

// pairTime takes a pair to be as long as two trials.
func pairTime(trials []tuner.Scored) time.Duration {
	var lengths []float64
	for _, t := range trials {
		for _, run := range t.Runs {
			lengths = append(lengths, run.Seconds)
		}
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return time.Duration(2 * lengths[len(lengths)/2] * float64(time.Second))
}

func (f *confirmer) observe(e tuner.ConfirmationEvent) {
	subject := fmt.Sprintf("confirmation: trial %d beside %s", e.Trial, besideName(e.Against))
	switch {
	case e.Failure != "":
		f.ended++
		again := ""
		if e.Accident {
			again = "; the next `gctune optimize` tries it again"
		}
		f.out.line("%s could not be measured: %s%s", subject, printable(e.Failure), again)
	case e.Ended:
		f.ended++
		f.out.line("%s: throughput %s, memory %s, %s, intervals of %s each", subject, e.Effect.Throughput, e.Effect.Memory,
			count(len(e.Effect.Pairs), "pair"), percentage(objective.Simultaneous(2*f.run.Settings)))
		for _, warning := range e.Effect.Warnings {
			f.out.line("  warning: %s", warning)
		}
	default:
		f.pairs++
		f.each = time.Since(f.began) / time.Duration(f.pairs)
		text := fmt.Sprintf("%s: pair %d of at most %d", subject, len(e.Effect.Pairs), f.run.MaxPairs)
		if e.Against != nil && len(e.Effect.Pairs) == 1 {
			text += ", as their order on the front is in doubt"
		}
		if left := f.timeLeft(len(e.Effect.Pairs)); left > 0 {
			text += " · at least " + left.String() + " left"
		}
		f.out.line("%s", text)
	}
}

// timeLeft takes the comparisons still planned to need as few pairs as they may.
func (f *confirmer) timeLeft(pairs int) time.Duration {
	comparisons := max(f.planned-f.ended-1, 0)
	left := comparisons*f.run.MinPairs + max(f.run.MinPairs-pairs, 0)
	return (time.Duration(left) * f.each).Round(time.Second)
}

func besideName(against *int) string {
	if against == nil {
		return "the defaults"
	}
	return fmt.Sprintf("trial %d", *against)
}
