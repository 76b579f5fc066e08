package problems

import "math"

// gauss is a normal deviate that depends on nothing but its arguments, so that a
// problem has the same noise whichever sampler is run on it: two values of the
// SplitMix64 sequence (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom
// number generators, OOPSLA 2014) through the transformation of G. Box and
// M. Muller (Annals of Mathematical Statistics 29(2), 1958).
func gauss(seed, trial, which uint64) float64 {
	a := splitMix(splitMix(seed*1000003 + trial*2 + which))
	b := splitMix(a)
	u := float64(a>>11+1) / (1<<53 + 1)
	v := float64(b>>11) / (1 << 53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// uniform is a number from 0 to 1 that depends on nothing but its arguments.
func uniform(seed, trial uint64) float64 {
	return float64(splitMix(splitMix(seed^0x5851f42d4c957f2d)+trial)>>11) / (1 << 53)
}

func splitMix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
