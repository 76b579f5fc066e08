package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies/report"
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
		for _, t := range s.trials {
			if err := writeJSON(c.App.Writer, trialToJSON(s.definition, t)); err != nil {
				return err
			}
		}
		return nil
	}
	return s.trialTable(format).Write(c.App.Writer, format)
}

func (s *storedStudy) trialTable(format report.Format) report.Table {
	o := s.definition.Objectives
	table := report.Table{Columns: []report.Column{
		{Name: "trial", Title: "Trial"},
		{Name: "origin", Title: "Origin"},
		{Name: "state", Title: "State"},
		{Name: o.Throughput, Title: title(o.Throughput), Unit: unitOf(o.Throughput)},
		{Name: o.Memory, Title: title(o.Memory), Unit: unitOf(o.Memory)},
		{Name: "seconds", Title: "Took", Unit: report.Seconds},
		{Name: "setting", Title: "Setting", Width: settingWidth},
		{Name: "reason", Title: "Reason", Width: settingWidth},
	}}
	between := " "
	if format == report.Text {
		between = "\n"
	}
	for _, t := range s.trials {
		var throughput, memory any
		if t.Losses != nil {
			throughput, memory = t.Metrics[o.Throughput], t.Metrics[o.Memory]
		}
		reason := t.Reason
		if t.Attempts > 1 {
			reason = strings.TrimSpace(fmt.Sprintf("%s (attempt %d)", reason, t.Attempts))
		}
		table.Rows = append(table.Rows, []any{t.Number, t.Origin, string(t.State), throughput, memory, seconds(t), formatValues(t.Setting, between), reason})
	}
	return table
}
