//go:build race

package problems_test

// racing says that the race detector watches.
const racing = true
