package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/process"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// sweep ends what a gctune that was itself killed has left running of a study.
// The study must be claimed: what a living one runs would be ended, too.
func sweep(c *cli.Context, study studies.Study) error {
	prefix := tuner.MarkerPrefix(study)
	onSecondInterruptKill(c.Context, prefix)
	left, err := process.Sweep(prefix)
	if err := tellSwept(c, left, err); err != nil {
		return err
	}
	_, err = sweepAbandoned(c)
	return err
}

// sweepOnce ends what killed commands have left running outside of any study, and
// returns the marker for what this one starts.
func sweepOnce(c *cli.Context) (string, error) {
	marker, err := sweepAbandoned(c)
	if err == nil {
		onSecondInterruptKill(c.Context, marker)
	}
	return marker, err
}

func sweepAbandoned(c *cli.Context) (string, error) {
	left, err := process.SweepOnce()
	if err := tellSwept(c, left, err); err != nil {
		return "", err
	}
	harness.SweepScratch()
	return process.OnceMarker()
}

func tellSwept(c *cli.Context, left []process.Process, err error) error {
	return tellLeft(c.App.ErrWriter, left, err)
}

func tellLeft(tell io.Writer, left []process.Process, err error) error {
	for _, p := range left {
		fmt.Fprintf(tell, "gctune: ended process %s, left over from an earlier run\n", printable(p.String()))
	}
	if err != nil {
		return fmt.Errorf("ending what an earlier run left: %w", err)
	}
	return nil
}

// self identifies this process to the store.
func self() (studies.Owner, error) {
	own, err := process.Self()
	if err != nil {
		return studies.Owner{}, fmt.Errorf("identifying this process: %w", err)
	}
	return studies.Owner{PID: own.PID, StartTicks: own.StartTicks, BootID: own.BootID, Host: hostname()}, nil
}

func ownerAlive(o studies.Owner) bool {
	return process.OwnerAlive(process.Owner{PID: o.PID, StartTicks: o.StartTicks, BootID: o.BootID})
}
