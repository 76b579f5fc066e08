package harness

import "math/bits"

// Phase is the part of half a window by which the windows of a pair begin later that
// has a number of pairs before it in the same order of starting: 0, 1/2, 1/4, 3/4, 1/8
// … (van der Corput's sequence).
//
// Collections come at almost the same requests in each process with a setting. Where
// a window has few of them, and begins at the same request in every pair, each pair
// has one more or one fewer than its due, and no number of pairs would tell. With
// beginnings that are spread evenly over the collector's cycle that is noise, which
// the interval shows and more pairs reduce.
func Phase(pairs int) float64 {
	return float64(bits.Reverse64(uint64(pairs))>>11) / (1 << 53)
}
