package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
)

// comparison is a measured table: the cells of a page stand together, in the
// variants' order.
type comparison struct {
	variants    []variant
	pages       []page
	cells       []tuner.Cell
	rounds      int // that were asked for
	interrupted bool
}

// The metrics of a comparison's columns.
const (
	perSecond    = "requests_per_second"
	perCPUSecond = "requests_per_cpu_second"
	memoryPeak   = "memory_pss_peak_bytes"
)

// comparisonJSON is the table as an object. Interrupted tells that rounds are missing.
type comparisonJSON struct {
	Rows        []rowJSON `json:"rows"`
	Interrupted bool      `json:"interrupted"`
}

type rowJSON struct {
	Variant      string        `json:"variant"`
	Page         string        `json:"page"`
	Rounds       int           `json:"rounds"`
	PerSecond    *estimateJSON `json:"requests_per_second"`
	PerCPUSecond *estimateJSON `json:"requests_per_cpu_second"`
	Memory       *estimateJSON `json:"memory_bytes"`
	Failure      string        `json:"failure,omitempty"`
	// VersusFirst is null for the first variant and for what cannot be compared.
	VersusFirst *versusJSON `json:"versus_first"`
}

// versusJSON has ratios to the first variant. All of a table's intervals together
// hold with 95 %.
type versusJSON struct {
	PerSecond    *verdictOfJSON `json:"requests_per_second"`
	PerCPUSecond *verdictOfJSON `json:"requests_per_cpu_second"`
	Memory       *verdictOfJSON `json:"memory_bytes"`
}

type verdictOfJSON struct {
	objective.Interval
	Verdict objective.Verdict `json:"verdict"`
}

// estimateJSON has no bounds where there was one round only.
type estimateJSON struct {
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

func (t *comparison) json() comparisonJSON {
	j := comparisonJSON{Rows: []rowJSON{}, Interrupted: t.interrupted}
	for i, cell := range t.cells {
		j.Rows = append(j.Rows, rowJSON{
			Variant: cell.Variant, Page: cell.Page, Rounds: len(cell.Runs), Failure: cell.Failure,
			PerSecond: estimated(cell, perSecond), PerCPUSecond: estimated(cell, perCPUSecond), Memory: estimated(cell, memoryPeak),
			VersusFirst: t.versusFirst(i),
		})
	}
	return j
}

func estimated(cell tuner.Cell, metric string) *estimateJSON {
	i, certain, ok := cell.Estimate(metric)
	switch {
	case !ok:
		return nil
	case !certain:
		return &estimateJSON{Estimate: i.Estimate}
	}
	return &estimateJSON{i.Estimate, &i.Low, &i.High}
}

// write shows the table, and below it, where people read it, what is not figures.
func (t *comparison) write(w io.Writer, format report.Format) error {
	if format == report.JSON {
		return writeJSON(w, t.json())
	}
	if err := t.report(format).Write(w, format); err != nil {
		return err
	}
	if format == report.CSV {
		return nil
	}
	for _, note := range t.notes() {
		if _, err := fmt.Fprintf(w, "\n%s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// notes are verdicts, failures, each once, and that rounds are missing.
func (t *comparison) notes() []string {
	notes := t.failures()
	if verdicts := t.verdicts(); len(verdicts) > 0 {
		notes = append([]string{strings.Join(verdicts, "\n")}, notes...)
	}
	if t.interrupted {
		notes = append(notes, "partial: "+t.progress())
	}
	return notes
}

func (t *comparison) failures() []string {
	var notes []string
	where := map[string][]string{}
	for _, cell := range t.cells {
		if cell.Failure == "" {
			continue
		}
		reason := cell.Variant + "\x00" + cell.Failure
		if where[reason] == nil {
			notes = append(notes, reason)
		}
		where[reason] = append(where[reason], cell.Page)
	}
	for i, reason := range notes {
		name, failure, _ := strings.Cut(reason, "\x00")
		at := " on " + strings.Join(where[reason], ", ")
		if len(where[reason]) == len(t.pages) {
			at = ""
		}
		notes[i] = fmt.Sprintf("%s failed%s: %s", name, at, failure)
	}
	return notes
}

// progress says how many rounds were finished.
func (t *comparison) progress() string {
	least, most := t.rounds, 0
	for _, cell := range t.cells {
		if cell.Failure == "" {
			least, most = min(least, len(cell.Runs)), max(most, len(cell.Runs))
		}
	}
	least = min(least, most)
	if least == most {
		return fmt.Sprintf("%d of %d rounds were finished", least, t.rounds)
	}
	return fmt.Sprintf("%d to %d of %d rounds were finished, by pages", least, most, t.rounds)
}

// verdict is the error of a comparison that was shown.
func (t *comparison) verdict() error {
	if t.interrupted {
		return fmt.Errorf("%w: %s; the same command begins anew", errInterrupted, t.progress())
	}
	for _, cell := range t.cells {
		if cell.Failure == "" {
			return nil
		}
	}
	return errors.New("no variant could be measured: the reasons are with the table")
}

// report has a row for each cell, with ratios to the page's first variant.
func (t *comparison) report(format report.Format) report.Table {
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
	if format == report.CSV {
		table.Columns = append(table.Columns, report.Column{Name: "failure"})
	}
	for i, cell := range t.cells {
		row := []any{cell.Page, cell.Variant}
		for _, metric := range []string{perSecond, perCPUSecond, memoryPeak} {
			row = append(row, interval3(cell, metric), t.ratioCell(i, metric))
		}
		if published {
			row = append(row, t.published(i)...)
		}
		if format == report.CSV {
			row = append(row, cell.Failure)
		} else if cell.Failure != "" {
			row[1] = cell.Variant + " (failed)"
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// interval3 is a cell of a table, with an interval where there is one, or nil.
func interval3(cell tuner.Cell, metric string) any {
	i, certain, ok := cell.Estimate(metric)
	switch {
	case !ok:
		return nil
	case !certain:
		return i.Estimate
	}
	return report.Interval(i)
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
