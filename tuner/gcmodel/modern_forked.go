package gcmodel

import "math"

// A forked process shares with the one that had booted what neither writes to. The
// kernel copies a page as it is written to.
const kernelPage = 4096

// Mark bits are beside the pages of slots (gc.c, struct heap_page), so that marking
// writes to hardly any. Sweeping does, which puts the dead into lists of free slots
// (heap_page_add_freeobj) and frees what they have beside them, and so do the objects
// that take their places. Of runs with two workers /proc/PID/smaps told how much of
// what they were forked with had been written to when a window was over, by what was
// dead or free at the fork.
const (
	// clustered are the free slots, or the bytes of the dead, of a kernel page, of which
	// most such pages have some.
	clustered = 4
	// haveBytes is the share of objects with memory beside their slot.
	haveBytes = 0.25
	// anyway is the share of the memory beside the slots that is written to even if
	// next to nothing was dead: caches of methods and constants, tables, mark bits.
	anyway = 0.45
)

// writtenOf is the share of so many bytes that is written to where so many things in
// them are.
func writtenOf(things, bytes float64) float64 {
	if bytes <= 0 {
		return 0
	}
	return 1 - math.Exp(-things/(bytes/kernelPage)/clustered)
}

// slotsWritten is the share of the pages as of boot that a forked process writes to.
func (o outcome) slotsWritten(bytes float64) float64 { return writtenOf(o.bootFree, bytes) }

// besideWritten is that share of the memory beside them. What was freed before the
// fork is no different from what lives: threads that serve have arenas of malloc of
// their own, and do not take from it.
func (o outcome) besideWritten(bytes float64) float64 {
	return anyway + (1-anyway)*writtenOf(o.bootLeft*haveBytes, bytes)
}

// learnInherited finds how much memory beside its pages a forked process began with,
// less what dead objects of boot took.
func (m *model) learnInherited(r run, o outcome) {
	boot := r.trace.marks[0]
	pages := finite(boot.Stat["heap_allocated_pages"]) * m.pageBytes()
	m.inherited = max(0, finite(float64(boot.RSSBytes))-pages-o.bootDead*m.app.costs.bootMemory)
}
