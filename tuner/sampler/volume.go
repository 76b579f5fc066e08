package sampler

import (
	"math"

	"github.com/gctune/gctune/tuner/pareto"
)

// modelledLosses is how many losses Model knows how to trade.
const modelledLosses = 2

// strip is an upright piece of the objective plane that the front does not
// dominate: first losses up to right, from where the strip before it ends, and
// second losses up to top.
type strip struct{ right, top float64 }

// undominated cuts what lies within the reference point and is not dominated by
// the front, which is in the order of the first loss, into strips.
func undominated(front []pareto.Point, reference []float64) []strip {
	var strips []strip
	top := reference[1]
	for _, p := range front {
		if p.Losses[0] >= reference[0] {
			break
		}
		if p.Losses[1] < top {
			strips = append(strips, strip{p.Losses[0], top})
			top = p.Losses[1]
		}
	}
	return append(strips, strip{reference[0], top})
}

// improvement is the expectation of the hypervolume that a setting adds, with its
// losses independent: the sum over strips of the width that is gained times the
// height. It takes a belief in each loss.
func improvement(strips []strip, first, second belief) float64 {
	sum, left := 0.0, 0.0
	for _, s := range strips {
		right := first.below(s.right)
		if right > left {
			sum += (right - left) * second.below(s.top)
		}
		left = right
	}
	if math.IsNaN(sum) {
		return 0
	}
	return sum
}
