package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/studies/report"
)

// kind is a kind of table: what is run for it, and what its columns say.
type kind struct {
	name    string
	plain   bool                                    // whether it needs the problem as it is
	vary    func(problems.Problem) problems.Problem // makes the variant that it needs, or nil
	stops   bool                                    // whether it asks where a search is stable
	columns []string
	row     func(*cell) []string
}

func (o options) kind() kind {
	switch {
	case o.infeasible:
		return kind{name: "infeasible", vary: problems.WithAborts, columns: []string{"mean", "most"}, row: infeasibleRow}
	case o.void > 0:
		vary := func(p problems.Problem) problems.Problem { return problems.WithVoids(p, o.void) }
		return kind{name: "void", plain: true, vary: vary, columns: []string{"all", "some void", "drop"}, row: voidRow}
	case o.guess != "":
		vary := func(p problems.Problem) problems.Problem { return problems.WithGuess(p, o.guess) }
		return kind{name: "guess-" + o.guess, plain: true, vary: vary, columns: []string{"10", "10, told", "25", "25, told", "50", "50, told"}, row: guessRow}
	case o.untilStable:
		return kind{name: "stable", plain: true, stops: true, columns: []string{"trials", "fewest", "cost", "highest cost"}, row: stableRow}
	}
	return kind{
		name: "scores", plain: true, row: scoreRow,
		columns: []string{"20", "30", "50", "100", "worst at 50", "trials to 0.95", "CPU ms"},
	}
}

// scoreRow is the table of docs/search.md.
func scoreRow(c *cell) []string {
	s := problems.Summarise(c.records)
	var row []string
	for i, mean := range s.Means {
		row = append(row, withError(mean, s.Errors[i]))
	}
	needed := figure("%.0f", s.Needed)
	if math.IsInf(s.Needed, 1) {
		needed = fmt.Sprintf("over %d", len(c.records[0].Scores))
	}
	cost := math.NaN()
	if c.costed {
		cost = float64(c.cost.Microseconds()) / 1000
	}
	return append(row, figure("%.3f", s.Worst), needed, figure("%.2g", cost))
}

// firstCounted is the trial from which infeasible ones are counted, up to
// problems.Middle: by then a search has seen some.
const firstCounted = 20

// infeasibleRow is how many of 30 trials were infeasible.
func infeasibleRow(c *cell) []string {
	var counts []float64
	for _, r := range c.varied {
		counts = append(counts, float64(r.InfeasibleTrials(firstCounted, problems.Middle)))
	}
	mean, standardError := problems.MeanAndError(counts)
	return []string{withError(mean, standardError), figure("%.0f", slices.Max(counts))}
}

// voidRow compares searches with and without trials that come to nothing.
func voidRow(c *cell) []string {
	var plain, varied, drops []float64
	for seed := range c.records {
		a, b := c.records[seed].Scores[problems.Middle-1], c.varied[seed].Scores[problems.Middle-1]
		plain, varied, drops = append(plain, a), append(varied, b), append(drops, a-b)
	}
	return []string{withError(problems.MeanAndError(plain)), withError(problems.MeanAndError(varied)), withError(problems.MeanAndError(drops))}
}

// guessRow compares searches without and with guesses.
func guessRow(c *cell) []string {
	var row []string
	for _, trials := range []int{10, 25, problems.Middle} {
		for _, records := range [][]problems.Record{c.records, c.varied} {
			row = append(row, withError(problems.MeanAndError(problems.ScoresAt(records, trials))))
		}
	}
	return row
}

// stableRow is where searches would have ended, and how much less they would have
// found.
func stableRow(c *cell) []string {
	var trials, costs []float64
	for seed, r := range c.records {
		n := c.stable[seed]
		trials = append(trials, float64(n))
		costs = append(costs, r.Scores[len(r.Scores)-1]-r.Scores[n-1])
	}
	return []string{
		withError(problems.MeanAndError(trials)), figure("%.0f", slices.Min(trials)),
		withError(problems.MeanAndError(costs)), figure("%.3f", slices.Max(costs)),
	}
}

func withError(mean, standardError float64) string {
	if math.IsNaN(standardError) {
		return figure("%.3f", mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", mean, standardError)
}

func figure(format string, value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	return fmt.Sprintf(format, value)
}

// render writes one table a problem, and below them what they were made with.
func (k kind) render(cells []*cell, conditions string, format report.Format) (string, error) {
	var text strings.Builder
	for len(cells) > 0 {
		problem := cells[0].problem.Name
		table := report.Table{Columns: []report.Column{{Name: "search"}}}
		for _, name := range k.columns {
			table.Columns = append(table.Columns, report.Column{Name: name})
		}
		for len(cells) > 0 && cells[0].problem.Name == problem {
			row := []any{cells[0].entrant.name()}
			for _, text := range k.row(cells[0]) {
				row = append(row, text)
			}
			table.Rows = append(table.Rows, row)
			cells = cells[1:]
		}
		heading := problem
		if format == report.Markdown {
			heading = "### " + problem
		}
		fmt.Fprintf(&text, "%s\n\n", heading)
		if err := table.Write(&text, format); err != nil {
			return "", err
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "%s.\n", conditions)
	return text.String(), nil
}
