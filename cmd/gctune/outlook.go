package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/sampler"
)

// outlook is false where what more trials promise is not known.
func (s *storedStudy) outlook() (tuner.Outlook, bool, error) {
	if s.definition.Reference(s.trials) == nil {
		return tuner.Outlook{}, false, nil
	}
	searched, err := s.space()
	if err != nil {
		return tuner.Outlook{}, false, err
	}
	outlook, known := s.definition.Outlook(searched, s.Seed, s.trials)
	return outlook, known, nil
}

// printOutlook says how much more trials would gain, where there is a reference
// point to measure it by.
func (s *storedStudy) printOutlook(w io.Writer) error {
	if s.definition.Reference(s.trials) == nil {
		return nil
	}
	outlook, known, err := s.outlook()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "outlook     "+outlookText(outlook, known, len(tuner.Points(s.trials))))
	return err
}

// outlookText says what more trials promise, after so many usable ones.
func outlookText(o tuner.Outlook, known bool, usable int) string {
	switch {
	case !known && usable < sampler.GainTrials:
		return "not known yet: there are too few trials to tell what more of them would gain"
	case !known:
		return fmt.Sprintf("not known: the models believe none of %s to be better than the defaults, or within the limits, so there is nothing to measure a gain by", count(usable, "trial"))
	case o.Exhausted:
		return "every setting of the search space has been tried: there is nothing left to gain"
	case o.Same:
		return fmt.Sprintf("nothing is to be gained: all %s have the very same figures, so no parameter was seen to do anything", count(usable, "trial"))
	case o.Gain > 1: // of next to nothing, no percentage means anything
		return fmt.Sprintf("the models believe that hardly anything of %s is better than the defaults, and expect the next trial to find more than all of them", count(usable, "trial"))
	}
	text := fmt.Sprintf("the next trial is expected to add %s to the hypervolume", gainText(o.Gain))
	switch {
	case o.Since == 1:
		text += fmt.Sprintf("; the last trial has raised it by less than %s", report.Share.Format(tuner.Growth))
	case o.Since > 1:
		text += fmt.Sprintf("; in the last %s it has risen by less than %s", count(o.Since, "trial"), report.Share.Format(tuner.Growth))
	}
	return text
}

// gainText is a share with the digits that an expectation has.
func gainText(gain float64) string {
	if gain < 0.0005 {
		return "less than 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*gain)
}

// whyStable says what made the search end before its budget, and how to go on.
func (s *storedStudy) whyStable(c *cli.Context) string {
	return fmt.Sprintf("after each of the last %s the next one was expected to add less than %s to the hypervolume; to go on all the same: gctune optimize --budget %d%s",
		count(sampler.StableInARow, "trial"), report.Share.Format(sampler.StableGain), c.Int("budget"), searchFlags(c))
}

// canSettle reports whether the study can have a reference point, which it takes to
// see how much there is to gain.
func (t *target) canSettle() bool {
	return t.definition.HasBaseline || t.definition.Reference(nil) != nil
}
