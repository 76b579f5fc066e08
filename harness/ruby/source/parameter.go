package source

import "math"

// Parameter is one constant of a collector's source.
type Parameter struct {
	Name     string // as in the source; HEAP_SLOTS_INCREMENT stands for a statement
	Variable string // the environment variable of the same meaning, on interpreters that read one
	Unit     string // "slots", "bytes" or "" for factors and ratios
	Real     bool
	Above    float64 // a value must be greater than this
	Zero     bool    // 0 is allowed nevertheless
	AtMost   float64 // and no greater than this; 0 for the type's own limit
	AtLeast  string  // kept at or above the value of this parameter
	Search   Range
	Effect   string // what a larger value does, in one line
}

// Range is where a search looks. The zero value means not worth searching.
type Range struct {
	Min, Max float64
	Log      bool
}

// legacyParameters are those of 1.8 and 1.9, up to 2.0, which hold them in an int.
var legacyParameters = []Parameter{
	{Name: "HEAP_MIN_SLOTS", Variable: "RUBY_HEAP_MIN_SLOTS", Unit: "slots", AtMost: math.MaxInt32, Search: Range{10000, 2e6, true},
		Effect: "a larger heap at boot: fewer collections, more memory from the start"},
	{Name: increment, Variable: "RUBY_HEAP_SLOTS_INCREMENT", Unit: "slots", AtMost: math.MaxInt32, Search: Range{10000, 2e6, true},
		Effect: "the heap grows by this many slots each time, in place of growing by a factor"},
	{Name: "FREE_MIN", Variable: "RUBY_HEAP_FREE_MIN", Unit: "slots", AtMost: math.MaxInt32, Search: Range{4096, 500000, true},
		Effect: "the heap grows when a collection frees fewer slots: fewer collections, more memory"},
	{Name: "GC_MALLOC_LIMIT", Variable: "RUBY_GC_MALLOC_LIMIT", Unit: "bytes", AtMost: math.MaxInt32, Search: Range{4e6, 256e6, true},
		Effect: "more bytes allocated before a collection: fewer collections, more memory"},
}

// increment is no constant of the source but the statement that grows the heap.
const increment = "HEAP_SLOTS_INCREMENT"

// modernParameters are those from 2.1 on. Which of them a file has differs by
// release; the ranges suit servers of 20 MB to a few GB.
var modernParameters = []Parameter{
	{Name: "GC_HEAP_INIT_SLOTS", Variable: "RUBY_GC_HEAP_INIT_SLOTS", Unit: "slots", Search: Range{10000, 2e6, true},
		Effect: "a larger heap at boot: fewer collections, more memory"},
	{Name: "GC_HEAP_INIT_BYTES", Variable: "RUBY_GC_HEAP_INIT_BYTES", Unit: "bytes", Search: Range{2.5e6, 100e6, true},
		Effect: "a larger heap at boot: fewer collections, more memory"},
	{Name: "GC_HEAP_FREE_SLOTS", Variable: "RUBY_GC_HEAP_FREE_SLOTS", Unit: "slots", Search: Range{4096, 600000, true},
		Effect: "more slots kept free after a collection"},
	{Name: "GC_HEAP_GROWTH_FACTOR", Variable: "RUBY_GC_HEAP_GROWTH_FACTOR", Real: true, Above: 1, Search: Range{1.05, 2.5, false},
		Effect: "the heap grows by larger steps"},
	{Name: "GC_HEAP_GROWTH_MAX_SLOTS", Variable: "RUBY_GC_HEAP_GROWTH_MAX_SLOTS", Unit: "slots", Zero: true, Search: Range{10000, 2e6, true},
		Effect: "a larger cap on one step of growth; 0 is none"},
	{Name: "GC_HEAP_GROWTH_MAX_BYTES", Variable: "RUBY_GC_HEAP_GROWTH_MAX_BYTES", Unit: "bytes", Zero: true, Search: Range{1e6, 100e6, true},
		Effect: "a larger cap on one step of growth; 0 is none"},
	{Name: "GC_HEAP_FREE_SLOTS_MIN_RATIO", Variable: "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO", Real: true, AtMost: 1, Search: Range{0.05, 0.4, false},
		Effect: "the heap grows when a smaller share of it is free"},
	{Name: "GC_HEAP_FREE_SLOTS_GOAL_RATIO", Variable: "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO", Real: true, Zero: true, AtMost: 1, AtLeast: "GC_HEAP_FREE_SLOTS_MIN_RATIO", Search: Range{0.1, 0.6, false},
		Effect: "the heap grows until this share of it is free"},
	{Name: "GC_HEAP_FREE_SLOTS_MAX_RATIO", Variable: "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO", Real: true, AtMost: 1, AtLeast: "GC_HEAP_FREE_SLOTS_GOAL_RATIO", Search: Range{0.2, 0.9, false},
		Effect: "pages are given back only beyond this free share"},
	{Name: "GC_HEAP_OLDOBJECT_LIMIT_FACTOR", Variable: "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR", Real: true, Zero: true, Search: Range{0.9, 4, true},
		Effect: "fewer full collections, more memory"},
	{Name: "GC_HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO", Variable: "RUBY_GC_HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO", Real: true, Zero: true,
		Effect: "fewer full collections for objects without write barriers"},
	{Name: "GC_MALLOC_LIMIT_MIN", Variable: "RUBY_GC_MALLOC_LIMIT", Unit: "bytes", Search: Range{4 << 20, 256 << 20, true},
		Effect: "more bytes allocated before a collection: fewer collections, more memory"},
	{Name: "GC_MALLOC_LIMIT_MAX", Variable: "RUBY_GC_MALLOC_LIMIT_MAX", Unit: "bytes", AtLeast: "GC_MALLOC_LIMIT_MIN", Search: Range{16 << 20, 1 << 30, true},
		Effect: "the limit above may grow further"},
	{Name: "GC_MALLOC_LIMIT_GROWTH_FACTOR", Variable: "RUBY_GC_MALLOC_LIMIT_GROWTH_FACTOR", Real: true, Above: 1, Search: Range{1.1, 2.5, false},
		Effect: "the limit grows by larger steps"},
	{Name: "GC_OLDMALLOC_LIMIT_MIN", Variable: "RUBY_GC_OLDMALLOC_LIMIT", Unit: "bytes", Search: Range{4 << 20, 256 << 20, true},
		Effect: "more bytes held by old objects before a full collection"},
	{Name: "GC_OLDMALLOC_LIMIT_MAX", Variable: "RUBY_GC_OLDMALLOC_LIMIT_MAX", Unit: "bytes", AtLeast: "GC_OLDMALLOC_LIMIT_MIN", Search: Range{16 << 20, 2 << 30, true},
		Effect: "the limit above may grow further"},
	{Name: "GC_OLDMALLOC_LIMIT_GROWTH_FACTOR", Variable: "RUBY_GC_OLDMALLOC_LIMIT_GROWTH_FACTOR", Real: true, Above: 1, Search: Range{1.1, 2.5, false},
		Effect: "the limit grows by larger steps"},
}

// PublicSettings are values in public use for the constants of 1.8 and 1.9, as
// starting points for a search; for later lines use the environment's.
func PublicSettings() []map[string]string {
	set := func(min, step, free, limit string) map[string]string {
		return map[string]string{"HEAP_MIN_SLOTS": min, increment: step, "FREE_MIN": free, "GC_MALLOC_LIMIT": limit}
	}
	return []map[string]string{
		set("600000", "600000", "100000", "60000000"),
		set("600000", "600000", "20000", "60000000"),
	}
}
