package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

// toPredict is the setting that the command line speaks of, checked.
func (s *storedStudy) toPredict(c *cli.Context, way string) (selection, error) {
	switch way {
	case "":
		return selection{trial: studies.NoTrial}, nil
	case "setting", "env-file":
		chosen, err := givenSetting(c, way)
		if err != nil {
			return chosen, err
		}
		return chosen, s.checkSetting(chosen.setting)
	}
	return s.fromStudy(c, way)
}

// checkSetting refuses what the study's target would not take, without having it at
// hand. Where the catalogue does not tell, what can be set is what was searched.
func (s *storedStudy) checkSetting(setting space.Setting) error {
	_, bySource := s.Fingerprint["source"]
	if support, known := ruby.Stated(s.definition.Ruby); known && !bySource {
		return support.Check(setting)
	}
	searched, err := s.space()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		if err := searched.Check(space.Setting{name: setting[name]}); err != nil {
			return err
		}
	}
	return nil
}

// foretold is what the model says of a setting, beside what it says of the defaults.
type foretold struct {
	setting          space.Setting // with what the defaults set
	expected, before gcmodel.Prediction
	// measured is the trial of that setting, if there is one.
	measured *tuner.Scored
	parts    []explain.Part
}

func (e *explanation) foretell(chosen selection) foretold {
	predict := e.foresight.Profile.Predict
	f := foretold{setting: e.defaults().Clone(), before: predict(e.defaults()), measured: e.measuredAs(chosen)}
	if f.setting == nil {
		f.setting = space.Setting{}
	}
	maps.Copy(f.setting, chosen.setting)
	f.expected = predict(f.setting)
	f.parts = explain.Parts(predict, e.defaults(), f.setting)
	return f
}

// measuredAs finds the trial that has measured a setting.
func (s *storedStudy) measuredAs(chosen selection) *tuner.Scored {
	searched, err := s.space()
	for i, t := range s.trials {
		same := t.Number == chosen.trial
		if err == nil && chosen.trial == studies.NoTrial {
			same = searched.Key(t.Setting) == searched.Key(chosen.setting)
		}
		if same && t.Losses != nil {
			return &s.trials[i]
		}
	}
	return nil
}

// figure is one row of what is predicted.
type figure struct {
	title string
	unit  report.Unit
	of    func(gcmodel.Prediction) gcmodel.Estimate
	// measured is what a trial says of it; nil where nothing is measured.
	measured func(tuner.Scored) (float64, bool)
}

func (e *explanation) figures(f foretold) []figure {
	metric := func(name string) func(tuner.Scored) (float64, bool) {
		return func(t tuner.Scored) (float64, bool) { value, known := t.Metrics[name]; return value, known }
	}
	memory := e.definition.Objectives.Memory
	all := []figure{
		{"collections per 1,000 " + e.units(), report.Plain, func(p gcmodel.Prediction) gcmodel.Estimate { return p.CollectionsPer1000 }, e.collectionsMeasured},
	}
	if f.before.MinorPer1000.High > 0 || f.expected.MinorPer1000.High > 0 { // there are two kinds
		all = append(all,
			figure{"  minor ones", report.Plain, func(p gcmodel.Prediction) gcmodel.Estimate { return p.MinorPer1000 }, e.logged(func(s explain.Stage) int { return s.Minor.Count })},
			figure{"  major ones", report.Plain, func(p gcmodel.Prediction) gcmodel.Estimate { return p.MajorPer1000 }, e.logged(func(s explain.Stage) int { return s.Major.Count })})
	}
	all = append(all,
		figure{"slots of a process", report.Plain, func(p gcmodel.Prediction) gcmodel.Estimate { return p.Slots }, e.slotsMeasured},
		figure{"live after a collection", report.Plain, func(p gcmodel.Prediction) gcmodel.Estimate { return p.Live }, nil},
		figure{title(memory), report.Bytes, func(p gcmodel.Prediction) gcmodel.Estimate { return p.MemoryBytes }, metric(memory)})
	if f.before.SecondsPer1000.Estimate > 0 {
		all = append(all, figure{"time of collections per 1,000 " + e.units(), report.Seconds, func(p gcmodel.Prediction) gcmodel.Estimate { return p.SecondsPer1000 }, e.timeMeasured})
	}
	return all
}

// timeMeasured is not known of the processes that serve where others have collected.
func (e *explanation) timeMeasured(t tuner.Scored) (float64, bool) {
	value, known := t.Metrics["gc_time_seconds"]
	requests := t.Metrics["requests"]
	_, beside := e.beside(t)
	return 1000 * value / requests, known && requests > 0 && beside == 0
}

