package gcmodel

import "math"

// Estimate is a number that is not known exactly: Low and High enclose the truth
// in 95 of 100 cases.
type Estimate struct{ Estimate, Low, High float64 }

// within returns an estimate of something that cannot be negative, whose error
// has a part that is proportional to it and a part that is not, each given as a
// standard deviation. The proportional part is of the logarithm: what is
// predicted to be 100 may be 100/1.2 as well as 100·1.2.
func within(x, relative, absolute float64) Estimate {
	x = finite(x)
	const z = 1.96
	up := math.Hypot(x*math.Expm1(z*relative), z*absolute)
	down := math.Hypot(-x*math.Expm1(-z*relative), z*absolute)
	return Estimate{x, max(0, x-down), finite(x + up)}
}

// most bounds what is predicted: beyond it a log is nonsense.
const most = 1e18

// finite puts nonsense within bounds: it comes of logs that are nonsense.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, most))
}
