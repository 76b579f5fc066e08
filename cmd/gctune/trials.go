package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
)

func trialsCommand() *cli.Command {
	return &cli.Command{
		Name:  "trials",
		Usage: "list every trial with its state and reason",
		Description: `Examples:
   gctune trials
   gctune trials --format json | jq 'select(.state != "complete").reason'
   gctune trials --format csv > trials.csv`,
		Flags:  []cli.Flag{formatFlag("table, json (one object a line), csv or markdown")},
		Action: listTrials,
	}
}

func listTrials(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	format, err := tableFormat(c)
	if err != nil {
		return err
	}
	s, err := readStudy(c)
	if err != nil {
		return err
	}
	if format == report.JSON {
		return s.writeTrials(c)
	}
	return s.trialTable(format).Write(c.App.Writer, format)
}

func (s *storedStudy) writeTrials(c *cli.Context) error {
	logs, err := s.readLogs(c)
	if err != nil {
		fmt.Fprintf(c.App.ErrWriter, "warning: %v\n", err)
	}
	for _, t := range s.trials {
		j := trialToJSON(s.definition, t, s.estimates)
		j.Collections = logs[t.Number]
		if err := writeJSON(c.App.Writer, j); err != nil {
			return err
		}
	}
	return nil
}

// readLogs reads what was recorded of the study's collections. The error comes with
// what could be read.
func (s *storedStudy) readLogs(c *cli.Context) (map[int][]gcmodel.Log, error) {
	store, err := studies.OpenReadOnly(c.Context, c.String("store"))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return tuner.Logs(c.Context, store, s.Study)
}

func (s *storedStudy) trialTable(format report.Format) report.Table {
	o := s.definition.Objectives
	table := report.Table{Columns: []report.Column{
		{Name: "trial", Title: "Trial"},
		{Name: "origin", Title: "Origin"},
		{Name: "state", Title: "State"},
		{Name: o.Throughput, Title: title(o.Throughput), Unit: unitOf(o.Throughput)},
		{Name: "throughput_estimate", Title: "Estimate", Unit: unitOf(o.Throughput)},
		{Name: "throughput_estimate_error", Title: "±", Unit: report.Share},
		{Name: o.Memory, Title: title(o.Memory), Unit: unitOf(o.Memory)},
		{Name: "requests", Title: "Window"},
		{Name: "window_end", Title: "Ended"},
		{Name: "seconds", Title: "Took", Unit: report.Seconds},
		{Name: "saved_seconds", Title: "Saved", Unit: report.Seconds},
		{Name: "setting", Title: "Setting", Width: settingWidth},
		{Name: "reason", Title: "Reason", Width: settingWidth},
	}}
	between := " "
	if format == report.Text {
		between = "\n"
	}
	for _, t := range s.trials {
		var throughput, memory, estimate, uncertainty any
		if t.Losses != nil {
			throughput, memory = t.Metrics[o.Throughput], t.Metrics[o.Memory]
		}
		if e, known := s.estimates[t.Number]; known {
			estimate, uncertainty = math.Exp(e.Log), e.Error
		}
		reason := t.Reason
		if t.Attempts > 1 {
			reason = strings.TrimSpace(fmt.Sprintf("%s (attempt %d)", reason, t.Attempts))
		}
		table.Rows = append(table.Rows, []any{
			t.Number, t.Origin, string(t.State), throughput, estimate, uncertainty, memory,
			optional(t.Metrics, "requests"), windowEnd(t), seconds(t), optional(t.Metrics, "saved_seconds"),
			formatValues(t.Setting, between), reason,
		})
	}
	if format == report.CSV {
		return table // whose columns do not depend on the study
	}
	return withoutEmpty(table)
}

func optional(metrics map[string]float64, name string) any {
	if value, known := metrics[name]; known {
		return value
	}
	return nil
}

// windowEnd says in a word why an adaptive window ended; nil for a fixed one.
func windowEnd(t tuner.Scored) any {
	end, known := t.Metrics["window_end"]
	switch {
	case !known:
		return nil
	case t.Short():
		return "beaten"
	case end == harness.EndedPrecise:
		return "precise"
	}
	return "bound"
}

// mayLack are the columns that are left out of a study that has nothing in them.
var mayLack = []string{"throughput_estimate", "throughput_estimate_error", "requests", "window_end", "saved_seconds"}

func withoutEmpty(t report.Table) report.Table {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		filled := slices.ContainsFunc(t.Rows, func(row []any) bool { return row[i] != nil })
		if filled || !slices.Contains(mayLack, t.Columns[i].Name) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for r := range t.Rows {
			t.Rows[r] = slices.Delete(t.Rows[r], i, i+1)
		}
	}
	return t
}
