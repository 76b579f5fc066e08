package tuner

import (
	"context"
	"fmt"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
)

// Cell is one variant on one page.
type Cell struct {
	Variant, Page string
	// Runs holds the metrics of each round.
	Runs []map[string]float64
	// Failure is why the cell has no figures; empty while it has.
	Failure string
}

// Comparison measures cells in rounds: each round measures every cell once, and
// begins with another one, so that drift hits all alike.
type Comparison struct {
	Cells  []Cell
	Rounds int
	// Measure runs one cell once.
	Measure func(ctx context.Context, cell int) (harness.Result, error)
	// Observe is told after each run.
	Observe func(round, cell int, result harness.Result)
}

// Run measures all cells. A cell that cannot be measured has its failure, and is
// left alone from then on.
func (c *Comparison) Run(ctx context.Context) error {
	for round := range c.Rounds {
		for i := range c.Cells {
			at := (i + round) % len(c.Cells)
			if c.Cells[at].Failure != "" {
				continue
			}
			result, err := c.Measure(ctx, at)
			if err != nil {
				return err
			}
			if result.State == harness.Complete {
				c.Cells[at].Runs = append(c.Cells[at].Runs, result.Metrics)
			} else {
				c.Cells[at].Failure = fmt.Sprintf("%s: %s", result.State, result.Reason)
			}
			c.Observe(round, at, result)
		}
	}
	return nil
}

// Values are a metric's in all rounds, nil when one lacks it.
func (c Cell) Values(metric string) []float64 {
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

// Estimate is a metric's geometric mean over the rounds, with its interval.
func (c Cell) Estimate(metric string) (objective.Interval, bool) {
	return objective.MeanInterval(c.Values(metric))
}
