//go:build !race

package problems_test

const racing = false
