package tuner_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/tuner"
)

// newComparison compares two variants on two pages. The error share is what a
// test makes of it.
func newComparison(t *testing.T, constraints ...string) *tuner.Comparison {
	t.Helper()
	c := &tuner.Comparison{
		Cells:      []tuner.Cell{{Variant: "a", Page: "one"}, {Variant: "b", Page: "one"}, {Variant: "a", Page: "two"}, {Variant: "b", Page: "two"}},
		Variants:   2,
		Rounds:     3,
		Definition: tuner.Definition{Objectives: objective.Objectives{Throughput: "throughput", Memory: "memory"}},
		Observe:    func(int, int, harness.Result) {},
	}
	for _, text := range constraints {
		constraint, err := objective.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Definition.Constraints = append(c.Definition.Constraints, constraint)
	}
	return c
}

func measured(throughput float64, more map[string]float64) harness.Result {
	metrics := map[string]float64{"throughput": throughput, "memory": 100, "error_share": 0}
	maps.Copy(metrics, more)
	return harness.Result{State: harness.Complete, Metrics: metrics, Warnings: []string{"GET /: 503"}}
}

// Figures that break a constraint are none: wrong answers at once, others by
// their mean over the rounds.
func TestComparisonKeepsConstraints(t *testing.T) {
	c := newComparison(t, "error_share <= 0", "throughput >= 10")
	calls := map[int]int{}
	c.Measure = func(_ context.Context, cell int) (harness.Result, error) {
		calls[cell]++
		switch cell {
		case 1:
			return measured(50, map[string]float64{"error_share": 0.8}), nil
		case 2: // 8, 11 and 14: the mean is within the limit
			return measured(5+3*float64(calls[cell]), nil), nil
		case 3: // 2, 4 and 16: it is not, whose geometric mean is 5.04
			return measured(map[int]float64{1: 2, 2: 4, 3: 16}[calls[cell]], nil), nil
		}
		return measured(50, nil), nil
	}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for cell, want := range []string{"", "infeasible: violates error_share <= 0 (measured 0.8): GET /: 503", "", "violates throughput >= 10 (measured 5.04)"} {
		if got := c.Cells[cell].Failure; got != want {
			t.Errorf("cell %d failed with %q, want %q", cell, got, want)
		}
		if _, _, ok := c.Cells[cell].Estimate("throughput"); ok != (want == "") {
			t.Errorf("cell %d has figures: %v", cell, ok)
		}
	}
	if calls[1] != 1 {
		t.Errorf("the cell with wrong answers was measured %d times", calls[1])
	}
}

// An interrupt leaves the rounds in which all cells of a page were measured.
func TestInterruptedComparison(t *testing.T) {
	c := newComparison(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	c.Measure = func(ctx context.Context, cell int) (harness.Result, error) {
		if n++; n == 8 { // the second round goes 1 2 3 0: page two is complete in it, page one is not
			cancel()
			return harness.Result{}, ctx.Err()
		}
		return measured(float64(n), nil), nil
	}
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	for cell, want := range []int{1, 1, 2, 2} {
		if got := len(c.Cells[cell].Runs); got != want {
			t.Errorf("cell %d has %d rounds, want %d", cell, got, want)
		}
	}
}

// A cell that failed before does not keep its page from having rounds, and is not
// measured.
func TestComparisonLeavesOut(t *testing.T) {
	c := newComparison(t)
	c.Cells[0].Failure = "its build failed"
	c.Measure = func(_ context.Context, cell int) (harness.Result, error) {
		if cell == 0 {
			t.Error("measured what cannot be")
		}
		return measured(1, nil), nil
	}
	if err := c.Run(t.Context()); err != nil || !strings.Contains(c.Cells[0].Failure, "build") || len(c.Cells[1].Runs) != 3 {
		t.Errorf("%v: %+v", err, c.Cells)
	}
}

// Cells are measured beside the first one of their page, in balanced order; the
// first one has one run a round, however many are measured beside it.
func TestComparisonInPairs(t *testing.T) {
	c := newComparison(t)
	c.Cells = append(c.Cells[:2], tuner.Cell{Variant: "c", Page: "one"})
	c.Variants, c.Rounds = 3, 4
	alone, orders, phases := 0, map[int]int{}, []float64{}
	c.Measure = func(context.Context, int) (harness.Result, error) { alone++; return measured(1, nil), nil }
	c.MeasurePair = func(_ context.Context, cell, first int, firstFirst bool, phase float64) (a, b harness.Result, err error) {
		if first != 0 {
			t.Errorf("cell %d was measured beside %d", cell, first)
		}
		if firstFirst {
			orders[cell]++
		}
		phases = append(phases, phase)
		return measured(100*float64(cell), nil), measured(10*float64(cell), nil), nil
	}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alone != 0 || orders[1] != 2 || orders[2] != 2 {
		t.Errorf("%d were measured alone; the first came first in %v of 4 pairs", alone, orders)
	}
	if !slices.Equal(phases, []float64{0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5}) { // two cells, in both orders
		t.Errorf("phases %v", phases)
	}
	first := c.Cells[0]
	if len(first.Runs) != 4 || len(first.Pairs) != 0 || !(math.Abs(first.Runs[0]["throughput"]-math.Sqrt(200)) < 1e-9) {
		t.Errorf("the first: %+v", first) // the geometric mean of 10 and 20
	}
	for _, cell := range c.Cells[1:] {
		if len(cell.Runs) != 4 || len(cell.Pairs) != 4 || cell.Pairs[3].Setting["throughput"] != 10*cell.Pairs[3].Baseline["throughput"] {
			t.Errorf("%+v", cell)
		}
	}
}

// Where two do not fit into memory all are measured apart; a first one that nothing
// works beside is measured by itself, and others where the first one fails.
func TestComparisonApart(t *testing.T) {
	for name, pair := range map[string]func() (a, b harness.Result){
		"no room": func() (a, b harness.Result) {
			return harness.Result{State: harness.Infeasible, LackedMemory: true}, harness.Result{}
		},
		"the others fail": func() (a, b harness.Result) {
			return harness.Result{State: harness.Failed, Reason: "exited"}, harness.Result{}
		},
		"the first fails": func() (a, b harness.Result) {
			return harness.Result{}, harness.Result{State: harness.Failed, Reason: "exited"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newComparison(t)
			c.Measure = func(context.Context, int) (harness.Result, error) { return measured(50, nil), nil }
			c.MeasurePair = func(context.Context, int, int, bool, float64) (a, b harness.Result, err error) {
				a, b = pair()
				return a, b, nil
			}
			if err := c.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, cell := range c.Cells {
				isFirst := cell.Variant == "a"
				failed := name == "the others fail" && !isFirst || name == "the first fails" && isFirst
				if failed != (cell.Failure != "") || !failed && len(cell.Runs) < c.Rounds-1 || len(cell.Pairs) > 0 {
					t.Errorf("%+v", cell)
				}
			}
		})
	}
}
