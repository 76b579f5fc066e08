package ruby

import "strings"

// gcPrefixes and gcNames are all that any known Ruby reads to set its
// collector, including the one that replaces the collector as a whole.
var (
	gcPrefixes = []string{"RUBY_GC_", "RUBY_HEAP_", "MMTK_"}
	gcNames    = []string{"RUBY_FREE_MIN"}
)

// IsGCVariable reports whether an environment variable can set the collector
// of some Ruby, also one of another line. Such variables are scrubbed from the
// environment of every run, so that a baseline is a baseline.
func IsGCVariable(name string) bool {
	for _, prefix := range gcPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, exact := range gcNames {
		if name == exact {
			return true
		}
	}
	return false
}

// Scrub splits an environment of NAME=VALUE texts into what a run may inherit
// and what would set the collector.
func Scrub(env []string) (kept, removed []string) {
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if IsGCVariable(name) {
			removed = append(removed, entry)
		} else {
			kept = append(kept, entry)
		}
	}
	return kept, removed
}
