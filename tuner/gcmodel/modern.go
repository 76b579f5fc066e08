package gcmodel

func isModern(v version, _ string) bool { return v.atLeast(2, 1) && !v.atLeast(3, 2) }

func calibrateModern(version, []Log) (heap, error) { return nil, ErrUnknown }
