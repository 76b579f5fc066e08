package main

import (
	"fmt"
	"testing"

	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
)

func TestWhySearchesGoByTheirTrials(t *testing.T) {
	const begin = "the search goes by the trials alone: "
	_, none := gcmodel.Calibrate(nil)
	_, unknown := gcmodel.Calibrate([]gcmodel.Log{{Ruby: "ruby 7.0.0"}})
	for want, err := range map[string]error{
		begin + "the log tells too little to calibrate a model of the collector (no log)":                                               none,
		begin + "there is no model of this interpreter's collector":                                                                     unknown,
		begin + "no model of the collector can be calibrated: trial 0: no log of its collections":                                       fmt.Errorf("trial 0: %w", tuner.ErrNoLog),
		begin + "too many collections were started by the program itself (7 of 9 in the window), and no setting changes when those run": fmt.Errorf("%w (7 of 9 in the window)", tuner.ErrOwnCollections),
	} {
		if got := foresightText(tuner.Event{Kind: tuner.Unforeseen, Err: err}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
