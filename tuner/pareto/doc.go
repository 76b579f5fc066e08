// Package pareto compares points by two or more losses, all of them minimised:
// dominance, the front, its hypervolume, and the points of a front that people
// ask for by name.
//
// Where a function speaks of throughput and memory, loss 0 is the negative
// logarithm of throughput and loss 1 the logarithm of memory.
package pareto
