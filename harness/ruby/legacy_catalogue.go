package ruby

// The names that Rubies before 2.1 read, all of them patched ones but for the
// three that stock 1.9.3 and 2.0 know.
const (
	minSlots     = "RUBY_HEAP_MIN_SLOTS"
	increment    = "RUBY_HEAP_SLOTS_INCREMENT"
	growthFactor = "RUBY_HEAP_SLOTS_GROWTH_FACTOR"
	heapFreeMin  = "RUBY_HEAP_FREE_MIN"
	freeMin      = "RUBY_FREE_MIN"
	mallocLimit  = "RUBY_GC_MALLOC_LIMIT"
	listStep     = "RUBY_HEAP_INCREMENT"
)

// variant is one form of the collector before 2.1 that reads the environment.
// Versions do not tell them apart, so the binary is asked: for the texts that
// it contains, and for how it behaves.
type variant struct {
	name        string
	from, below string   // versions
	says        string   // what its description has in it; "" for anything
	contains    []string // what its binary has in it
	fractions   bool     // it was seen to read the growth factor as a real
	source      string   // where its rows were read
	parameters  []Parameter
	dead        []Dead // names that it reads to no effect
}

// Sources: the patches, and gc.c as tagged in github.com/ruby/ruby.
const (
	railsbenchSource   = "github.com/skaes/railsbench, ruby186gc.patch"
	enterpriseSource   = "github.com/FooBarWidget/rubyenterpriseedition187-330, gc.c"
	railsexpressSource = "github.com/skaes/rvm-patchsets, patches/ruby"
	stockSource        = "gc.c, rb_gc_set_params"
)

// laterGrowth is logged only by the form of railsexpress that grows the heap by
// the increment; earlier forms for 1.9 read the increment and leave it.
const laterGrowth = "heap size        : %7lu\n"

// variants is the catalogue for CRuby before 2.1; the first that fits counts.
// Stock 1.8, 1.9.1 and 1.9.2 and the MBARI patches are not in it, since they
// read no environment.
var variants = []variant{
	{
		name: "Ruby Enterprise Edition 1.8.7", from: "1.8", below: "1.9", fractions: true,
		says: "Ruby Enterprise Edition", contains: []string{growthFactor}, source: enterpriseSource,
		parameters: []Parameter{
			legacyMinSlots, compounding(legacyIncrement), legacyFactor, legacyFreeMin,
			limitFrom(4e6, "16000000", "taken at once; 8000000 is the default of 32-bit builds"),
		},
		dead: []Dead{listStepDead},
	},
	{
		name: "railsexpress 1.8.7", from: "1.8", below: "1.9", fractions: true,
		contains: []string{growthFactor}, source: railsexpressSource + "/1.8.7",
		parameters: []Parameter{
			legacyMinSlots, unchecked(compounding(legacyIncrement)), legacyFactor, legacyFreeMin, floorLimit,
		},
		dead: []Dead{listStepDead},
	},
	{
		name: "railsexpress 1.9.2", from: "1.9.2", below: "1.9.3",
		contains: []string{growthFactor}, source: railsexpressSource + "/1.9.2",
		parameters: []Parameter{legacyMinSlots, legacyFactor, legacyFreeMin, limitFrom(4e6, "8000000", "taken at once")},
		dead:       []Dead{incrementDead},
	},
	{
		name: "railsexpress 1.9.3, p392 and later; 2.0", from: "1.9.3", below: "2.1",
		contains: []string{growthFactor, laterGrowth}, source: railsexpressSource + "/1.9.3, /2.0.0",
		parameters: []Parameter{
			paged(legacyMinSlots), unchecked(paged(legacyIncrement)), legacyFactor, stockFreeMin,
			limitFrom(4e6, "8000000", "taken at once"),
		},
		dead: []Dead{otherFreeMinDead},
	},
	{
		name: "railsexpress 1.9.3, before p392", from: "1.9.3", below: "2.0",
		contains: []string{growthFactor}, source: railsexpressSource + "/1.9.3",
		parameters: []Parameter{paged(legacyMinSlots), legacyFactor, stockFreeMin, floorLimit},
		dead:       []Dead{incrementDead, otherFreeMinDead},
	},
	{
		name: "stock 1.9.3 and 2.0", from: "1.9.3", below: "2.1",
		contains: []string{freeMin}, source: stockSource,
		parameters: []Parameter{givenBack(paged(legacyMinSlots)), stockFreeMin, floorLimit},
	},
	{
		// Last, since whole factors are read alike by every patch.
		name: "Railsbench patch, 1.8.6 form", from: "1.8", below: "2.1", source: railsbenchSource,
		parameters: []Parameter{legacyMinSlots, compounding(legacyIncrement), wholeFactor, legacyFreeMin, floorLimit},
		dead:       []Dead{listStepDead},
	},
}
