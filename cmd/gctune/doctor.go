package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/tuner/space"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "check each link from the configuration to a figure, and measure the noise",
		Description: `Starts the target with its defaults and again with a setting, checks that values
are taken, pages answer and the program stops cleanly, looks at the machine, and
says how small an effect can be seen. That follows from how much equal runs differ,
which the study knows that has replays or repeated baselines; otherwise a few pairs
of equal runs are measured, and how long they take is said before.

Examples:
   gctune doctor
   gctune doctor --budget 40      # how small an effect can 40 pairs show?
   gctune doctor --pairs 0        # measure no noise`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "pairs", Value: nullPairs, DefaultText: fmt.Sprintf("%d, or 0 where the study knows the noise", nullPairs), Usage: "measure the noise by `N` pairs of equal runs; 0 skips it"},
			&cli.IntFlag{Name: "budget", Value: maxPairs, Usage: "say how small an effect `N` pairs of a replay can show"},
			&cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` of the result: table or json"},
		},
		Action: doctor,
	}
}

// errUnhealthy says that doctor found a broken link; what it was is printed.
var errUnhealthy = errors.New("something is broken: mend what is marked FAIL and run `gctune doctor` again")

// diagnosis collects what doctor finds.
type diagnosis struct {
	c      *cli.Context
	broken bool
	// trialSeconds is what a run of the defaults has taken.
	trialSeconds float64
}

type checkJSON struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

// say prints a finding at once: some take a while.
func (d *diagnosis) say(state, check, format string, args ...any) error {
	d.broken = d.broken || state == "FAIL"
	detail := fmt.Sprintf(format, args...)
	if d.c.String("format") == "json" {
		return writeJSON(d.c.App.Writer, checkJSON{check, state, detail})
	}
	_, err := fmt.Fprintf(d.c.App.Writer, "%-4s  %-14s  %s\n", state, check, detail)
	return err
}

func doctor(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if c.Int("pairs") < 0 || c.Int("pairs") == 1 {
		return usagef("--pairs %d: noise needs at least 2 pairs; 0 skips it", c.Int("pairs"))
	}
	if c.Int("budget") < objective.LeastTwins {
		return usagef("--budget %d: a replay measures at least %d pairs", c.Int("budget"), objective.LeastTwins)
	}
	if err := oneOf("--format", c.String("format"), "table", "json"); err != nil {
		return err
	}
	cfg, err := readConfig(c)
	if err != nil {
		return err
	}
	t, err := newTarget(c.Context, cfg, nil, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer t.close()
	d := &diagnosis{c: c}
	for _, look := range []func(*target) error{d.interpreter, d.machine, d.baseline, d.setting, d.noise} {
		if d.broken {
			break
		}
		if err := look(t); err != nil {
			return err
		}
	}
	if d.broken {
		return errUnhealthy
	}
	return nil
}

func (d *diagnosis) interpreter(t *target) error {
	if !usesRuby(t.config) {
		return d.say("ok", "program", "%s can be started; searched: %s", t.config.External.Command[0], count(t.space.Dim(), "parameter"))
	}
	if len(t.scrubbed) > 0 {
		if err := d.say("warn", "environment", "this shell sets %v: not passed on to what is measured", t.scrubbed); err != nil {
			return err
		}
	}
	return d.say("ok", "interpreter", "%s; searched: %s", t.support.Interpreter.Description, count(t.space.Dim(), "parameter"))
}

// baseline starts the target as it is.
func (d *diagnosis) baseline(t *target) error {
	result, err := d.run(t, t.definition.Baseline)
	if err != nil {
		return err
	}
	if result.State != harness.Complete {
		return d.say("FAIL", "target", "%s", result.Reason)
	}
	for _, warning := range result.Warnings {
		if err := d.say("warn", "target", "%s", warning); err != nil {
			return err
		}
	}
	d.trialSeconds = result.Seconds
	o := t.definition.Objectives
	if _, err := o.Losses(result.Metrics); err != nil {
		return d.say("FAIL", "metrics", "%v", err)
	}
	if share, ok := result.Metrics[shareMetric]; ok {
		if err := d.say("ok", "collector", "%.1f %% of the CPU time is spent in garbage collection: that is about all that settings can save", 100*share); err != nil {
			return err
		}
	}
	return d.say("ok", "target", "starts, answers and stops; %s, %s; a trial takes %s",
		formatMetric(o.Throughput, result.Metrics[o.Throughput]), formatMetric(o.Memory, result.Metrics[o.Memory]),
		(time.Duration(result.Seconds * float64(time.Second))).Round(100*time.Millisecond))
}

// setting starts it with a setting, which has to arrive.
func (d *diagnosis) setting(t *target) error {
	middle := make([]float64, t.space.Dim())
	for i := range middle {
		middle[i] = 0.5
	}
	setting := t.space.Decode(middle)
	result, err := d.run(t, setting)
	if err != nil {
		return err
	}
	if result.State != harness.Complete {
		return d.say("FAIL", "setting", "%s: %s", setting.Key(), result.Reason)
	}
	if t.config.External != nil {
		return d.say("ok", "setting", "the program gave figures with %d values set", len(setting))
	}
	return d.say("ok", "setting", "%d values are taken by the interpreter and seen in each of its processes", len(setting))
}

func (d *diagnosis) run(t *target, setting space.Setting) (harness.Result, error) {
	dir, err := outputDirectory(d.c.String("store"), string(t.config.Study))
	if err != nil {
		return harness.Result{}, err
	}
	marker, err := sweepOnce(d.c)
	if err != nil {
		return harness.Result{}, err
	}
	result, err := t.workload.Run(d.c.Context, harness.Trial{Setting: setting, Marker: marker, OutputPath: filepath.Join(dir, "doctor.log")})
	if interrupted(d.c.Context, err) {
		return result, context.Cause(d.c.Context)
	}
	return result, err
}
