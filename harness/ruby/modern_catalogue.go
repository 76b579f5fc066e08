package ruby

import (
	"fmt"
	"slices"
)

// row is a Parameter for a span of versions, from one on and below another.
// A name has several rows where its rules changed.
type row struct {
	from, below string // "" for no end
	Parameter
}

// The ranges searched end where a parameter stops to matter for servers of
// 20 MB to a few GB: a heap of 160 MB to begin with, ceilings of 2 to 4 GiB.
const (
	mib = 1 << 20
	gib = 1 << 30
)

// Source files, as tagged in github.com/ruby/ruby.
const (
	gcC      = "gc.c, ruby_gc_set_params"
	defaultC = "gc/default/default.c, rb_gc_impl_set_params"
	bug19284 = "https://bugs.ruby-lang.org/issues/19284"
)

const abortReason = "this release aborts at boot below %.0f initial slots (Bug #19284; fixed in 3.1.4 and 3.2.1)"

// modernRows is the catalogue for CRuby 2.1 and later. To add a parameter, add
// a row; order matters only for those kept at or above another.
var modernRows = slices.Concat(
	initSlots, perHeapSlots, initBytes, growth, freeSlots, freeRatios, oldObjects, mallocLimits, oldMallocLimits,
)

// initSlots has a row for each span of 3.x in which small values abort.
var initSlots = []row{
	{"2.1", "3.1.0", initSlotsRow(0, 4e6, "memory is taken at boot")},
	{"3.1.0", "3.1.4", initSlotsRow(9816, 4e6, "memory is taken at boot")},
	{"3.1.4", "3.2.0", initSlotsRow(0, 4e6, lazily)},
	// Of the pages of so many slots in all each heap takes a fifth. Nine are there when it
	// is read, and fewer cannot be added to (gc_set_initial_pages).
	{"3.2.0", "3.2.1", initSlotsRow(9*1638, 5e5, "memory is taken at boot; "+ofEachHeap)},
	{"3.2.1", "3.3.0", initSlotsRow(0, 5e5, ofEachHeap+"; "+lazily)},
}

const ofEachHeap = "each of five heaps may have so many slots free after a collection"

const lazily = "the slots are a budget, taken as they are needed"

func initSlotsRow(abortsBelow, most float64, note string) Parameter {
	p := Parameter{
		Name: "RUBY_GC_HEAP_INIT_SLOTS", Kind: Size, Default: "10000", Unit: "slots", SlotBytes: 40,
		Effect: "starts with a larger heap: fewer collections early on, more memory from the start",
		Note:   note, Source: gcC,
		Search: &Range{Min: 10000, Max: most, Log: true, Paged: true},
	}
	if abortsBelow > 0 {
		p.Bounds.AbortsBelow, p.Bounds.AbortReason = abortsBelow, fmt.Sprintf(abortReason, abortsBelow)
		p.Search.Min = max(p.Search.Min, abortsBelow)
		p.Source += "; " + bug19284
	}
	return p
}

// perHeapSlots: five heaps of 40, 80, 160, 320 and 640 bytes a slot; each range
// ends at 160 MB.
var perHeapSlots = []row{
	{"3.3.0", "4.1.0", heapSlotsRow(0, 40, 4e6)},
	{"3.3.0", "4.1.0", heapSlotsRow(1, 80, 2e6)},
	{"3.3.0", "4.1.0", heapSlotsRow(2, 160, 1e6)},
	{"3.3.0", "4.1.0", heapSlotsRow(3, 320, 5e5)},
	{"3.3.0", "4.1.0", heapSlotsRow(4, 640, 2.5e5)},
}

func heapSlotsRow(heap, slotBytes int, most float64) Parameter {
	return Parameter{
		Name: fmt.Sprintf("RUBY_GC_HEAP_%d_INIT_SLOTS", heap), Kind: Size, Default: "10000", Unit: "slots", SlotBytes: slotBytes,
		Effect: fmt.Sprintf("lets the heap of %d-byte slots grow to this size without a collection", slotBytes),
		Note:   lazily, Source: gcC + "; " + defaultC,
		Search: &Range{Min: 10000, Max: most, Log: true, Paged: true},
	}
}

