package gcmodel

import (
	"regexp"
	"strconv"
	"strings"
)

// isEarly is for the interpreters with generations, before the free slots' ratios.
// Releases before 2.1.3 grew otherwise (gc.c, gc_after_sweep).
func isEarly(v version, _ string) bool {
	return v.atLeast(2, 1) && !v.atLeast(2, 4) && !(v.minor == 1 && v.teeny < 3)
}

// calibrateEarly has the model of later interpreters, with these ones' rules.
func calibrateEarly(v version, logs []Log) (heap, error) {
	e := early{atoi: !v.atLeast(2, 2)}
	k := earlyCosts
	if k.rules = &incrementalRules; e.atoi {
		k.rules, k.spread.memory = &atOnceRules, 0.2
	}
	read := make([]Log, len(logs))
	for i, l := range logs {
		read[i] = l
		read[i].Setting = e.read(l.Setting)
	}
	var err error
	e.heap, err = calibrate(read, k, onePool)
	return e, err
}

// earlyCosts: pages are of malloc's memory as they are up to 3.0. Bytes in memory were
// measured on a program on WEBrick, whose boot leaves little.
var earlyCosts = costs{first: 45, boot: 15, request: 45, bootMemory: 0.2, memory: 1.2, kept: 0.3,
	spread: spread{collections: 0.15, major: 0.5, memory: 0.08, pages: 0.12}}

// drifts: in 2.1 what is freed brings oldmalloc_increase down to next to nothing in the
// course of some collections, however much is new.
func (k costs) drifts() bool { return k.rules != nil && k.rules.atOnce }

// early tells the costs of these interpreters.
func (k costs) early() bool { return k.rules == &incrementalRules || k.rules == &atOnceRules }

// grown is the most that an object of a request has beside its slot, by what memory beside
// the pages there is more than as the program had booted, where boot leaves little.
func (r run) grown(k costs) float64 {
	t := r.trace
	boot := t.marks[0]
	if !k.early() || boot.RSSBytes == 0 || r.memory == 0 || r.processes != 1 {
		return mostBytes
	}
	beside := func(memory float64, m Mark) float64 {
		return memory - finite(m.Stat["heap_allocated_pages"])*k.rules.bytes
	}
	room := 0.0
	for i := max(1, t.iWarm+1); i < t.iEnd; i++ {
		if !t.cycles[i-1].major { // after one more seems to be free than is
			room = max(room, t.cycles[i].room)
		}
	}
	if room == 0 {
		return mostBytes
	}
	return max(leastBytes, (beside(r.memory, t.marks[2])-beside(float64(boot.RSSBytes), boot))/(room*k.memory))
}

// emptied is told in 2.1 by how many of the pages that the heap has grown by since boot
// lay in the tomb at a mark: those in the middle of a cycle are half of them. From 2.2 on
// pages come back from there while others are swept.
func (t *trace) emptied(k costs) float64 {
	if !k.drifts() {
		return k.emptied()
	}
	const again, most = 2, 0.75
	booted, share := finite(t.marks[0].Stat["heap_allocated_pages"]), 0.0
	for _, m := range t.marks[1:] {
		if grown := finite(m.Stat["heap_allocated_pages"]) - booted; grown > 0 {
			share = max(share, again*finite(m.Stat["heap_tomb_pages"])/grown)
		}
	}
	if share == 0 {
		share = k.emptied()
	}
	return min(share, most)
}

func (k costs) emptied() float64 {
	if k.rules == nil {
		return 0
	}
	return k.rules.emptied
}

// Pages are of 16 KiB less five words. Slots begin at a multiple of 40, so that of five
// pages two have one less (gc.c, heap_page_allocate).
var (
	// incrementalRules are those of 2.2 and 2.3.
	incrementalRules = rules{perPage: 408, used: 407.6, bytes: 16384 + 312, lags: true,
		overtime: 0.3, early: 0.4, emptied: 0.2, finish: (*oneHeap).finishIncremental}
	// atOnceRules are those of 2.1.
	atOnceRules = rules{perPage: 408, used: 407.6, bytes: 16384 + 264, atOnce: true, emptied: 0.1, finish: (*oneHeap).finishAtOnce}
)

// early is a heap that reads settings as its interpreter does.
type early struct {
	heap
	atoi bool // numbers are what C's atoi makes of them
}

func (e early) predict(setting map[string]string) Prediction { return e.heap.predict(e.read(setting)) }

// read is the setting that a later interpreter would read as this one does that it is
// given. The shares that are to be free at least and at most no variable changes (gc.c,
// gc_before_sweep of 2.1; later GC_HEAP_FREE_SLOTS_MIN_RATIO and …_MAX_RATIO).
func (e early) read(setting map[string]string) map[string]string {
	read := map[string]string{}
	for name, text := range setting {
		if e.atoi && !strings.HasSuffix(name, "_FACTOR") {
			text = byAtoi(text)
		}
		read[name] = text
	}
	if x, err := strconv.ParseFloat(read[oldFactor], 64); err == nil && x == 0 { // is not taken
		delete(read, oldFactor)
	}
	delete(read, ratio+"GOAL_RATIO")
	read[ratio+"MIN_RATIO"], read[ratio+"MAX_RATIO"] = "0.3", "0.8"
	return read
}

const (
	oldFactor = "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR"
	ratio     = "RUBY_GC_HEAP_FREE_SLOTS_"
)

var leadingDigits = regexp.MustCompile(`^[0-9]+`)

// byAtoi is what 2.1 takes a number for (gc.c, get_envparam_int): its first digits, in
// 32 bits. What does not fit is as none.
func byAtoi(text string) string {
	n, err := strconv.ParseInt(leadingDigits.FindString(text), 10, 32)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
