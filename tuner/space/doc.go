// Package space describes what a study searches: parameters with bounds and
// scales, groups of parameters that depend on one another, and settings, which
// give a canonical text to each parameter.
//
// Samplers work in the unit cube. Space.Decode turns any point of it into a
// valid setting and Space.Encode goes back, so that no sampler has to know
// about bounds, rounding, logarithms or groups.
package space
