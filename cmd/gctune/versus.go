package main

import (
	"fmt"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
)

// comparedMetrics are those in which variants are compared, with what a ratio to
// the first variant means.
var comparedMetrics = []struct {
	metric, title string
	judge         func(objective.Interval) objective.Verdict
}{
	{perSecond, "requests/s", objective.ThroughputVerdict},
	{perCPUSecond, "requests/CPU s", objective.ThroughputVerdict},
	{memoryPeak, "memory", objective.MemoryVerdict},
}

// confidence of one ratio: all ratios that the table can have hold together with
// 95 %, so that a verdict is not a matter of having looked often enough.
func (t *comparison) confidence() float64 {
	return objective.Simultaneous(len(comparedMetrics) * (len(t.variants) - 1) * len(t.pages))
}

// ratio compares a cell with the page's first variant, by their pairs or, where they
// were measured apart, by the rounds that both have; certain says that there are
// enough for an interval.
func (t *comparison) ratio(i int, metric string) (ratio objective.Interval, certain, ok bool) {
	cell, first := t.cells[i], t.cells[i-i%len(t.variants)]
	mine, theirs := cell.Values(metric), first.Values(metric)
	if cell.Variant == first.Variant || len(mine) == 0 || len(mine) != len(theirs) {
		return ratio, false, false
	}
	if pairs := t.cells[i].Pairs; len(pairs) > 0 && len(pairs) == len(mine) {
		ratio, err := tuner.TwinInterval(pairs, metric, t.confidence())
		if err == nil {
			return ratio, true, true
		}
	}
	if ratio, err := objective.PairedRatio(theirs, mine, t.confidence()); err == nil {
		return ratio, true, true
	}
	one := mine[0] / theirs[0]
	return objective.Interval{Estimate: one, Low: one, High: one}, false, true
}

// ratioCell is a ratio for a table: with its interval, without one, or nil.
func (t *comparison) ratioCell(i int, metric string) any {
	ratio, certain, ok := t.ratio(i, metric)
	switch {
	case !ok:
		return nil
	case !certain:
		return ratio.Estimate
	}
	return report.Interval(ratio)
}

// verdicts say in words what the ratios of each cell mean.
func (t *comparison) verdicts() []string {
	var lines []string
	for i, cell := range t.cells {
		line := ""
		for _, m := range comparedMetrics {
			if ratio, certain, _ := t.ratio(i, m.metric); certain {
				line += fmt.Sprintf(", %s %s", m.title, words(m.judge(ratio)))
			}
		}
		if line != "" {
			lines = append(lines, fmt.Sprintf("%s beside %s, %s: %s", cell.Variant, t.variants[0].Name, cell.Page, line[len(", "):]))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("all intervals of ratios together hold with 95 %% (each with %.4g %%)", 100*t.confidence()))
	}
	return lines
}

func (t *comparison) versusFirst(i int) *versusJSON {
	of := func(metric string) *verdictOfJSON {
		ratio, certain, _ := t.ratio(i, metric)
		for _, m := range comparedMetrics {
			if m.metric == metric && certain {
				return &verdictOfJSON{ratio, m.judge(ratio)}
			}
		}
		return nil
	}
	v := versusJSON{of(perSecond), of(perCPUSecond), of(memoryPeak)}
	if v == (versusJSON{}) {
		return nil
	}
	return &v
}
