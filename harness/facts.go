package harness

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gctune/gctune/harness/process"
)

// The facts about a running server that cannot be known before it runs.
const (
	// FactWorkers is the number of processes that answer requests.
	FactWorkers = "workers"
	// FactAllocator is the allocator that is loaded into them.
	FactAllocator = "allocator loaded"
	// FactRuby is how the interpreter describes itself in them, with the compiler
	// that is on.
	FactRuby = "ruby running"
)

// facts are those of the serving workers; what cannot be read is left out.
func facts(workers map[int]worker) map[string]string {
	found := map[string]string{}
	var allocators, rubies []string
	answering := serving(workers)
	for _, w := range answering {
		if allocator := process.Allocator(w.PID); allocator != "" {
			allocators = append(allocators, allocator)
		}
		if w.report != nil {
			rubies = append(rubies, w.report.Description)
		}
	}
	if len(answering) > 0 {
		found[FactWorkers] = strconv.Itoa(len(answering))
	}
	for name, values := range map[string][]string{FactAllocator: allocators, FactRuby: rubies} {
		slices.Sort(values)
		if text := strings.Join(slices.Compact(values), ", "); text != "" {
			found[name] = text
		}
	}
	return found
}
