package sampler

import (
	"math"

	"github.com/gctune/gctune/tuner/gp"
)

// feasibility is a model of which settings are feasible: a process of labels, +1
// and −1, read through a normal distribution function (least-squares
// classification, C. Rasmussen, C. Williams, Gaussian Processes for Machine
// Learning, 2006, section 6.5).
type feasibility struct {
	process *gp.Process
	care    float64
}

// newFeasibility is nil while no trial was infeasible.
func newFeasibility(l lesson) (*feasibility, error) {
	if len(l.infeasible) == 0 {
		return nil, nil
	}
	data := gp.Data{Categorical: l.categorical}
	for i := range max(len(l.infeasible), len(l.x)) { // in turn, as a fit may take the first only
		if i < len(l.infeasible) {
			data.X, data.Y = append(data.X, l.infeasible[i]), append(data.Y, -1)
		}
		if i < len(l.x) {
			data.X, data.Y = append(data.X, l.x[i]), append(data.Y, 1)
		}
	}
	process, err := fitCapped(data)
	if err != nil {
		return nil, err
	}
	return &feasibility{process, math.Pow(float64(len(l.infeasible)), caution)}, nil
}

// softness is the standard deviation of a label that is taken as known: borders
// are not sharper than that. margin is how far a label has to be from the middle
// for even odds: a process swings over beside a step, so that it sees the border
// too far out.
const (
	softness = 0.2
	margin   = 0.6
)

// caution is the power of the number of infeasible trials that the probability is
// raised to. A front that ends at a border is worth a try beyond it, and another one
// after that, for ever: each trial that was lost makes the next one harder to win.
const caution = 1.5

// weight is what the improvement expected at u counts for: the probability that u
// is feasible, by the care that the trials have taught.
func (f *feasibility) weight(u []float64, scratch *gp.Scratch) float64 {
	p := f.process.Predict(u, scratch)
	return math.Pow(normalCDF((p.Mean-margin)/math.Hypot(p.SD, softness)), f.care)
}
