package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:  "explain",
		Usage: "say what the heap does, why collections start, and what a setting would do",
		Description: `What the heap of the application did in boot and under load comes from the log of
collections that the first run of the defaults has left. A model of the collector,
calibrated from that log, says which parameters matter and what a setting would do
before it is measured, with intervals that are meant to hold in 95 of 100 cases. How
well its predictions agree with the trials measured so far stands beside them.

Examples:
   gctune explain
   gctune explain --plot
   gctune explain --picture heap.svg
   gctune explain --setting RUBY_GC_HEAP_INIT_SLOTS=1500000
   gctune explain --best knee --format json | jq .predicted.memory_bytes
   gctune explain --from 7`,
		Flags: append(append([]cli.Flag{
			&cli.IntFlag{Name: "from", Usage: "explain the run of trial `N`, and calibrate the model from it"},
			&cli.BoolFlag{Name: "plot", Usage: "draw the heap over the run in the terminal"},
			&cli.StringFlag{Name: "picture", Usage: "draw the heap over the run into `FILE`, by its ending svg or png"},
			&cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` of the output: table or json"},
		}, ownSettingFlags()...), selectionFlags()...),
		Action: showExplanation,
	}
}

// explanation is what there is to say of a run, and by it of the application.
type explanation struct {
	*storedStudy
	trial tuner.Scored
	logs  map[int][]gcmodel.Log // of all trials
	heap  explain.Heap          // of the first run of the trial
	// foresight is nil where the model is silent; then silent says why.
	foresight *tuner.Foresight
	silent    error
}

func showExplanation(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if err := oneOf("--format", c.String("format"), "table", "json"); err != nil {
		return err
	}
	way, err := onlyOne(c, "setting", "env-file", "trial", "best", "max-memory")
	if err != nil {
		return err
	}
	s, err := readStudy(c)
	if err != nil {
		return err
	}
	chosen, err := s.toPredict(c, way)
	if err != nil {
		return err
	}
	e, err := s.explained(c)
	if err != nil {
		return err
	}
	if way != "" && e.foresight == nil {
		return fmt.Errorf("nothing can be predicted: %s", e.whySilent())
	}
	if path := c.String("picture"); path != "" {
		if err := e.drawCourse(path); err != nil {
			return err
		}
	}
	return e.write(c, way != "", chosen)
}

func (e *explanation) write(c *cli.Context, predicts bool, chosen selection) error {
	json := c.String("format") == "json"
	switch {
	case json && predicts:
		return writeJSON(c.App.Writer, e.predictionJSON(chosen))
	case json:
		j, err := e.json()
		if err != nil {
			return err
		}
		return writeJSON(c.App.Writer, j)
	}
	if c.Bool("plot") {
		if err := e.plotCourse(c); err != nil {
			return err
		}
	}
	if predicts {
		return e.printPrediction(c.App.Writer, chosen)
	}
	return e.print(c.App.Writer)
}

// explained reads the run that the command line speaks of.
func (s *storedStudy) explained(c *cli.Context) (*explanation, error) {
	if s.definition.Workload == "external" {
		return nil, fmt.Errorf("study %s measures an external program, of whose collections nothing is recorded: only a `server` or a `batch` can be explained", s.Name)
	}
	trial, err := s.toExplain(c)
	if err != nil {
		return nil, err
	}
	logs, err := s.readLogs(c)
	if logs == nil && err != nil {
		return nil, err
	}
	if err != nil {
		fmt.Fprintf(c.App.ErrWriter, "warning: %v\n", err)
	}
	if len(logs[trial.Number]) == 0 {
		return nil, s.noLog(trial, logs)
	}
	e := &explanation{storedStudy: s, trial: trial, logs: logs}
	if e.heap, err = explain.HeapOf(logs[trial.Number][0]); err != nil {
		return nil, fmt.Errorf("the log of trial %d of study %s cannot be explained: %w; --from N takes another trial", trial.Number, s.Name, err)
	}
	e.foresight, e.silent = s.definition.Foresee(s.trials, logs, trial.Number)
	return e, nil
}

// toExplain is the baseline, where no other trial is named.
func (s *storedStudy) toExplain(c *cli.Context) (tuner.Scored, error) {
	if len(s.trials) == 0 {
		return tuner.Scored{}, fmt.Errorf("study %s has no trial yet: `gctune optimize` measures some", s.Name)
	}
	return s.trial(c.Int("from"))
}

// defaults are what a setting is compared with.
func (s *storedStudy) defaults() space.Setting {
	if s.definition.Baseline == nil {
		return space.Setting{}
	}
	return s.definition.Baseline
}