var initBytes = []row{
	{"4.1.0", "", Parameter{
		Name: "RUBY_GC_HEAP_INIT_BYTES", Kind: Size, Default: "2621440", Unit: "bytes",
		Effect: "lets the heaps grow to this size without a collection",
		Source: defaultC, Search: &Range{Min: mib, Max: 512 * mib, Log: true, Step: mib / 4},
	}},
	{"4.1.0", "", Parameter{
		Name: "RUBY_GC_HEAP_GROWTH_MAX_BYTES", Kind: Size, Default: "0", Unit: "bytes",
		Effect: "caps each growth of the heap: less memory, more collections",
		Note:   "the default, no cap, cannot be written", Source: defaultC,
		Search: &Range{Min: mib / 4, Max: 256 * mib, Log: true, Step: mib / 4, UnsetActsAsMax: true},
	}},
}

var growth = []row{
	{"2.1", "4.1.0", Parameter{
		Name: "RUBY_GC_HEAP_GROWTH_MAX_SLOTS", Kind: Size, Default: "0", Unit: "slots", SlotBytes: 40,
		Effect: "caps each growth of the heap: less memory, more collections",
		Note:   "the default, no cap, cannot be written; below one page the heap grows by a page at a time up to 3.1, and not at all on 3.2 and 3.3", Source: gcC,
		Search: &Range{Min: 10000, Max: 2e6, Log: true, Paged: true, UnsetActsAsMax: true},
	}},
	{"2.1", "", Parameter{
		Name: "RUBY_GC_HEAP_GROWTH_FACTOR", Kind: Real, Default: "1.8",
		Bounds: Bounds{Above: 1},
		Effect: "lets the heap grow faster: fewer collections, more memory",
		Note:   "from 2.4 on only a cap, unless RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO is 0", Source: gcC,
		Search: &Range{Min: 1.03, Max: 3, Log: true, Digits: 3},
	}},
}

var freeSlots = []row{
	{"2.1", "", Parameter{
		Name: "RUBY_GC_HEAP_FREE_SLOTS", Kind: Size, Default: "4096", Unit: "slots", SlotBytes: 40,
		Effect: "keeps at least this many slots free after a collection: fewer collections, more memory",
		Source: gcC, Search: &Range{Min: 4096, Max: 1e6, Log: true, Digits: 3},
	}},
}

// freeRatios are one group, MIN < GOAL < MAX. The interpreter checks only the
// ones that are set, in the order MIN, MAX, GOAL. The ranges searched keep within
// the defaults of the others, so that each value is taken alone, too: somebody
// will copy one line of an export without the next.
var freeRatios = []row{
	{"2.4", "", Parameter{
		Name: "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO", Kind: Real, Default: "0.2",
		Bounds: Bounds{AtMost: 1},
		Effect: "grows the heap when less than this share is free after a collection",
		Source: gcC, Search: &Range{Min: 0.05, Max: 0.6, Digits: 3},
	}},
	{"2.4", "", Parameter{
		Name: "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO", Kind: Real, Default: "0.4",
		Bounds: Bounds{AboveName: "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO", AtMostName: "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO", Zero: true},
		Effect: "the share that is to be free after the heap has grown: fewer collections, more memory",
		Note:   "0 makes the heap grow by RUBY_GC_HEAP_GROWTH_FACTOR alone", Source: gcC,
		Search: &Range{Min: 0.21, Max: 0.65, Digits: 3, AtLeast: "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO", Gap: 0.01},
	}},
	{"2.4", "", Parameter{
		Name: "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO", Kind: Real, Default: "0.65",
		Bounds: Bounds{AboveName: "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO", AtMost: 1},
		Effect: "gives pages back when more than this share is free",
		Source: gcC, Search: &Range{Min: 0.25, Max: 0.95, Digits: 3, AtLeast: "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO", Gap: 0.01},
	}},
}

var oldObjects = []row{
	{"2.1.1", "2.4", oldObjectRow(false)},
	{"2.4", "", oldObjectRow(true)},
	{"3.3.0", "", Parameter{
		Name: "RUBY_GC_HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO", Kind: Real, Default: "0.01",
		Bounds: Bounds{Zero: true},
		Effect: "allows more unprotected objects before a major collection",
		Source: gcC, Search: &Range{Min: 0.002, Max: 0.5, Log: true, Digits: 3},
		ActsThrough: "gc_major_by_unprotected_share",
	}},
}

