//go:build !race

package sampler_test

const racing = false