// collectionsMeasured are those of the metric, which a program that runs to its end
// does not have, or else those of the log. The model predicts the processes that serve:
// where others have collected, too, the log has theirs alone.
func (e *explanation) collectionsMeasured(t tuner.Scored) (float64, bool) {
	if window, beside := e.beside(t); beside > 0 {
		return 1000 * float64(window.Counted) / firstRun(t)["requests"], true
	}
	if value, known := t.Metrics["gc_count_per_1000_requests"]; known {
		return value, true
	}
	return e.logged(explain.Stage.Collections)(t)
}

// logged is a number of collections in the window of the first run that a trial has
// a log of, where one process did all.
func (e *explanation) logged(number func(explain.Stage) int) func(tuner.Scored) (float64, bool) {
	return func(t tuner.Scored) (float64, bool) {
		window, found := e.windowOf(t)
		return 1000 * float64(number(window)) / window.Requests, found && window.Requests > 0 && window.Unsorted == 0
	}
}

func (e *explanation) slotsMeasured(t tuner.Scored) (float64, bool) {
	window, found := e.windowOf(t)
	return window.Slots, found && window.Slots > 0
}

func (e *explanation) windowOf(t tuner.Scored) (explain.Stage, bool) {
	if len(e.logs[t.Number]) == 0 {
		return explain.Stage{}, false
	}
	heap, err := explain.HeapOf(e.logs[t.Number][0])
	if err != nil || heap.Processes != 1 {
		return explain.Stage{}, false
	}
	return heap.Stage(gcmodel.Window)
}

func (e *explanation) printPrediction(w io.Writer, chosen selection) error {
	f := e.foretell(chosen)
	fmt.Fprintln(w, labelled("setting", fmt.Sprintf("%s (%s)", formatSetting(chosen.setting), chosen.why)))
	if err := e.predictionTable(f).Write(w, report.Text); err != nil {
		return err
	}
	for _, line := range e.why(f) {
		fmt.Fprintln(w, labelled("why", line))
	}
	for _, text := range e.notes(f) {
		fmt.Fprintln(w, labelled("note", text))
	}
	if f.measured != nil {
		fmt.Fprintln(w, labelled("measured", fmt.Sprintf("trial %d has measured this setting", f.measured.Number)))
	}
	_, err := fmt.Fprintln(w, labelled("model", e.modelText()))
	return err
}

func (e *explanation) predictionTable(f foretold) report.Table {
	table := report.Table{Columns: []report.Column{
		{Name: "figure", Title: "Figure"}, {Name: "defaults_measured", Title: "Defaults measured"}, {Name: "defaults", Title: "Defaults predicted"},
		{Name: "predicted", Title: "Predicted (95 %)"}, {Name: "change", Title: "Change", Unit: report.Change}, {Name: "measured", Title: "Measured"},
	}}
	baseline, _ := e.definition.BaselineOf(e.trials)
	for _, row := range e.figures(f) {
		before, expected := row.of(f.before), row.of(f.expected)
		table.Rows = append(table.Rows, []any{row.title, row.measuredText(&baseline), row.unit.Format(before.Estimate),
			estimateText(row.unit, expected), changeOf(before.Estimate, expected.Estimate), row.besideBounds(f.measured, expected)})
	}
	return table
}

// mostChange is the ratio beyond which a change tells less than the two figures: it is
// one from next to nothing.
const mostChange = 10

// changeOf is a ratio for people, or nil where it tells nothing.
func changeOf(before, after float64) any {
	ratio := after / before
	switch {
	case !(before > 0) || ratio > mostChange:
		return nil
	case math.Abs(ratio-1) < noChange:
		return 1.0
	}
	return ratio
}

// besideBounds is what was measured, with a word where it is not as was predicted.
func (r figure) besideBounds(t *tuner.Scored, predicted gcmodel.Estimate) any {
	text := r.measuredText(t)
	if text == nil {
		return nil
	}
	switch value, _ := r.measured(*t); {
	case value > predicted.High:
		return fmt.Sprint(text, ", above")
	case value < predicted.Low:
		return fmt.Sprint(text, ", below")
	}
	return text
}

func estimateText(u report.Unit, e gcmodel.Estimate) string {
	return fmt.Sprintf("%s (%s to %s)", u.Format(e.Estimate), u.Format(e.Low), u.Format(e.High))
}

func (r figure) measuredText(t *tuner.Scored) any {
	if t == nil || r.measured == nil {
		return nil
	}
	value, known := r.measured(*t)
	if !known {
		return nil
	}
	return r.unit.Format(value)
}
