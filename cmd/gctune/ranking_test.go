package main

import (
	"testing"

	"github.com/gctune/gctune/tuner/importance"
)

// That nothing is known of a parameter is not that it does nothing.
func TestSharesAreSaidAsFarAsTheyAreKnown(t *testing.T) {
	for _, c := range []struct {
		share      importance.Share
		text, only string
	}{
		{importance.Share{Found: true, Total: importance.Interval{Estimate: 0.74, Low: 0.14, High: 0.98}, First: importance.Interval{Estimate: 0.67}}, "74 % (14 % to 98 %)", "67 %"},
		{importance.Share{Total: importance.Interval{Estimate: 0.01, High: 0.12}}, "no effect found (≤ 12 %)", ""},
		{importance.Share{Total: importance.Interval{Estimate: 0.83, Low: 0.005, High: 0.999}}, "not known yet (≤ 100 %)", ""},
	} {
		if text, only := shareText(c.share), aloneText(c.share); text != c.text || only != c.only {
			t.Errorf("%+v: %q and %q, want %q and %q", c.share, text, only, c.text, c.only)
		}
	}
}
