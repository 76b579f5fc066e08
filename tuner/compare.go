package tuner

import (
	"context"
	"fmt"
	"slices"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
)

// Cell is one variant on one page.
type Cell struct {
	Variant, Page string
	// Runs holds the metrics of each round.
	Runs []map[string]float64
	// Pairs are the runs beside the page's first cell, in whose place the pair has
	// its baseline; none where they were measured apart.
	Pairs []studies.Pair
	// Failure is why the cell has no figures; empty while it has. A cell that
	// has one from the beginning is not measured.
	Failure string
}

// Comparison measures cells in rounds: each round measures every cell once, and
// begins with another one, so that drift hits all alike. Where pairs can be had,
// each cell is measured beside the first one of its page, which then has the mean of
// its runs in a round.
type Comparison struct {
	// Cells stand page by page, Variants of them on each.
	Cells    []Cell
	Variants int
	Rounds   int
	// Definition has the objectives and constraints, which a cell must keep as
	// a trial must: figures that break one are no figures to compare.
	Definition Definition
	// Measure runs one cell once.
	Measure func(ctx context.Context, cell int) (harness.Result, error)
	// MeasurePair runs a cell beside the first one of its page, with windows that begin
	// at a phase (harness.Phase); nil where there are no pairs.
	MeasurePair func(ctx context.Context, cell, first int, firstFirst bool, phase float64) (ofCell, ofFirst harness.Result, err error)
	// Observe is told after each run.
	Observe func(round, cell int, result harness.Result)

	firsts map[int][]map[string]float64 // runs of this round, of first cells in pairs
	apart  bool                         // there is no room for two
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
		c.firsts = map[int][]map[string]float64{}
		for i := range c.Cells {
			if err := c.measureCell(ctx, round, (i+round)%len(c.Cells)); err != nil {
				return err
			}
		}
		if err := c.concludeRound(ctx, round); err != nil {
			return err
		}
	}
	return nil
}

func (c *Comparison) measureCell(ctx context.Context, round, at int) error {
	first := at
	if c.MeasurePair != nil && !c.apart {
		first -= at % c.Variants
	}
	switch {
	case c.Cells[at].Failure != "":
		return nil
	case first != at && c.Cells[first].Failure == "":
		return c.pair(ctx, round, at, first)
	case c.isPaired(at):
		return nil // it is measured beside the others
	}
	return c.alone(ctx, round, at)
}

// isPaired tells of a first cell that others of its page are measured beside.
func (c *Comparison) isPaired(at int) bool {
	if c.MeasurePair == nil || c.apart || at%c.Variants != 0 {
		return false
	}
	return slices.ContainsFunc(c.Cells[at+1:at+c.Variants], func(cell Cell) bool { return cell.Failure == "" })
}

func (c *Comparison) alone(ctx context.Context, round, at int) error {
	result, err := c.Measure(ctx, at)
	if err != nil {
		return err
	}
	if result = c.take(round, at, result); result.State == harness.Complete {
		c.Cells[at].Runs = append(c.Cells[at].Runs, result.Metrics)
	}
	return nil
}

// take judges a run: a cell that has failed is left alone from then on.
func (c *Comparison) take(round, at int, result harness.Result) harness.Result {
	result = c.Definition.judge(result)
	if result.State != harness.Complete {
		c.Cells[at].Failure = fmt.Sprintf("%s: %s", result.State, result.Reason)
	}
	c.Observe(round, at, result)
	return result
}

func (c *Comparison) pair(ctx context.Context, round, at, first int) error {
	firstFirst := (round+at)%2 == 0
	ofCell, ofFirst, err := c.MeasurePair(ctx, at, first, firstFirst, harness.Phase(round/2))
	if err != nil {
		return err
	}
	if ofCell.LackedMemory || ofFirst.LackedMemory {
		// From here on all are measured apart, this one and the first included.
		c.apart = true
		return c.alone(ctx, round, at)
	}
	// A side has no state where the other one is at fault.
	if ofCell.State != "" {
		ofCell = c.take(round, at, ofCell)
	}
	if ofFirst.State != "" {
		ofFirst = c.take(round, first, ofFirst)
	}
	if ofFirst.State == harness.Complete {
		c.firsts[first] = append(c.firsts[first], ofFirst.Metrics)
	}
	if ofCell.State == harness.Complete && ofFirst.State == harness.Complete {
		cell := &c.Cells[at]
		cell.Runs = append(cell.Runs, ofCell.Metrics)
		cell.Pairs = append(cell.Pairs, studies.Pair{Setting: ofCell.Metrics, Baseline: ofFirst.Metrics, BaselineFirst: firstFirst})
	}
	return nil
}

// concludeRound gives the first cells their runs. One that has none, as none of the
// others works, is measured by itself.
func (c *Comparison) concludeRound(ctx context.Context, round int) error {
	for at := range c.Cells {
		cell := &c.Cells[at]
		if at%c.Variants != 0 || cell.Failure != "" || len(cell.Runs) > round {
			continue
		}
		if runs := c.firsts[at]; len(runs) > 0 {
			cell.Runs = append(cell.Runs, c.Definition.Objectives.MeanMetrics(runs))
		} else if err := c.alone(ctx, round, at); err != nil {
			return err
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
		cell.Pairs = cell.Pairs[:min(len(cell.Pairs), rounds[cell.Page])]
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
	run := studies.Run{Metrics: r.Metrics, Warnings: r.Warnings}
	s := d.Score(studies.Trial{State: studies.Complete, Runs: []studies.Run{run}})
	if s.State != studies.Complete {
		r.State, r.Reason = harness.State(s.State), s.Reason
	} else if reason := s.incomparable(run); reason != "" {
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
