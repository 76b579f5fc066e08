package harness_test

import (
	"slices"
	"testing"

	"github.com/gctune/gctune/harness"
)

// Any 2ᵏ in a row have one in each 2ᵏth of the range.
func TestPhasesAreSpreadEvenly(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8, 64} {
		var parts []int
		for i := range n {
			phase := harness.Phase(3*n + i)
			if phase < 0 || phase >= 1 {
				t.Fatalf("a phase of %v", phase)
			}
			parts = append(parts, int(phase*float64(n)))
		}
		slices.Sort(parts)
		if len(slices.Compact(parts)) != n {
			t.Errorf("%d phases lie in the parts %v", n, parts)
		}
	}
}
