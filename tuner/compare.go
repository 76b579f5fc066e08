package tuner

import (
	"context"
	"fmt"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
)

// Cell is one variant on one page.
type Cell struct {
	Variant, Page string
	// Runs holds the metrics of each round.
	Runs []map[string]float64
	// Failure is why the cell has no figures; empty while it has. A cell that
	// has one from the beginning is not measured.
	Failure string
}

// Comparison measures cells in rounds: each round measures every cell once, and
// begins with another one, so that drift hits all alike.
type Comparison struct {
	Cells  []Cell
	Rounds int
	// Definition has the objectives and constraints, which a cell must keep as
	// a trial must: figures that break one are no figures to compare.
	Definition Definition
	// Measure runs one cell once.
	Measure func(ctx context.Context, cell int) (harness.Result, error)
	// Observe is told after each run.
	Observe func(round, cell int, result harness.Result)
}

// Run measures all cells. A cell that cannot be measured has its failure, and is
// left alone from then on. When it ends early, with an error, the cells have the
// rounds that all cells of their page were measured in.
func (c *Comparison) Run(ctx context.Context) error {
	err := c.measure(ctx)
	if err != nil {
		c.keepWholeRounds()
	}
	for i := range c.Cells {
		c.conclude(&c.Cells[i])
	}
	return err
}

func (c *Comparison) measure(ctx context.Context) error {
	for round := range c.Rounds {
		for i := range c.Cells {
			at := (i + round) % len(c.Cells)
			cell := &c.Cells[at]
			if cell.Failure != "" {
				continue
			}
			result, err := c.Measure(ctx, at)
			if err != nil {
				return err
			}
			result = c.Definition.judge(result)
			if result.State == harness.Complete {
				cell.Runs = append(cell.Runs, result.Metrics)
			} else {
				cell.Failure = fmt.Sprintf("%s: %s", result.State, result.Reason)
			}
			c.Observe(round, at, result)
		}
	}
	return nil
}

// keepWholeRounds drops what some cells of a page have and others have not yet.
func (c *Comparison) keepWholeRounds() {
	rounds := map[string]int{}
	for _, cell := range c.Cells {
		if n, seen := rounds[cell.Page]; cell.Failure == "" && (!seen || len(cell.Runs) < n) {
			rounds[cell.Page] = len(cell.Runs)
		}
	}
	for i := range c.Cells {
		cell := &c.Cells[i]
		cell.Runs = cell.Runs[:min(len(cell.Runs), rounds[cell.Page])]
	}
}

// conclude judges a cell by the mean of its rounds, as a trial is.
func (c *Comparison) conclude(cell *Cell) {
	if cell.Failure != "" || len(cell.Runs) == 0 {
		return
	}
	t := studies.Trial{State: studies.Complete}
	for _, metrics := range cell.Runs {
		t.Runs = append(t.Runs, studies.Run{Metrics: metrics})
	}
	cell.Failure = c.Definition.Score(t).Reason
}

// judge makes a run without comparable figures one that has failed.
func (d Definition) judge(r harness.Result) harness.Result {
	if r.State != harness.Complete {
		return r
	}
	s := d.Score(studies.Trial{State: studies.Complete, Runs: []studies.Run{{Metrics: r.Metrics}}})
	if s.State != studies.Complete {
		r.State, r.Reason = harness.State(s.State), s.Reason
	} else if reason := s.incomparable(r.Warnings); reason != "" {
		r.State, r.Reason = harness.Infeasible, reason
	}
	return r
}

// Values are a metric's in all rounds, nil when one lacks it or the cell failed.
func (c Cell) Values(metric string) []float64 {
	if c.Failure != "" {
		return nil
	}
	var values []float64
	for _, run := range c.Runs {
		value, ok := run[metric]
		if !ok || value <= 0 {
			return nil
		}
		values = append(values, value)
	}
	return values
}

// Estimate is a metric's geometric mean over the rounds, with its interval where
// there are rounds enough for one, which certain says.
func (c Cell) Estimate(metric string) (estimate objective.Interval, certain, ok bool) {
	values := c.Values(metric)
	estimate, ok = objective.MeanInterval(values)
	return estimate, len(values) > 1, ok
}
