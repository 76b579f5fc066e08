// Package gcmodel is a simulation of Ruby's heap. Calibrated from the log of one
// run's collections it predicts, for settings that were never run, how often the
// collector will run and how much memory the program will take.
//
// Everything in it is a pure function of its arguments.
package gcmodel

// Log is what was recorded of the collections of one run of a program.
type Log struct {
	// Ruby is the interpreter's own description of itself.
	Ruby string `json:"ruby"`
	// Setting is what the run was given; what is missing was left to the
	// interpreter.
	Setting map[string]string `json:"setting"`
	// Processes are those that answer requests, or the one program that ran to its
	// end.
	Processes []Process `json:"processes"`
	// Ran is how many processes there were, where Processes are only those of them that
	// collected most; 0 where they are all.
	Ran int `json:"ran,omitempty"`
	// Requests were answered in the window by all processes together; for a program
	// that ran to its end, its work.
	Requests float64 `json:"requests"`
	// MemoryBytes is the memory of the whole tree of processes by the study's
	// measure, most often its peak in the window.
	MemoryBytes float64 `json:"memory_bytes"`
}

// Process is one process of a run.
type Process struct {
	// Collections are all since the process began, in their order. Those of a
	// forked process begin with its parent's, up to the fork. The first ones, which
	// ran before recording began, are there with no figures: their Slots are 0.
	Collections []Collection `json:"collections"`
	// Marks are in the order of time.
	Marks []Mark `json:"marks"`
}

// Collection is one garbage collection. What an interpreter does not tell is 0.
type Collection struct {
	// Slots the heap had as it ended, before any growth that followed.
	Slots int64 `json:"slots"`
	// Live are the slots in use when everything was swept that it could free.
	Live int64 `json:"live"`
	// Free are the slots that were free as it began, which only patched Rubies before
	// 2.1 tell: where there were any, it was not started for want of slots.
	Free int64 `json:"free,omitempty"`
	// MallocBytes were allocated beside the slots since the collection before.
	MallocBytes int64 `json:"malloc_bytes,omitempty"`
	// Seconds of CPU time that it took.
	Seconds float64 `json:"seconds,omitempty"`
	// Major: it looked at all objects. Where the collector has no generations all
	// are.
	Major bool `json:"major,omitempty"`
	// By says in the interpreter's words what started it ("newobj", "malloc"), and
	// MajorBy what made it major ("oldgen", "shady", "nofree").
	By      string `json:"by,omitempty"`
	MajorBy string `json:"major_by,omitempty"`
}

// Inherited is the number of a process's first collections that one of others has,
// too: those of a process that both were forked from. A collection of which nothing is
// known is taken for the same where all before it are.
func Inherited(others []Process, p Process) int {
	most := 0
	for _, other := range others {
		n := 0
		for n < min(len(other.Collections), len(p.Collections)) && other.Collections[n] == p.Collections[n] {
			n++
		}
		most = max(most, n)
	}
	return most
}

// The marks of a run.
const (
	Boot   = "boot"   // the server was ready, or the program began its work
	Warmup = "warmup" // warm-up was over and the window began
	Window = "window" // the window was over
)

// Mark is the state of a process at one moment of a run.
type Mark struct {
	Name string `json:"name"`
	// Collections of the process that were over.
	Collections int64 `json:"collections"`
	// Requests that the server as a whole had answered since it was started.
	Requests float64 `json:"requests"`
	// RSSBytes and PSSBytes are the process's memory, PeakRSSBytes the most it ever
	// had; 0 where not known.
	RSSBytes     int64 `json:"rss_bytes,omitempty"`
	PSSBytes     int64 `json:"pss_bytes,omitempty"`
	PeakRSSBytes int64 `json:"peak_rss_bytes,omitempty"`
	// Stat is what GC.stat said, and Heaps GC.stat_heap from Ruby 3.1 on.
	Stat  map[string]float64         `json:"stat,omitempty"`
	Heaps map[int]map[string]float64 `json:"heaps,omitempty"`
}
