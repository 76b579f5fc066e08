package main

import (
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
)

// comparison is a measured table: the cells of a page stand together, in the
// variants' order.
type comparison struct {
	variants []variant
	pages    []page
	cells    []tuner.Cell
}

// The metrics of a comparison's columns.
const (
	perSecond    = "requests_per_second"
	perCPUSecond = "requests_per_cpu_second"
	memoryPeak   = "memory_pss_peak_bytes"
)

type comparisonJSON struct {
	Rows []rowJSON `json:"rows"`
}

type rowJSON struct {
	Variant      string              `json:"variant"`
	Page         string              `json:"page"`
	PerSecond    *objective.Interval `json:"requests_per_second"`
	PerCPUSecond *objective.Interval `json:"requests_per_cpu_second"`
	Memory       *objective.Interval `json:"memory_bytes"`
	Failure      string              `json:"failure,omitempty"`
}

func (t *comparison) json() comparisonJSON {
	j := comparisonJSON{Rows: []rowJSON{}}
	for _, cell := range t.cells {
		j.Rows = append(j.Rows, rowJSON{
			Variant: cell.Variant, Page: cell.Page, Failure: cell.Failure,
			PerSecond: estimated(cell, perSecond), PerCPUSecond: estimated(cell, perCPUSecond), Memory: estimated(cell, memoryPeak),
		})
	}
	return j
}

func estimated(cell tuner.Cell, metric string) *objective.Interval {
	if i, ok := cell.Estimate(metric); ok {
		return &i
	}
	return nil
}

// report has a row for each cell, with ratios to the page's first variant.
func (t *comparison) report() report.Table {
	table := report.Table{Columns: []report.Column{
		{Name: "page", Title: "Page"}, {Name: "variant", Title: "Variant"},
		{Name: perSecond, Title: "Requests/s", Interval: true},
		{Name: perSecond + "_ratio", Title: "vs. first", Unit: report.Change, Interval: true},
		{Name: perCPUSecond, Title: "Requests/CPU s", Interval: true},
		{Name: perCPUSecond + "_ratio", Title: "vs. first", Unit: report.Change, Interval: true},
		{Name: "memory_bytes", Title: "Memory", Unit: report.Bytes, Interval: true},
		{Name: "memory_ratio", Title: "vs. first", Unit: report.Change, Interval: true},
	}}
	published := t.hasPublished()
	if published {
		table.Columns = append(table.Columns,
			report.Column{Name: "published_requests_per_second", Title: "Published: requests/s"},
			report.Column{Name: "published_memory_bytes", Title: "memory", Unit: report.Bytes})
	}
	for i, cell := range t.cells {
		first := t.cells[i-i%len(t.variants)]
		row := []any{cell.Page, cell.Variant}
		for _, metric := range []string{perSecond, perCPUSecond, memoryPeak} {
			row = append(row, interval3(cell, metric), t.ratio(cell, first, metric))
		}
		if cell.Failure != "" {
			row[1] = cell.Variant + " (" + cell.Failure + ")"
		}
		if published {
			row = append(row, t.published(i)...)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// interval3 is a cell of a table with an interval, or nil.
func interval3(cell tuner.Cell, metric string) any {
	if i, ok := cell.Estimate(metric); ok {
		return report.Interval(i)
	}
	return nil
}

// ratio compares the rounds that both have, in pairs.
func (t *comparison) ratio(cell, first tuner.Cell, metric string) any {
	mine, theirs := cell.Values(metric), first.Values(metric)
	if cell.Variant == first.Variant || len(mine) == 0 || len(mine) != len(theirs) {
		return nil
	}
	if i, err := objective.PairedRatio(theirs, mine); err == nil {
		return report.Interval(i)
	}
	return mine[0] / theirs[0] // one round has no interval
}

func (t *comparison) hasPublished() bool {
	for _, v := range t.variants {
		if len(v.Published) > 0 {
			return true
		}
	}
	return false
}

func (t *comparison) published(i int) []any {
	p, ok := t.variants[i%len(t.variants)].Published[t.cells[i].Page]
	if !ok {
		return []any{nil, nil}
	}
	return []any{float64(p.RequestsPerSecond), float64(p.Memory)}
}
