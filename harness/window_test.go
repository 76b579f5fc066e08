package harness_test

import (
	"math"
	"testing"

	"github.com/gctune/gctune/harness"
)

// Twenty answers that take half a second each keep a server for ten of the window's
// twelve seconds. It had a processor for four of them.
func TestShareOfTimeOnAProcessor(t *testing.T) {
	window := map[string]float64{"requests": 20, "latency_mean_seconds": 0.5, "window_seconds": 12}
	if share := harness.CPUShare(4, window); math.Abs(share-0.4) > 1e-9 {
		t.Errorf("share %g, want .4", share)
	}
	window["latency_mean_seconds"] = 2 // several at a time
	if share := harness.CPUShare(6, window); math.Abs(share-0.5) > 1e-9 {
		t.Errorf("share %g of the window, want .5", share)
	}
	for cpu, metrics := range map[float64]map[string]float64{30: window, 1: {}} {
		if share := harness.CPUShare(cpu, metrics); share != 1 {
			t.Errorf("share %g of %g s and %v, want 1", share, cpu, metrics)
		}
	}
}
