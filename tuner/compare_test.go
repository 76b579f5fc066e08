package tuner_test

import (
	"context"
	"errors"
	"maps"
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
