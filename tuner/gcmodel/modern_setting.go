package gcmodel

import (
	"math"
	"strconv"
	"strings"
)

// pools is the number of size pools of the interpreters that have them
// (gc.c, SIZE_POOL_COUNT; gc/default/default.c, HEAP_COUNT).
const pools = 5

// params are the parameters of CRuby's collector from 2.4 on, by the names of
// gc.c (ruby_gc_params_t).
type params struct {
	initSlots                 [pools]float64 // one number for all before 3.3
	initGiven                 bool
	freeSlots, growthMaxSlots float64
	growthFactor              float64
	minRatio, goalRatio       float64
	maxRatio                  float64
	oldFactor, shadyRatio     float64
	mallocMin, mallocMax      float64
	mallocGrowth              float64
	oldMallocMin              float64
	oldMallocMax              float64
	oldMallocGrowth           float64
}

const mib = 1 << 20

// defaultParams are those of gc.c, gc_params, which have stayed since 2.4.
func defaultParams() params {
	return params{
		initSlots: [pools]float64{10000, 10000, 10000, 10000, 10000},
		freeSlots: 4096, growthFactor: 1.8,
		minRatio: 0.20, goalRatio: 0.40, maxRatio: 0.65,
		oldFactor: 2,
		mallocMin: 16 * mib, mallocMax: 32 * mib, mallocGrowth: 1.4,
		oldMallocMin: 16 * mib, oldMallocMax: 128 * mib, oldMallocGrowth: 1.2,
	}
}

// paramsOf reads a setting in the order, and with the bounds, of gc.c,
// ruby_gc_set_params: a value out of bounds is as none.
func paramsOf(setting map[string]string, r poolRules) params {
	p := defaultParams()
	s := settingReader{setting}
	s.size("HEAP_FREE_SLOTS", &p.freeSlots)
	if r >= from33 {
		for i := range p.initSlots {
			s.size("HEAP_"+strconv.Itoa(i)+"_INIT_SLOTS", &p.initSlots[i])
		}
	} else {
		p.initGiven = s.size("HEAP_INIT_SLOTS", &p.initSlots[0])
		for i := range p.initSlots {
			p.initSlots[i] = p.initSlots[0]
		}
	}
	s.real("HEAP_GROWTH_FACTOR", &p.growthFactor, 1, math.Inf(1), false)
	s.size("HEAP_GROWTH_MAX_SLOTS", &p.growthMaxSlots)
	s.real("HEAP_FREE_SLOTS_MIN_RATIO", &p.minRatio, 0, 1, false)
	s.real("HEAP_FREE_SLOTS_MAX_RATIO", &p.maxRatio, p.minRatio, 1, false)
	s.real("HEAP_FREE_SLOTS_GOAL_RATIO", &p.goalRatio, p.minRatio, p.maxRatio, true)
	s.real("HEAP_OLDOBJECT_LIMIT_FACTOR", &p.oldFactor, 0, math.Inf(1), true)
	if r >= from33 {
		p.shadyRatio = 0.01
		s.real("HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO", &p.shadyRatio, 0, math.Inf(1), true)
	}
	s.size("MALLOC_LIMIT", &p.mallocMin)
	s.size("MALLOC_LIMIT_MAX", &p.mallocMax)
	s.real("MALLOC_LIMIT_GROWTH_FACTOR", &p.mallocGrowth, 1, math.Inf(1), false)
	s.size("OLDMALLOC_LIMIT", &p.oldMallocMin)
	s.size("OLDMALLOC_LIMIT_MAX", &p.oldMallocMax)
	s.real("OLDMALLOC_LIMIT_GROWTH_FACTOR", &p.oldMallocGrowth, 1, math.Inf(1), false)
	return p
}

type settingReader struct{ setting map[string]string }

// size reads as gc.c, get_envparam_size: a whole number above 0, perhaps with
// k, m or g.
func (s settingReader) size(name string, to *float64) bool {
	text := strings.TrimRight(s.setting["RUBY_GC_"+name], " ")
	unit := 1.0
	if text != "" {
		if at := strings.IndexByte("kmg", text[len(text)-1]|0x20); at >= 0 && !strings.HasPrefix(text, "0x") {
			unit, text = math.Pow(1024, float64(at+1)), text[:len(text)-1]
		}
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil || n <= 0 {
		return false
	}
	*to = float64(n) * unit
	return true
}

// real reads as gc.c, get_envparam_double.
func (s settingReader) real(name string, to *float64, above, most float64, zero bool) {
	x, err := strconv.ParseFloat(s.setting["RUBY_GC_"+name], 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	if x > above && x <= most || zero && x == 0 {
		*to = x
	}
}
