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
	"github.com/gctune/gctune/tuner/pareto"
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
	if c.Bool("no-confirm") {
		s.confirmed = nil
	}
	out.line("study %s ended: %s (%s)", study.Name, end, count(tuner.FinishedTrials(s.trials), "trial"))
	out.lengths(s.trials)
	if end == tuner.GainsLittle {
		out.line("%s", s.whyStable(c))
	}
	if len(s.front()) == 0 {
		return errors.New("no trial is usable: " + lastReason(s.trials))
	}
	if out.json {
		return nil
	}
	if err := printPareto(c, s); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "\n%s\n", s.nextStep(c))
	return err
}

// nextStep suggests to replay a choice that is not the baseline.
func (s *storedStudy) nextStep(c *cli.Context) string {
	for _, name := range []string{pareto.KneePoint, pareto.Lossless, pareto.Throughput, pareto.Memory} {
		for _, choice := range s.choices() {
			if choice.Name == name && len(trialOf(s.trials, choice.Point.ID).Setting) > 0 && choice.Point.ID != 0 {
				if s.member(choice.Point.ID) != nil {
					return fmt.Sprintf("next: gctune export --best %s%s", name, sharedFlags(c))
				}
				return fmt.Sprintf("next: gctune replay --best %s%s", name, sharedFlags(c))
			}
		}
	}
	if s.confirmed != nil && len(s.confirmed.Waiting) > 0 {
		return fmt.Sprintf("nothing that was measured again has beaten the defaults; the rest of the search's front is still to be: %s", s.confirmRest(c))
	}
	return "nothing has beaten the defaults so far: a larger --budget searches on"
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
	for _, flag := range []string{"config", "store", "study", "budget", "sampler", "timeout", "max-memory", "confirm", "lengths", "format"} {
		if c.IsSet(flag) {
			command = append(command, "--"+flag, fmt.Sprint(c.Value(flag)))
		}
	}
	for _, flag := range []string{"until-stable", noForesight, "no-confirm", "anyway"} {
		if c.Bool(flag) {
			command = append(command, "--"+flag)
		}
	}
	return shellescape.QuoteCommand(command)
}

// searchFlags are sharedFlags, and what a study does not keep of how it is searched.
func searchFlags(c *cli.Context) string {
	if c.Bool(noForesight) {
		return sharedFlags(c) + " --" + noForesight
	}
	return sharedFlags(c)
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
