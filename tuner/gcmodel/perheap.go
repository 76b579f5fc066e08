package gcmodel

// isPerHeap is for the interpreters with a setting for each of five heaps.
func isPerHeap(v version, _ string) bool { return v.atLeast(3, 3) && !v.atLeast(3, 5) }

func calibratePerHeap(v version, logs []Log) (heap, error) {
	return calibrate(logs, fiveHeapsCosts, true, v.atLeast(3, 4))
}
