package gcmodel

func isPerHeap(v version, _ string) bool { return v.atLeast(3, 2) && !v.atLeast(4, 1) }

func calibratePerHeap(version, []Log) (heap, error) { return nil, ErrUnknown }
