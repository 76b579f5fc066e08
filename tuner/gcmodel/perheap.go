package gcmodel

// poolRules are those of a collector with five heaps (size pools), by the release that
// brought them.
type poolRules int

const (
	onePool poolRules = iota // one heap, whose rules are beside its costs
	from320                  // five heaps, of which each is to have the initial slots free
	from321                  // these are a budget, and not taken at once
	from33                   // each heap has initial slots of its own
	from34                   // slots to grow by are one number for all heaps
	from40                   // it is not lost, and empty pages are for all heaps
)

func poolRulesOf(v version) poolRules {
	switch {
	case v.atLeast(4, 0):
		return from40
	case v.atLeast(3, 4):
		return from34
	case v.atLeast(3, 3):
		return from33
	case v == version{3, 2, 0}:
		return from320
	case v.atLeast(3, 2):
		return from321
	}
	return onePool
}

func (r poolRules) manyHeaps() bool { return r >= from320 }

// shared: heaps grow by slots of one number.
func (r poolRules) shared() bool { return r >= from34 }

// isPerHeap is for the interpreters with five heaps whose slots double in size.
// What was to be 3.5 is 4.0: previews of it are of neither.
func isPerHeap(v version, _ string) bool {
	return v.atLeast(3, 2) && !v.atLeast(3, 5) || v.atLeast(4, 0) && !v.atLeast(4, 1)
}

func calibratePerHeap(v version, logs []Log) (heap, error) {
	return calibrate(logs, fiveHeapsCosts, poolRulesOf(v))
}
