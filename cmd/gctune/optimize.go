package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/sampler"
)

// baselineEvery so many trials the baseline is measured again, which shows drift
// and how much two runs of one setting differ.
const baselineEvery = 12

func optimizeCommand() *cli.Command {
	return &cli.Command{
		Name:  "optimize",
		Usage: "measure setting after setting, and record each",
		Description: `Trial 0 measures the defaults. The next ones are those that a model of the collector
expects most of, by what it saw in trial 0, or where there is none settings in public
use; then come settings that the sampler proposes. A study that exists is continued
until the budget is reached. Then settings of the front are measured again, each side
by side with the defaults: what does not hold leaves the front. An interrupt (Ctrl-C)
stops cleanly; the same command goes on later.

Examples:
   gctune optimize --budget 50
   gctune optimize --budget 30 --max-memory 512MB --timeout 20m
   gctune optimize --budget 100 --until-stable
   gctune optimize --budget 20 --seed 7 --format json | jq .throughput`,
		Flags: append(confirmFlags(),
			&cli.IntFlag{Name: "budget", Value: 50, Usage: "finish when the study has `N` trials, earlier ones included"},
			&cli.StringFlag{Name: "sampler", Value: "model", DefaultText: "model, or what the study has", Usage: "propose by `NAME`: " + strings.Join(sampler.Names(), ", ")},
			&cli.Uint64Flag{Name: "seed", DefaultText: "a random one, kept with the study", Usage: "propose the same settings for the same `NUMBER`"},
			&cli.BoolFlag{Name: "until-stable", Usage: "finish earlier when more trials are expected to gain little"},
			foresightFlag(),
			&cli.StringFlag{Name: "lengths", DefaultText: "load.lengths, or what the study has, or fixed", Usage: "`LENGTHS` of a server's trials: fixed, or adaptive, which ends each when its figures are known well enough"},
			&cli.DurationFlag{Name: "timeout", DefaultText: "none", Usage: "begin nothing further after `DURATION`, of which the search has three quarters and the confirmation the rest"},
			&cli.StringFlag{Name: "max-memory", Usage: "count no setting as usable that takes more than `SIZE`, such as 512MB"},
			changesFlag("continue a study although interpreter, application or machine have changed"),
			&cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` of the results: table, or json for one object a trial as it finishes"},
		),
		Action: optimize,
	}
}

func optimize(c *cli.Context) error {
	if err := checkOptimizeFlags(c); err != nil {
		return err
	}
	cfg, err := readConfig(c)
	if err != nil {
		return err
	}
	if err := addMemoryLimit(cfg, c.String("max-memory")); err != nil {
		return err
	}
	t, err := newTarget(c.Context, cfg, nil, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer t.close()
	if err := checkSearch(c, t); err != nil {
		return err
	}
	store, err := studies.Open(c.Context, c.String("store"))
	if err != nil {
		return err
	}
	defer store.Close()
	study, claim, err := openStudy(c, store, t)
	if err != nil {
		return err
	}
	defer claim.Release(context.WithoutCancel(c.Context))
	chosen, err := sampler.New(study.Sampler, t.definition.Public)
	if err != nil {
		return fmt.Errorf("study %s: %w: name another with --sampler", study.Name, err)
	}
	out := newProgress(c, t, study)
	t.tell = func(text string) { out.line("%s", text) }
	began := time.Now()
	end, err := runLoop(c, t, store, study, chosen, out)
	out.close()
	if interrupted(c.Context, err) {
		return fmt.Errorf("%w: %d trials are recorded; to go on: %s", errInterrupted, out.finished, resumeCommand(c))
	}
	if err != nil {
		return err
	}
	if err := confirm(c, t, store, study, out, began); err != nil {
		return err
	}
	return conclude(c, store, study, out, end)
}

func checkOptimizeFlags(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if c.Int("budget") < 1 {
		return usagef("--budget %d: at least 1 trial is needed, the baseline", c.Int("budget"))
	}
	if c.Duration("timeout") < 0 {
		return usagef("--timeout %s: it must be positive", c.Duration("timeout"))
	}
	if err := checkConfirmFlags(c); err != nil {
		return err
	}
	if c.IsSet("lengths") {
		if err := oneOf("--lengths", c.String("lengths"), config.Fixed, config.Adaptive); err != nil {
			return err
		}
	}
	return oneOf("--format", c.String("format"), "table", "json")
}

// checkSearch refuses a search that cannot be made of the target.
func checkSearch(c *cli.Context, t *target) error {
	if _, err := sampler.New(c.String("sampler"), nil); err != nil {
		return usagef("--sampler: %v", err)
	}
	if c.Bool("until-stable") && !t.canSettle() {
		return usagef("--until-stable: without a baseline, and without limits on throughput and memory, nobody knows how much there is to gain: give every parameter a default, or constrain both")
	}
	return checkLengths(c, t)
}

// addMemoryLimit makes --max-memory one of the constraints.
func addMemoryLimit(cfg *config.Config, size string) error {
	if size == "" {
		return nil
	}
	constraint, err := objective.ParseConstraint("memory <= " + size)
	if err != nil || constraint.Value <= 0 {
		return usagef("--max-memory: %q is not a size such as 512MB or 512MiB", size)
	}
	cfg.Constraints = append(cfg.Constraints, constraint)
	return nil
}

// openStudy creates the study or continues it, after making sure that it is
// still the same, that nobody else works on it, and that nothing is left running.
func openStudy(c *cli.Context, store *studies.Store, t *target) (studies.Study, *studies.Claim, error) {
	ctx, name := c.Context, string(t.config.Study)
	study, err := store.Study(ctx, name)
	if errors.Is(err, studies.ErrNotFound) {
		study, err = createStudy(c, store, t)
	}
	if err != nil {
		return studies.Study{}, nil, err
	}
	claim, err := claimStudy(c, store, study)
	if err != nil {
		return studies.Study{}, nil, err
	}
	study, err = resume(c, store, study, t)
	if err != nil {
		return studies.Study{}, nil, errors.Join(err, claim.Release(context.WithoutCancel(ctx)))
	}
	return study, claim, nil
}

// claimStudy makes this process the only one that works on a study, and ends
// what a killed one has left running.
func claimStudy(c *cli.Context, store *studies.Store, study studies.Study) (*studies.Claim, error) {
	owner, err := self()
	if err != nil {
		return nil, err
	}
	claim, err := store.Claim(c.Context, study.Name, owner, ownerAlive)
	if err != nil {
		return nil, err
	}
	if err := sweep(c, study); err != nil {
		return nil, errors.Join(err, claim.Release(context.WithoutCancel(c.Context)))
	}
	return claim, nil
}

// resume readies a study that is now ours.
func resume(c *cli.Context, store *studies.Store, study studies.Study, t *target) (studies.Study, error) {
	trials, err := store.Trials(c.Context, study.ID)
	if err != nil {
		return study, err
	}
	measured := slices.ContainsFunc(trials, func(t studies.Trial) bool { return t.State == studies.Complete })
	if err := continuable(c, &study, measured, t); err != nil {
		return study, err
	}
	sampler := "" // as before
	if c.IsSet("sampler") {
		sampler = c.String("sampler")
	}
	return updateStudy(c.Context, store, study, t, sampler)
}

func createStudy(c *cli.Context, store *studies.Store, t *target) (studies.Study, error) {
	seed := c.Uint64("seed")
	if !c.IsSet("seed") {
		seed = rand.Uint64()
	}
	definition, err := json.Marshal(t.definition)
	if err != nil {
		return studies.Study{}, fmt.Errorf("encoding the study: %w", err)
	}
	return store.CreateStudy(c.Context, studies.Study{
		Name:        string(t.config.Study),
		Created:     time.Now(),
		Seed:        seed,
		Sampler:     c.String("sampler"),
		Config:      t.config.Text,
		Definition:  definition,
		Fingerprint: t.fingerprint(),
	})
}

// updateStudy stores what may change during a study: objectives and constraints
// are applied to the metrics kept, also to those of earlier trials.
func updateStudy(ctx context.Context, store *studies.Store, study studies.Study, t *target, sampler string) (studies.Study, error) {
	definition, err := json.Marshal(t.definition)
	if err != nil {
		return study, fmt.Errorf("encoding the study: %w", err)
	}
	study.Definition, study.Config = definition, t.config.Text
	if sampler != "" {
		study.Sampler = sampler
	}
	return study, store.UpdateStudy(ctx, study)
}

func runLoop(c *cli.Context, t *target, store *studies.Store, study studies.Study, s sampler.Sampler, out *progress) (tuner.End, error) {
	dir, err := outputDirectory(c.String("store"), study.Name)
	if err != nil {
		return "", err
	}
	lengths, err := t.lengths(c, store, study)
	if err != nil {
		return "", err
	}
	w := &witness{
		study: study.Name, before: study.Fingerprint, anyway: c.Bool("anyway"), keep: keepFacts(c.Context, store, study),
		instead: "The trial is measured when that is as before; or begin another with --study NAME, or continue",
	}
	loop := &tuner.Loop{
		Study:       study,
		Definition:  t.definition,
		Space:       t.space,
		Sampler:     s,
		Store:       store,
		Workload:    w.witnessed(t.workload),
		Budget:      c.Int("budget"),
		UntilStable: c.Bool("until-stable"),
		Lengths:     lengths,
		Foresee:     foresees(c, t, study),
		OutputPath: func(number int) string {
			_ = os.MkdirAll(dir, 0o755) // somebody may have cleared up; a failure shows when the file is made
			return filepath.Join(dir, fmt.Sprintf("trial-%04d.log", number))
		},
		Observe: out.observe,
		Now:     time.Now,
	}
	if t.config.External == nil { // what an external program measures is its own affair
		loop.RepeatBaseline = baselineEvery
		loop.Quiet = quiet(t.config.Contention)
	}
	if timeout := searchTime(c, t); timeout > 0 {
		loop.Deadline = time.Now().Add(timeout)
	}
	return loop.Run(c.Context)
}
