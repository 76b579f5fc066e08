package main

import (
	"strings"
	"testing"

	"github.com/gctune/gctune/tuner"
)

// A share of next to nothing is not told as one: "1109.2 %" was seen.
func TestOutlookOfNextToNothing(t *testing.T) {
	for gain, want := range map[float64]string{
		0.0001: "expected to add less than 0.1 % to",
		0.0123: "expected to add 1.2 % to",
		1:      "expected to add 100.0 % to",
		11.092: "hardly anything of 50 trials is better than the defaults",
	} {
		if got := outlookText(tuner.Outlook{Gain: gain, Since: 3}, true, 50); !strings.Contains(got, want) {
			t.Errorf("a gain of %v: %q", gain, got)
		}
	}
}

func TestOutlookCountsTrialsWithoutGrowth(t *testing.T) {
	for since, want := range map[int]string{
		0: "to the hypervolume",
		1: "; the last trial has raised it by less than 1 %",
		2: "; in the last 2 trials it has risen by less than 1 %",
	} {
		if got := outlookText(tuner.Outlook{Gain: 0.01, Since: since}, true, 50); !strings.HasSuffix(got, want) {
			t.Errorf("%d trials: %q", since, got)
		}
	}
}
