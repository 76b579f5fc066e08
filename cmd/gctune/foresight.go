package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
)

const noForesight = "no-foresight"

func foresightFlag() cli.Flag {
	return &cli.BoolFlag{Name: noForesight, Usage: "search without what the model of the collector expects of settings"}
}

// foresees reports whether the search can be told what to expect: the other samplers
// do not listen, and of an external program nothing is known.
func foresees(c *cli.Context, t *target, study studies.Study) bool {
	return !c.Bool(noForesight) && study.Sampler == "model" && t.config.External == nil
}

// foresightText says whether the search is told what to expect, and why not.
func foresightText(e tuner.Event) string {
	switch {
	case e.Kind == tuner.Foreseen && e.Agreement.Trials == 0:
		return "the model of the collector is calibrated from the log of trial 0, and tells the search what to expect"
	case e.Kind == tuner.Foreseen:
		return "the model of the collector tells the search what to expect; " + agreementText(e.Agreement)
	case e.Kind == tuner.Contradicted:
		return "the model of the collector does not hold here, and the search goes on without it; " + agreementText(e.Agreement)
	}
	return "the search goes by the trials alone: " + noModel(e.Err)
}

// noModel says why there is no model. The errors of calibration begin and end with what
// the sentence says already.
func noModel(err error) string {
	text := strings.TrimPrefix(err.Error(), "calibrate the model of the collector: ")
	switch {
	case errors.Is(err, gcmodel.ErrUnknown):
		return "there is no model of this interpreter's collector"
	case errors.Is(err, tuner.ErrOwnCollections):
		return text + ", and no setting changes when those run"
	case errors.Is(err, gcmodel.ErrTooLittle):
		text = strings.TrimSuffix(text, ": "+gcmodel.ErrTooLittle.Error())
		return fmt.Sprintf("the log tells too little to calibrate a model of the collector (%s)", text)
	}
	return "no model of the collector can be calibrated: " + text
}

// agreementText says how predictions and measurements agree.
func agreementText(a tuner.Agreement) string {
	text := fmt.Sprintf("over %s: memory is off by %.1f %% (median)", count(a.Trials, "trial"), 100*a.MemoryError)
	for _, ranks := range []struct {
		of  string
		tau float64
	}{{"memory", a.Memory}, {"collections", a.Collections}} {
		if !math.IsNaN(ranks.tau) {
			text += fmt.Sprintf(", rank correlation of %s %.2f", ranks.of, ranks.tau)
		}
	}
	return text
}
