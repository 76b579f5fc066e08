package gcmodel

import (
	"fmt"
	"math"
	"slices"
)

// isLazy is for the interpreters that sweep lazily and have no generations, 1.9.3 and 2.0.
func isLazy(v version, _ string) bool {
	return v == version{1, 9, 3} || v.major == 2 && v.minor == 0
}

// lazyRules are what tells their collectors apart. All are of gc.c, read at the tags
// v1_9_3_551 and v2_0_0_648.
type lazyRules struct {
	// perPage are the slots that a page is counted with (HEAP_OBJ_LIMIT), used those that
	// it has as a mean.
	perPage, used float64
	// first are the pages that there are when settings are read. They were seen: the
	// interpreter has grown by four fifths once or twice by then.
	first float64
	// early are the malloc bytes of an object while the libraries of a server are read, as
	// was seen of WEBrick's.
	early float64
	// doubt is the relative standard deviation of how many collections there are, beside
	// what chance does to a heap.
	doubt float64
	// keeps: where the setting asks for more free slots than a fifth of all, no page is
	// given back; otherwise none is until as many are free as it asks for
	// (before_gc_sweep).
	keeps bool
	// adds: pages that are added in a sweep count among what it has found
	// (assign_heap_slot).
	adds bool
	// ends: where slots have run out the sweep before ends with after_gc_sweep, so that the
	// heap may grow and malloc bytes count anew. It does where the last pages that are
	// swept have no free slot (lazy_sweep). 1.9.3 was seen to do so, 2.0 only in boot.
	ends bool
}

func lazyRulesOf(v version) lazyRules {
	if v.major == 1 {
		return lazyRules{perPage: 409, used: 408.9, first: 43, early: 160, doubt: 0.1, keeps: true, adds: true, ends: true}
	}
	return lazyRules{perPage: 407, used: 406.8, first: 78, early: 110, doubt: 0.06}
}

// lazyTuning is a setting as the collector reads it (rb_gc_set_params): what atoi makes of
// each value, where that is above 0. The malloc limit is a floor under the live one.
type lazyTuning struct{ minSlots, freeMin, start, floor float64 }

func readLazy(setting map[string]string) lazyTuning {
	t := lazyTuning{minSlots: 10000, freeMin: 4096, start: 8e6}
	for name, to := range map[string]*float64{"RUBY_HEAP_MIN_SLOTS": &t.minSlots, "RUBY_FREE_MIN": &t.freeMin, "RUBY_GC_MALLOC_LIMIT": &t.floor} {
		if x := leadingNumber(setting[name], false); x > 0 {
			*to = x
		}
	}
	return t
}

// lazyHeap predicts for 1.9.3 and 2.0. What the program does to its heap is learnt as for
// 1.8; the rules are others.
type lazyHeap struct {
	legacyHeap
	rules lazyRules
	// burst is how many objects more than usual the program allocates at most between two
	// collections that malloc begins.
	burst float64
}

func calibrateLazy(v version, logs []Log) (heap, error) {
	if slices.ContainsFunc(logs, patched) {
		return nil, fmt.Errorf("a log that the interpreter wrote itself, as patched ones do: %w", ErrUnknown)
	}
	rules := legacyRules{floor: true, limit: 8e6, counts: true, early: lazyRulesOf(v).early}
	h, read, err := learnLegacy(logs, rules)
	if err != nil {
		return nil, err
	}
	l := &lazyHeap{legacyHeap: *h, rules: lazyRulesOf(v), burst: burstOf(busiest(read))}
	l.program.doubt = math.Hypot(l.program.doubt, l.rules.doubt)
	l.recall(read)
	return l, nil
}

// patched ones read other variables, and grow by them. They write their logs themselves, in
// whole milliseconds; of stock ones a collection has the mean of all.
func patched(l Log) bool {
	timed := false
	for _, p := range l.Processes {
		for _, c := range p.Collections {
			if milliseconds := 1000 * c.Seconds; milliseconds != math.Round(milliseconds) {
				return false
			}
			timed = timed || c.Seconds > 0
		}
	}
	return timed
}

// recall learns what memory there is. As the program has booted the garbage of its boot is
// collected for the most part, and its memory is that of the pages and what does not depend
// on the setting.
func (h *lazyHeap) recall(read []legacyRead) {
	fixed, doubt := emptyLazyBytes+liveLazyBytes*h.program.live, 0.4
	if booted, known := h.booted(busiest(read)); known {
		fixed, doubt = booted, 0.06
	}
	m := h.program.newMemory(h.processes, fixed)
	m.mean[2], m.spread[2][2] = 0.2, square(0.15)
	m.spread[0][0] = square(doubt * fixed)
	h.memory = h.program.weighed(m, read)
}

// A process of 1.9.3 takes some 10 MB without the program's objects; with live objects, some
// 40 bytes each beside their slots.
const emptyLazyBytes, liveLazyBytes = 10e6, 40

// booted is the memory beside pages of a process that has booted, where a mark tells.
func (h *lazyHeap) booted(r legacyRead) (float64, bool) {
	for _, p := range r.log.Processes {
		for _, m := range p.Marks {
			memory := float64(max(m.PSSBytes, 0))
			if memory == 0 {
				memory = float64(m.RSSBytes)
			}
			if beside := memory - bytesPerSlot*finite(m.Stat["heap_used"])*h.rules.used; m.Name == Boot && memory > 0 && beside > 0 {
				return beside, true
			}
		}
	}
	return 0, false
}

// burstOf is of the window.
func burstOf(r legacyRead) float64 {
	var n, sum, highest float64
	for _, s := range r.stretches[r.marks.warm:r.marks.end] {
		if s.known {
			n, sum, highest = n+1, sum+s.objects, math.Max(highest, s.objects)
		}
	}
	return highest - sum/math.Max(n, 1)
}

func (h *lazyHeap) predict(setting map[string]string) Prediction {
	t := readLazy(setting)
	var s legacySamples
	for _, c := range h.program.chances() {
		c.boot, c.overshoots = lazyBoot, lazyOvershoots
		s.add(&h.legacyHeap, h.simulate(t, c))
	}
	for _, c := range edges() {
		c.boot = lazyBoot
		s.widen(&h.legacyHeap, h.simulate(t, c))
	}
	return s.prediction(&h.legacyHeap)
}

// lazyOvershoots is the share of collections begun by malloc that find its limit overshot
// when answers are put together, lazyBoot before: realloc counts all that it gives out, and
// begins no collection (vm_xrealloc).
const lazyOvershoots, lazyBoot = 0.7, 0.2
