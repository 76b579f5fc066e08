package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// conclude shows what a study came to, and what to do next.
func conclude(c *cli.Context, store *studies.Store, study studies.Study, out *progress, end tuner.End) error {
	if out.failure != nil {
		return out.failure
	}
	s, err := loadStudy(c.Context, store, study.Name)
	if err != nil {
		return err
	}
	out.line("study %s ended: %s (%s)", study.Name, end, count(finishedTrials(s.trials), "trial"))
	if len(s.front()) == 0 {
		return errors.New("no trial is usable: " + lastReason(s.trials))
	}
	if out.json {
		return nil
	}
	if err := printPareto(c, s); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "\nnext: gctune replay --best knee%s\n", sharedFlags(c))
	return nil
}

func lastReason(trials []tuner.Scored) string {
	for i := len(trials) - 1; i >= 0; i-- {
		if trials[i].Reason != "" {
			return fmt.Sprintf("trial %d: %s", trials[i].Number, trials[i].Reason)
		}
	}
	return "nothing was measured"
}

// resumeCommand is the command line that goes on with a study.
func resumeCommand(c *cli.Context) string {
	command := []string{os.Args[0], "optimize"}
	for _, flag := range []string{"config", "store", "study", "budget", "sampler", "timeout", "max-memory", "format"} {
		if c.IsSet(flag) {
			command = append(command, "--"+flag, fmt.Sprint(c.Value(flag)))
		}
	}
	if c.Bool("allow-changes") {
		command = append(command, "--allow-changes")
	}
	return shellescape.QuoteCommand(command)
}

// sharedFlags repeats those common flags that were given, for the next command.
func sharedFlags(c *cli.Context) string {
	var flags strings.Builder
	for _, flag := range []string{"config", "store", "study"} {
		if c.IsSet(flag) {
			flags.WriteString(" --" + flag + " " + shellescape.Quote(c.String(flag)))
		}
	}
	return flags.String()
}
