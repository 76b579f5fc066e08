package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/explain"
)

// influences are what the model has each parameter do by itself, the strongest first.
func (e *explanation) influences() ([]explain.Influence, error) {
	searched, err := e.space()
	if err != nil {
		return nil, err
	}
	found := explain.Influences(e.foresight.Profile.Predict, e.defaults(), searched)
	slices.SortStableFunc(found, func(a, b explain.Influence) int { return cmp.Compare(b.Weight(), a.Weight()) })
	return found, nil
}

// printParameters says which parameters matter, by the model.
func (e *explanation) printParameters(w io.Writer) error {
	if e.foresight == nil {
		return nil
	}
	found, err := e.influences()
	if err != nil {
		return err
	}
	table := report.Table{Columns: []report.Column{
		{Name: "parameter", Title: "Parameter"},
		{Name: "collections", Title: "Collections, by itself"},
		{Name: "memory", Title: "Memory, by itself"},
		{Name: "trials", Title: "In the trials"},
	}}
	inert := e.inert()
	var idle, edge []string
	for _, i := range found {
		if !i.Matters() {
			idle = append(idle, i.Name)
			continue
		}
		if inert[i.Name] != "" {
			edge = append(edge, i.Name)
		}
		table.Rows = append(table.Rows, []any{i.Name, spanText(i.Collections), spanText(i.Memory), couldNotAct(inert[i.Name])})
	}
	if len(inert) == 0 {
		table = withoutLast(table)
	}
	if len(table.Rows) > 0 {
		if err := table.Write(w, report.Text); err != nil {
			return err
		}
		fmt.Fprintln(w, labelled("changes", "that the model expects when one parameter alone goes through the range searched, all others as in the defaults"))
	}
	if len(edge) > 0 {
		fmt.Fprintln(w, labelled("edge", fmt.Sprintf("no trial has shown these to act. Where the model has them change something all the same the heap stands at the edge of a step of growth, where the least difference tips it; go by the trials: %s", strings.Join(edge, ", "))))
	}
	if len(idle) > 0 {
		fmt.Fprintln(w, labelled("idle", fmt.Sprintf("by itself none of these would change collections or memory by 1 %%: %s", strings.Join(idle, ", "))))
	}
	return nil
}

func withoutLast(t report.Table) report.Table {
	last := len(t.Columns) - 1
	t.Columns = t.Columns[:last]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:last]
	}
	return t
}

// couldNotAct is a cell for a parameter that was idle in all trials for a reason.
func couldNotAct(reason string) any {
	if reason == "" {
		return ""
	}
	return "could not act"
}

// spanText is what a figure can become, with the values at which it does.
func spanText(s explain.Span) string {
	var parts []string
	if s.Low <= 1-explain.Slight {
		parts = append(parts, fmt.Sprintf("%s at %s", report.Change.Format(s.Low), s.AtLow))
	}
	if s.High >= 1+explain.Slight {
		parts = append(parts, fmt.Sprintf("%s at %s", report.Change.Format(s.High), s.AtHigh))
	}
	if len(parts) == 0 {
		return "less than 1 %"
	}
	return strings.Join(parts, ", ")
}

// modelText says what the model is calibrated from, and how well it agrees with what
// was measured.
func (e *explanation) modelText() string {
	if e.foresight == nil {
		return "it says nothing here: " + e.whySilent()
	}
	return fmt.Sprintf("calibrated from the log of trial %d; %s", e.trial.Number, agreeingText(e.agreement()))
}

func (e *explanation) agreement() tuner.Agreement {
	return e.foresight.Agree(e.trials, e.definition.Objectives.Memory)
}

// agreeingText says plainly how far predictions can be trusted.
func agreeingText(a tuner.Agreement) string {
	if a.Trials == 0 {
		return "no other trial has been measured to compare its predictions with"
	}
	text := fmt.Sprintf("over %s that it had not seen its memory was off by %.1f %% (median)", count(a.Trials, "trial"), 100*a.MemoryError)
	var ordered []string
	for _, ranks := range []struct {
		of  string
		tau float64
	}{{"memory", a.Memory}, {"collections", a.Collections}} {
		if !math.IsNaN(ranks.tau) {
			ordered = append(ordered, fmt.Sprintf("by %s in %.0f of 100 cases", ranks.of, 50*(1+ranks.tau)))
		}
	}
	if len(ordered) > 0 {
		text += ", and it put two of them in the right order " + strings.Join(ordered, ", ")
	}
	switch {
	case !a.Holds():
		return text + ". That contradicts it: do not go by its predictions here"
	case a.Trials < fewCompared:
		return text + ". That is too few trials to rely on"
	}
	return text
}

// fewCompared trials do not show much.
const fewCompared = 5
