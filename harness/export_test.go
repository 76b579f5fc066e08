package harness

import "github.com/gctune/gctune/harness/process"

// GrowthOf is growthOf: slope and interval in bytes per second, and whether it
// would be told.
func GrowthOf(m process.MemorySummary) (slope, low, high float64, told, known bool) {
	g, known := growthOf(m)
	return g.slope, g.low, g.high, g.told(), known
}
