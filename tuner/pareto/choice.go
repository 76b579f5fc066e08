package pareto

// The names of choices.
const (
	Throughput = "throughput"
	Memory     = "memory"
	KneePoint  = "knee"
	Lossless   = "lossless"
)

// Choice is a point of a front that people ask for by name.
type Choice struct {
	Name        string
	Point       Point
	Explanation string // one line
}

// Choices picks the named points of a front of throughput and memory, as Front
// returned it. Without a baseline, or where every point of the front has less
// throughput than it, there is no lossless one; an empty front gives none.
func Choices(front []Point, baseline *Point) []Choice {
	var choices []Choice
	if len(front) > 0 {
		choices = []Choice{
			{Throughput, front[0], "the most throughput, whatever memory it takes"},
			{Memory, front[len(front)-1], "the least memory, whatever throughput it costs"},
			{KneePoint, Knee(front), "the bend of the front: beyond it, more of one costs much of the other"},
		}
	}
	if baseline != nil {
		if choice, found := lossless(front, *baseline); found {
			choices = append(choices, choice)
		}
	}
	return choices
}

// lossless looks on the front only: a baseline off it is dominated by a point
// that loses no throughput either, unless the baseline may not be chosen at all;
// then there may be none.
func lossless(front []Point, baseline Point) (Choice, bool) {
	best, found := Choice{Name: Lossless, Explanation: "the least memory at no loss of throughput against the baseline"}, false
	for _, p := range front {
		if p.Losses[0] <= baseline.Losses[0] && (!found || p.Losses[1] < best.Point.Losses[1]) {
			best.Point, found = p, true
		}
	}
	if found && best.Point.ID == baseline.ID {
		best.Explanation = "the baseline: nothing takes less memory at no loss of throughput"
	}
	return best, found
}

// Under returns the point of the front with the most throughput among those
// whose memory loss is at most limit; false when there is none.
func Under(front []Point, limit float64) (Point, bool) {
	for _, p := range front { // sorted by throughput
		if p.Losses[1] <= limit {
			return p, true
		}
	}
	return Point{}, false
}

// Knee returns the point of a two-loss front, as Front returned it, that lies
// farthest below the straight line between its ends, each loss scaled to the
// front's range (I. Das, On characterizing the "knee" of the Pareto curve based
// on normal-boundary intersection, Structural Optimization 18, 1999). When no
// point lies below the line it is the first; an empty front gives the zero Point.
func Knee(front []Point) Point {
	if len(front) == 0 {
		return Point{}
	}
	first, last := front[0].Losses, front[len(front)-1].Losses
	best, deepest := front[0], 0.0
	for _, p := range front {
		across := (p.Losses[0] - first[0]) / (last[0] - first[0])
		down := (first[1] - p.Losses[1]) / (first[1] - last[1])
		if depth := down - across; depth > deepest {
			best, deepest = p, depth
		}
	}
	return best
}
