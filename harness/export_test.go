package harness

import "github.com/gctune/gctune/harness/process"

// GrowthOf is growthOf: slope and interval in bytes per second, and whether it
// would be told as steady growth or as a step.
func GrowthOf(m process.MemorySummary) (slope, low, high float64, told, stepped, known bool) {
	g, known := growthOf(m)
	return g.slope, g.low, g.high, !g.steady(), g.stepped(), known
}

// The functions themselves.
var (
	Seen         = seen
	CPUShare     = cpuShare
	ParseMetrics = parseMetrics
)
