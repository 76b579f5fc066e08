package main

import (
	"fmt"

	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner/importance"
)

// table is for people: whole per cents are all that shares are known to.
func (r ranking) table() report.Table {
	table := report.Table{Columns: []report.Column{
		{Name: "Parameter"}, {Name: "Share in throughput"}, {Name: "by itself"}, {Name: "Share in memory"}, {Name: "by itself"},
	}}
	for _, row := range r.rows {
		cells := []any{row.name}
		for _, share := range []importance.Share{row.throughput, row.memory} {
			cells = append(cells, shareText(share), aloneText(share))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// unknown is the upper end of an interval from which on it says nothing.
const unknown = 0.5

func shareText(s importance.Share) string {
	switch i := s.Total; {
	case s.Found:
		return fmt.Sprintf("%s (%s to %s)", perCent(i.Estimate), perCent(i.Low), perCent(i.High))
	case i.High > unknown:
		return fmt.Sprintf("not known yet (≤ %s)", perCent(i.High))
	default:
		return fmt.Sprintf("no effect found (≤ %s)", perCent(i.High))
	}
}

func aloneText(s importance.Share) string {
	if !s.Found {
		return ""
	}
	return perCent(s.First.Estimate)
}

func perCent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// csv has no figures where there is no effect.
func (r ranking) csv() report.Table {
	table := report.Table{Columns: []report.Column{{Name: "parameter"}}}
	for _, objective := range []string{"throughput", "memory"} {
		table.Columns = append(table.Columns,
			report.Column{Name: objective + "_share", Interval: true}, report.Column{Name: objective + "_alone", Interval: true})
	}
	for _, row := range r.rows {
		cells := []any{row.name}
		for _, share := range []importance.Share{row.throughput, row.memory} {
			if share.Found {
				cells = append(cells, report.Interval(share.Total), report.Interval(share.First))
			} else {
				cells = append(cells, nil, nil)
			}
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

type importanceJSON struct {
	Study      string                    `json:"study"`
	Trials     int                       `json:"trials"`
	Region     string                    `json:"region"`
	Parameters []importanceParameterJSON `json:"parameters"`
}

type importanceParameterJSON struct {
	Parameter  string    `json:"parameter"`
	Throughput shareJSON `json:"throughput"`
	Memory     shareJSON `json:"memory"`
	Inert      *string   `json:"inert"`
}

type shareJSON struct {
	Effect bool             `json:"effect"`
	Share  *report.Interval `json:"share"`
	Alone  *report.Interval `json:"alone"`
	AtMost *float64         `json:"at_most"`
}

// json is told why parameters could not act, by their names.
func (r ranking) json(study string, inert map[string]string) importanceJSON {
	j := importanceJSON{Study: study, Trials: r.Trials, Region: "whole", Parameters: []importanceParameterJSON{}}
	if r.Useful {
		j.Region = "useful"
	}
	for _, row := range r.rows {
		p := importanceParameterJSON{Parameter: row.name, Throughput: shareToJSON(row.throughput), Memory: shareToJSON(row.memory)}
		if why, idle := inert[row.name]; idle {
			p.Inert = &why
		}
		j.Parameters = append(j.Parameters, p)
	}
	return j
}

func shareToJSON(s importance.Share) shareJSON {
	if !s.Found {
		return shareJSON{AtMost: &s.Total.High}
	}
	share, alone := report.Interval(s.Total), report.Interval(s.First)
	return shareJSON{Effect: true, Share: &share, Alone: &alone}
}
