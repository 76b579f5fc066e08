package main

import (
	"fmt"
	"math"

	"github.com/gctune/gctune/tuner"
)

// changed is the change of speed, as a share, beyond which it is another machine
// rather than the same one with a drift: a correction for it is a rough one.
const changed = 0.2

// driftText says how the machine's speed went, and what was done about it.
func driftText(d tuner.Drift) string {
	largest, at := 0.0, 1
	for i := 1; i < len(d.Levels); i++ {
		if step := d.Levels[i] - d.Levels[i-1]; math.Abs(step) > math.Abs(largest) {
			largest, at = step, i
		}
	}
	share := math.Expm1(largest)
	word := "faster"
	if share < 0 {
		word = "slower"
	}
	text := fmt.Sprintf("the machine became %.0f %% %s between trials %d and %d, as the baseline's runs show (F(%.0f, %.0f) = %.1f, p %s)",
		100*math.Abs(share), word, d.After[at-1], d.After[at], d.RepeatDegrees, d.NeighbourDegrees, d.F, probability(d.P))
	if math.Abs(share) > changed {
		text += ": it has changed, and trials from before and after can hardly be compared; replay what matters, or begin another study"
	}
	return text + "; throughput is corrected for it, and intervals are wider"
}

func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("= %.3f", p)
}
