//go:build race

package sampler_test

// racing says that the race detector watches.
const racing = true
