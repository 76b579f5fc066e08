package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
)

// checkLengths refuses --lengths where there is nothing that could be adaptive.
func checkLengths(c *cli.Context, t *target) error {
	if c.String("lengths") != config.Adaptive {
		return nil
	}
	switch l := t.config.Load; {
	case l == nil:
		return usagef("--lengths adaptive: only trials of servers have a length that gctune can choose")
	case !l.CanAdapt():
		return usagef("--lengths adaptive: lengths cannot be adaptive beside load.rate, or a load.measure that is not auto")
	}
	return nil
}

// lengths are those that are asked for, or that the study was begun with, as figures
// of different ones are not to be compared: memory is read over other work. Nil are
// fixed ones.
func (t *target) lengths(c *cli.Context, store *studies.Store, study studies.Study) (*harness.Lengths, error) {
	l := t.config.Load
	if l == nil {
		return nil, nil
	}
	trials, err := store.Trials(c.Context, study.ID)
	if err != nil {
		return nil, err
	}
	asked := cmp.Or(c.String("lengths"), string(l.Lengths))
	if baseline, measured := t.definition.BaselineOf(t.definition.ScoreAll(trials)); measured {
		begun := config.Fixed
		if baseline.Adaptive() {
			begun = config.Adaptive
		}
		if asked != "" && asked != begun {
			return nil, usagef("study %s was begun with %s lengths, and trials with %s ones could not be compared with it: ask for %s, or begin another with --study NAME", study.Name, begun, asked, begun)
		}
		asked = begun
	}
	if asked != config.Adaptive {
		return nil, nil
	}
	return &harness.Lengths{Least: int(l.Least), Most: int(l.Most), Error: float64(l.Error)}, nil
}
