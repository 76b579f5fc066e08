package sampler

import "math"

// scale brings losses to a common measure: 0 at the best seen, 1 at the
// reference point.
type scale struct {
	ideal, span []float64
	reference   []float64 // nil when none is known
}

// newScale measures the feasible trials, or the others while none is feasible.
// Where no reference is known, or none of them betters it, the worst seen stands
// in for it.
func newScale(r Request) scale {
	losses := comparableLosses(r.History, false)
	if len(losses) == 0 {
		losses = comparableLosses(r.History, true)
	}
	if len(losses) == 0 {
		return scale{}
	}
	n := len(losses[0])
	s := scale{ideal: make([]float64, n), span: make([]float64, n)}
	if usable(r.Reference, n) {
		s.reference = r.Reference
	}
	for i := range n {
		best, worst := math.Inf(1), math.Inf(-1)
		for _, l := range losses {
			best, worst = min(best, l[i]), max(worst, l[i])
		}
		if s.reference != nil && s.reference[i] > best {
			worst = s.reference[i]
		}
		s.ideal[i], s.span[i] = best, worst-best
		if s.span[i] == 0 {
			s.span[i] = 1
		}
	}
	return s
}

// comparableLosses collects the losses of feasible or of infeasible trials, as many as
// the first has.
func comparableLosses(history []Observation, infeasible bool) [][]float64 {
	var losses [][]float64
	for _, o := range history {
		n := len(o.Losses)
		if len(losses) > 0 {
			n = len(losses[0])
		}
		if o.Infeasible == infeasible && usable(o.Losses, n) {
			losses = append(losses, o.Losses)
		}
	}
	return losses
}

// usable reports whether there are n losses, at least one, and all finite.
func usable(losses []float64, n int) bool {
	for _, loss := range losses {
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return false
		}
	}
	return len(losses) == n && n > 0
}

// beyond is how much the losses exceed the reference point in all.
func (s scale) beyond(losses []float64) float64 {
	sum := 0.0
	for i, reference := range s.reference {
		sum += max(losses[i]-reference, 0) / s.span[i]
	}
	return sum
}

// augmentation is the share of the weighted sum in the Chebyshev function; it
// breaks ties in favour of losses that are not dominated.
const augmentation = 0.05

// chebyshev folds losses into one by the greatest weighted loss (J. Knowles,
// ParEGO, IEEE Transactions on Evolutionary Computation 10(1), 2006).
func (s scale) chebyshev(losses, weights []float64) float64 {
	total, greatest, sum := 0.0, 0.0, 0.0
	for i, loss := range losses {
		z := weights[i] * (loss - s.ideal[i]) / s.span[i]
		greatest = max(greatest, z)
		sum += z
		total += weights[i]
	}
	return (greatest + augmentation*sum) / total
}
