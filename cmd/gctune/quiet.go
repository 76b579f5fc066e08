package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness/machine"
	"github.com/gctune/gctune/harness/process"
	"github.com/gctune/gctune/tuner"
)

// quiet is what a study puts up with of other programs.
func quiet(c config.Contention) tuner.Quiet {
	return tuner.Quiet{
		Limit: float64(c.Limit), Repeats: int(*c.Repeats), Patience: time.Duration(c.Wait), Load: foreignLoad,
	}
}

// loadInterval is long beside the hundredths of a second that the kernel counts in.
const loadInterval = time.Second

// foreignLoad is the share of the machine that other programs, and other machines
// on the same hardware, take for a second.
func foreignLoad(ctx context.Context) (float64, error) {
	var r machine.Reader
	own := process.OwnCPU()
	before, err := r.Now(nil, "")
	if err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-time.After(loadInterval):
	}
	after, err := r.Now(nil, "")
	if err != nil {
		return 0, err
	}
	found := machine.Contention(before, after, process.OwnCPU()-own)
	return found[machine.OtherCPU] + found[machine.Steal], nil
}

// contendedTrials says which trials were measured beside other programs.
func contendedTrials(trials []tuner.Scored) string {
	var numbers []string
	for _, t := range trials {
		if t.Metrics["contended"] > 0 {
			numbers = append(numbers, strconv.Itoa(t.Number))
		}
	}
	if len(numbers) == 0 {
		return ""
	}
	return fmt.Sprintf("%s measured while other programs took much of the machine: %s", count(len(numbers), "trial"), strings.Join(numbers, ", "))
}
