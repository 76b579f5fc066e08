package sampler

import (
	"math"

	"github.com/gctune/gctune/tuner/gp"
)

// feasibility is a model of which settings are feasible: a process of labels, +1
// and −1, read through a normal distribution function (least-squares
// classification, C. Rasmussen, C. Williams, Gaussian Processes for Machine
// Learning, 2006, section 6.5).
type feasibility struct{ process *gp.Process }

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
	return &feasibility{process}, nil
}

// softness is the standard deviation of a label that is taken as known: borders
// are not sharper than that.
const softness = 0.2

// probability is that u is feasible.
func (f *feasibility) probability(u []float64, scratch *gp.Scratch) float64 {
	p := f.process.Predict(u, scratch)
	return normalCDF(p.Mean / math.Hypot(p.SD, softness))
}
