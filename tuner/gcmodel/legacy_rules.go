package gcmodel

import (
	"math"
	"strings"
)

// legacyRules are what tells the collectors of the 1.8 line apart: stock, with
// the Railsbench patch, Ruby Enterprise Edition (REE) and MBARI. All are of gc.c,
// read in stock 1.8.7-p72, the same with ruby186gc.patch of skaes/railsbench, the
// branch v1_8_7_72-mbari of brentr/matzruby, and the branch railsbench of
// FooBarWidget/rubyenterpriseedition187-330.
type legacyRules struct {
	// floor: the malloc limit of the setting is only a floor under the live one,
	// which starts at limit and moves where it was overshot (gc_sweep of Railsbench).
	// Elsewhere the live limit starts where the setting says.
	floor bool
	// limit is the malloc limit where nothing is set (GC_MALLOC_LIMIT), in bytes.
	limit float64
	// reals: the growth factor is read by atof (REE, railsexpress), otherwise by atoi,
	// which makes 1 of 1.8 (set_gc_parameters).
	reals bool
	// multiplies: where no increment is set each slab is 1.8 times the one before
	// (add_heap of stock and MBARI); otherwise it grows by the increment, and that by
	// its factor.
	multiplies bool
	// early are the malloc bytes of an object as a program is read, as far as no collection
	// tells; 0 where it is half of what the first one tells.
	early float64
	// counts: a collection for want of slots leaves the count of malloc bytes as it is
	// (1.9.3 and 2.0).
	counts bool
}

// legacyRulesOf goes by the description, and where that is the same by whether
// the interpreter kept a log or reads its environment: stock does neither.
func legacyRulesOf(logs []Log) legacyRules {
	described := strings.ToLower(logs[0].Ruby)
	switch {
	case strings.Contains(described, "enterprise edition"):
		return legacyRules{limit: 16e6, reals: true}
	case strings.Contains(described, "mbari"):
		return legacyRules{limit: 16e6, multiplies: true}
	case readsEnvironment(logs):
		return legacyRules{floor: true, limit: 8e6, reals: givenFractions(logs)}
	}
	return legacyRules{limit: 8e6, multiplies: true}
}

func readsEnvironment(logs []Log) bool {
	for _, l := range logs {
		for name := range l.Setting {
			if strings.HasPrefix(name, "RUBY_") {
				return true
			}
		}
		for _, p := range l.Processes {
			if len(p.Collections) > 0 {
				return true
			}
		}
	}
	return false
}

// givenFractions: railsexpress describes itself as the Railsbench patch does, but
// reads reals; and only where they are read does a run get one.
func givenFractions(logs []Log) bool {
	for _, l := range logs {
		if strings.Contains(l.Setting[legacyFactor], ".") {
			return true
		}
	}
	return false
}

const legacyFactor = "RUBY_HEAP_SLOTS_GROWTH_FACTOR"

// legacyTuning is a setting as the collector reads it.
type legacyTuning struct {
	minSlots, increment, factor, freeMin float64
	start, floor                         float64 // of the live malloc limit, bytes
	multiplies                           bool
}

// read follows set_gc_parameters; constants compiled in have the same names
// without RUBY_, as far as they have any.
func (r legacyRules) read(setting map[string]string) legacyTuning {
	t := legacyTuning{minSlots: 10000, increment: 10000, factor: 1.8, freeMin: 4096, start: r.limit, multiplies: r.multiplies}
	take := func(to *float64, names ...string) bool {
		for _, name := range names {
			if x := leadingNumber(setting[name], false); x > 0 {
				*to = x
				return true
			}
		}
		return false
	}
	take(&t.minSlots, "RUBY_HEAP_MIN_SLOTS", "HEAP_MIN_SLOTS")
	take(&t.freeMin, "RUBY_HEAP_FREE_MIN", "FREE_MIN")
	if take(&t.increment, "RUBY_HEAP_SLOTS_INCREMENT", "HEAP_SLOTS_INCREMENT") && t.multiplies {
		t.multiplies, t.factor = false, 1
	}
	if x := leadingNumber(setting[legacyFactor], r.reals); x > 0 {
		t.factor = x
	}
	take(&t.start, "GC_MALLOC_LIMIT")
	if r.floor {
		take(&t.floor, "RUBY_GC_MALLOC_LIMIT")
	} else {
		take(&t.start, "RUBY_GC_MALLOC_LIMIT")
	}
	return t
}

// leadingNumber is C's atoi, and atof as far as settings use it: what follows the
// number is cut off. What 32 bits cannot hold counts as nothing.
func leadingNumber(text string, real bool) float64 {
	x, scale := 0.0, 0.0
	for _, c := range strings.TrimLeft(text, " \t\n") {
		switch {
		case c >= '0' && c <= '9' && scale == 0:
			x = 10*x + float64(c-'0')
		case c >= '0' && c <= '9':
			x, scale = x+float64(c-'0')*scale, scale/10
		case c == '.' && real && scale == 0:
			scale = 0.1
		default:
			return inInt(x)
		}
	}
	return inInt(x)
}

func inInt(x float64) float64 {
	if x > math.MaxInt32 {
		return 0
	}
	return x
}