func oldObjectRow(zero bool) Parameter {
	return Parameter{
		Name: "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR", Kind: Real, Default: "2",
		Bounds: Bounds{Zero: zero},
		Effect: "allows the old objects to grow by this factor before a major collection",
		Source: gcC, Search: &Range{Min: 0.8, Max: 8, Log: true, Digits: 3},
		ActsThrough: "gc_major_by_oldobjects_share",
	}
}

var mallocLimits = through("gc_by_malloc_share",
	mallocRows("RUBY_GC_MALLOC_LIMIT", "any collection", "33554432", "1.4", 256*mib, 2*gib))

var oldMallocLimits = through("gc_major_by_oldmalloc_share",
	mallocRows("RUBY_GC_OLDMALLOC_LIMIT", "a major collection", "134217728", "1.2", 256*mib, 4*gib))

func through(metric string, rows []row) []row {
	for i := range rows {
		rows[i].ActsThrough = metric
	}
	return rows
}

func mallocRows(name, collection, max, growth string, mostLimit, mostMax float64) []row {
	return []row{
		{"2.1", "", Parameter{
			Name: name, Kind: Size, Default: "16777216", Unit: "bytes",
			Effect: "allows this much allocation outside the heap before " + collection,
			Note:   "the limit adapts between this and " + name + "_MAX", Source: gcC,
			Search: &Range{Min: 4 * mib, Max: mostLimit, Log: true, Step: mib},
		}},
		{"2.1", "", Parameter{
			Name: name + "_MAX", Kind: Size, Default: max, Unit: "bytes",
			Effect: "lets the limit rise to this", Source: gcC,
			Note:   "should be no less than " + name,
			Search: &Range{Min: 8 * mib, Max: mostMax, Log: true, Step: mib, AtLeast: name},
		}},
		{"2.1", "", Parameter{
			Name: name + "_GROWTH_FACTOR", Kind: Real, Default: growth,
			Bounds: Bounds{Above: 1},
			Effect: "lets the limit rise faster", Source: gcC,
			Note: "not searched by default: it only says how soon the limit is at its maximum, which is searched",
		}},
	}
}

// retired names are read nowhere, or only as an old name of another.
var retired = []struct{ name, from, below, reason string }{
	{"RUBY_GC_HEAP_INIT_SLOTS", "3.3.0", "4.1.0", "no effect from Ruby 3.3 on; use RUBY_GC_HEAP_0_INIT_SLOTS to RUBY_GC_HEAP_4_INIT_SLOTS"},
	{"RUBY_GC_HEAP_INIT_SLOTS", "4.1.0", "", "no effect from Ruby 3.3 on; use RUBY_GC_HEAP_INIT_BYTES"},
	{"RUBY_GC_HEAP_GROWTH_MAX_SLOTS", "4.1.0", "", "no effect from Ruby 4.1 on; use RUBY_GC_HEAP_GROWTH_MAX_BYTES"},
	{"RUBY_HEAP_MIN_SLOTS", "2.1", "3.0.0", "an old name of RUBY_GC_HEAP_INIT_SLOTS, which warns at every start; use the new one"},
	{"RUBY_HEAP_MIN_SLOTS", "3.0.0", "", "no effect from Ruby 3.0 on"},
	{"RUBY_FREE_MIN", "2.1", "3.0.0", "an old name of RUBY_GC_HEAP_FREE_SLOTS, which warns at every start; use the new one"},
	{"RUBY_FREE_MIN", "3.0.0", "", "no effect from Ruby 3.0 on; use RUBY_GC_HEAP_FREE_SLOTS"},
	{"RUBY_HEAP_FREE_MIN", "2.1", "", "read by patched Rubies up to 2.0 only; use RUBY_GC_HEAP_FREE_SLOTS"},
	{"RUBY_HEAP_SLOTS_INCREMENT", "2.1", "", "read by patched Rubies up to 2.0 only"},
	{"RUBY_HEAP_SLOTS_GROWTH_FACTOR", "2.1", "", "read by patched Rubies up to 2.0 only; use RUBY_GC_HEAP_GROWTH_FACTOR"},
}
