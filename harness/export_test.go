package harness

import (
	"time"

	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/process"
)

// Counts are what a look finds of a process: its number, and what the probe tells, or
// nil where it does not answer.
type Counts map[int]*probe.Report

func (c Counts) workers() map[int]worker {
	all := map[int]worker{}
	for pid, report := range c {
		all[pid] = worker{Process: process.Process{PID: pid}, report: report}
	}
	return all
}

// UsedOnce says whether, at the last of several looks, all slots have been used.
func UsedOnce(looks ...Counts) bool {
	first := looks[0].workers()
	for _, l := range looks[1:] {
		first = joined(first, l.workers())
	}
	return usedOnce(first, looks[len(looks)-1].workers())
}

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

// Reminders is reminder.due of a wait that begins.
func Reminders() func(waited time.Duration) bool {
	r := reminder{soon}
	return r.due
}
