package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:  "replay",
		Usage: "measure a setting again, paired with the defaults, and say what it does",
		Description: `Two servers, one with the setting and one with the defaults, are alive at the
same time and answer single requests in turn, so that what disturbs one disturbs
the other; programs that run to an end take turns, and so do servers where there is
not memory enough for two. Pairs are repeated until the intervals are narrow enough
or the pairs or the time are spent. The verdict on each objective is better, worse,
or no significant difference; both intervals together hold with 95 %. A replay of a
study keeps each pair: after an interrupt the same command goes on.

Examples:
   gctune replay --best knee
   gctune replay --trial 17 --precision 1 --timeout 15m
   gctune replay --setting RUBY_GC_HEAP_INIT_SLOTS=600000
   gctune replay --env-file production.env --format json`,
		Flags: append(append(selectionFlags(), ownSettingFlags()...),
			&cli.IntFlag{Name: "pairs", DefaultText: fmt.Sprintf("%d to %d, until the effect is known well enough", objective.LeastTwins, maxPairs), Usage: "measure exactly `N` pairs"},
			&cli.Float64Flag{Name: "precision", Value: 100 * twinPrecision, Usage: "end when half of either interval's width is at most `N` per cent"},
			&cli.DurationFlag{Name: "timeout", DefaultText: "none", Usage: "begin no further pair after `DURATION`"},
			changesFlag("replay although interpreter, application or machine have changed since the study"),
			&cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` of the result: table or json"},
		),
		Action: replay,
	}
}

// A replay goes on until half the width of its intervals is twinPrecision, or to
// maxPairs, beyond which a pair narrows the interval by less than 3 %.
const (
	maxPairs      = 20
	twinPrecision = 0.02
)

func replay(c *cli.Context) error {
	if err := checkReplayFlags(c); err != nil {
		return err
	}
	cfg, err := readConfig(c)
	if err != nil {
		return err
	}
	chosen, study, err := chooseForReplay(c, string(cfg.Study))
	if err != nil {
		return err
	}
	t, err := newTarget(c.Context, cfg, chosen.setting, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer t.close()
	if !t.definition.HasBaseline {
		return usagef("there is no baseline to compare with: give each of search.parameters a default")
	}
	if err := sameCircumstances(c, study, t); err != nil {
		return err
	}
	if chosen.trial == 0 && len(chosen.setting) == len(t.definition.Baseline) {
		return usagef("what was chosen (%s) is trial 0, the baseline itself: choose another setting with --trial N or another --best", chosen.why)
	}
	kept, release, err := claimForReplay(c, study)
	if err != nil {
		return err
	}
	defer release()
	kept.replay = studies.Replay{Trial: chosen.trial, Setting: chosen.setting, Created: time.Now(), Fingerprint: t.fingerprint()}
	err = measureReplay(c, t, study, chosen, kept)
	if interrupted(c.Context, err) {
		return fmt.Errorf("%w: %s", errInterrupted, kept.fate())
	}
	if err != nil {
		return err
	}
	return printReplay(c, t, chosen, kept.replay)
}

func checkReplayFlags(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if c.IsSet("pairs") && c.Int("pairs") < 2 {
		return usagef("--pairs %d: an interval needs at least 2", c.Int("pairs"))
	}
	if precision := c.Float64("precision"); !(precision > 0) || math.IsInf(precision, 1) {
		return usagef("--precision %v: it must be a positive number of per cent", precision)
	}
	if c.IsSet("precision") && c.IsSet("pairs") {
		return usagef("--pairs measures exactly so many, whatever their precision: leave --precision out")
	}
	if c.Duration("timeout") < 0 {
		return usagef("--timeout %s: it must be positive", c.Duration("timeout"))
	}
	return oneOf("--format", c.String("format"), "table", "json")
}

// chooseForReplay finds the setting, and the study if there is one: a setting
// given by hand can be measured without.
func chooseForReplay(c *cli.Context, name string) (selection, *storedStudy, error) {
	way, err := onlyOne(c, "trial", "best", "max-memory", "setting", "env-file")
	if err != nil {
		return selection{}, nil, err
	}
	byHand := way == "setting" || way == "env-file"
	study, err := readStudyNamed(c, name)
	if err != nil && !(byHand && errors.Is(err, studies.ErrNotFound)) {
		return selection{}, nil, err
	}
	if byHand {
		chosen, err := givenSetting(c, way)
		return chosen, study, err
	}
	chosen, err := study.fromStudy(c, way)
	return chosen, study, err
}

func sameCircumstances(c *cli.Context, study *storedStudy, t *target) error {
	if study == nil || c.Bool("anyway") {
		return nil
	}
	if differ := differences(study.Fingerprint, t.fingerprint()); len(differ) > 0 {
		return otherCircumstances(study.Name, differ, "Replay")
	}
	return nil
}

// measureReplay goes on with a replay that was interrupted, or begins one.
func measureReplay(c *cli.Context, t *target, study *storedStudy, chosen selection, kept *record) error {
	dir, err := outputDirectory(c.String("store"), string(t.config.Study))
	if err != nil {
		return err
	}
	marker, err := replayMarker(c, study)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "replaying %s (%s)\n", formatSetting(chosen.setting), chosen.why)
	if err := kept.goOn(c); err != nil {
		return err
	}
	workload := t.workload
	if study != nil {
		w := &witness{study: study.Name, before: study.Fingerprint, anyway: c.Bool("anyway"), instead: "Replay"}
		workload = w.witnessed(workload)
	}
	r := &tuner.Replay{
		Workload:   workload,
		Objectives: t.definition.Objectives,
		Setting:    chosen.setting,
		Baseline:   t.definition.Baseline,
		Have:       kept.replay.Pairs,
		MinPairs:   objective.LeastTwins,
		MaxPairs:   maxPairs,
		Precision:  c.Float64("precision") / 100,
		Confidence: replayConfidence,
		Now:        time.Now,
		Marker:     marker,
		OutputPath: func(which string) string { return filepath.Join(dir, "replay-"+which+".log") },
	}
	if pairs := c.Int("pairs"); pairs > 0 {
		r.MinPairs, r.MaxPairs = pairs, pairs
	}
	if timeout := c.Duration("timeout"); timeout > 0 {
		r.Deadline = time.Now().Add(timeout)
	}
	announceReplay(c, study, r)
	pairs := pairTeller{out: c.App.ErrWriter, most: r.MaxPairs, had: len(r.Have), began: r.Now(), now: r.Now}
	r.Observe = func(e tuner.Effect) error {
		return errors.Join(kept.keep(c.Context, e, false, t.fingerprint()), pairs.tell(e))
	}
	effect, err := r.Run(c.Context)
	if err != nil {
		return err
	}
	return kept.keep(c.Context, effect, true, t.fingerprint())
}

// claimForReplay makes this process the only one that measures for the study, and ends
// what an earlier one left running. The record is the study's.
func claimForReplay(c *cli.Context, study *storedStudy) (kept *record, release func(), err error) {
	if study == nil {
		return &record{}, func() {}, nil
	}
	store, err := studies.Open(c.Context, c.String("store"))
	if err != nil {
		return nil, nil, err
	}
	claim, err := claimStudy(c, store, study.Study)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return &record{store: store, study: study.ID}, func() {
		_ = claim.Release(context.WithoutCancel(c.Context)) // a claim of the dead is void anyway
		_ = store.Close()
	}, nil
}

// replayMarker begins the markers of a replay's processes, so that the next
// command on the study finds what a killed one left.
func replayMarker(c *cli.Context, study *storedStudy) (string, error) {
	if study == nil {
		return sweepOnce(c)
	}
	marker := tuner.MarkerPrefix(study.Study) + "replay-"
	onSecondInterruptKill(c.Context, marker)
	return marker, nil
}

// replayConfidence is that of each of the two intervals, which hold together with
// 95 %: a replay makes one claim about two objectives.
var replayConfidence = objective.Simultaneous(2)

// announceReplay says how long it may take, by the trials of the study.
func announceReplay(c *cli.Context, study *storedStudy, r *tuner.Replay) {
	if study == nil || pairTime(study.trials) == 0 {
		return
	}
	each := pairTime(study.trials)
	least, most := max(r.MinPairs-len(r.Have), 0), max(r.MaxPairs-len(r.Have), 0)
	text := "about " + (time.Duration(most) * each).Round(time.Second).String()
	if least < most {
		text = fmt.Sprintf("about %s to %s", (time.Duration(least) * each).Round(time.Second), (time.Duration(most) * each).Round(time.Second))
	}
	fmt.Fprintf(c.App.ErrWriter, "%s, %s by the trials of the study\n", pairsText(r.MinPairs, r.MaxPairs), text)
}

func pairsText(least, most int) string {
	if least == most {
		return count(most, "pair")
	}
	return fmt.Sprintf("%d to %s", least, count(most, "pair"))
}

// pairTeller tells of each pair of a replay, and of the time that is left.
type pairTeller struct {
	out       io.Writer
	most, had int // pairs at most, and those of an interrupted replay
	began     time.Time
	now       func() time.Time
}

func (p pairTeller) tell(e tuner.Effect) error {
	done := len(e.Pairs)
	text := fmt.Sprintf("pair %d of at most %d", done, p.most)
	if done > 1 {
		text += fmt.Sprintf(": throughput %s, memory %s", e.Throughput, e.Memory)
	}
	if measured := done - p.had; measured > 0 && done < p.most {
		each := p.now().Sub(p.began) / time.Duration(measured)
		text += " · at most " + (each * time.Duration(p.most-done)).Round(time.Second).String() + " left"
	}
	_, err := fmt.Fprintln(p.out, text)
	return err
}

func interval(r studies.Ratio) objective.Interval {
	return objective.Interval{Estimate: r.Estimate, Low: r.Low, High: r.High}
}

func printReplay(c *cli.Context, t *target, chosen selection, r studies.Replay) error {
	verdict := verdictJSON{objective.Verdict(r.ThroughputVerdict), objective.Verdict(r.MemoryVerdict)}
	if c.String("format") == "json" {
		return writeJSON(c.App.Writer, replayJSON{
			Setting:    chosen.setting,
			Throughput: interval(r.Throughput),
			Memory:     interval(r.Memory),
			Verdict:    verdict,
			Pairs:      len(r.Pairs),
			Confidence: r.Confidence,
			Warnings:   append([]string{}, r.Warnings...),
		})
	}
	o := t.definition.Objectives
	fmt.Fprintf(c.App.Writer, "setting     %s\n", formatSetting(chosen.setting))
	fmt.Fprintf(c.App.Writer, "throughput  %s: %s (%s)\n", interval(r.Throughput), words(verdict.Throughput), o.Throughput)
	fmt.Fprintf(c.App.Writer, "memory      %s: %s (%s)\n", interval(r.Memory), words(verdict.Memory), o.Memory)
	fmt.Fprintf(c.App.Writer, "against the defaults, %d pairs; both intervals together hold with 95 %%\n", len(r.Pairs))
	for _, warning := range r.Warnings {
		fmt.Fprintf(c.App.Writer, "warning: %s\n", warning)
	}
	return nil
}

func words(v objective.Verdict) string {
	if v == objective.None {
		return "no significant difference"
	}
	return string(v)
}
