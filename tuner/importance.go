package tuner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gctune/gctune/tuner/importance"
	"github.com/gctune/gctune/tuner/space"
)

// Importance is what part each parameter has in what a study has measured.
type Importance struct {
	// Throughput and Memory are the shares of the parameters, in their order.
	Throughput, Memory []importance.Share
	// Useful says that the shares are those among settings that are believed to be
	// within the reference point, and not those in the whole space.
	Useful bool
	// Trials is how many usable ones there were to learn from.
	Trials int
}

// Settings that are drawn to find a region, and how many have to be in it.
const (
	drawnSettings  = 8192
	leastInARegion = 32
)

// Importance divides the variances of the logarithms of throughput and memory
// among the parameters, unless whole in the region of useful settings: of what the
// models believe to be within the reference point. Without a reference point, or
// with next to no such setting, it is the whole space. Where there are too few
// usable trials the error is an *importance.TooFewError.
func (d Definition) Importance(s space.Space, seed uint64, trials []Scored, whole bool) (Importance, error) {
	losses := d.lossesOf(s, trials)
	result := Importance{Trials: len(losses[0].X)}
	var models [2]importance.Model
	for k := range models {
		var err error
		if models[k], err = importance.NewModel(losses[k]); err != nil {
			return result, err
		}
	}
	points := drawn(s, seed)
	if within := useful(points, models, d.believedReference(trials, d.history(trials))); !whole && len(within) >= leastInARegion {
		points, result.Useful = within, true
	}
	region := importance.RegionOf(points)
	for k, shares := range []*[]importance.Share{&result.Throughput, &result.Memory} {
		var err error
		if *shares, err = importance.Shares(losses[k], region, seed); err != nil {
			return result, fmt.Errorf("shares of the parameters: %w", err)
		}
	}
	return result, nil
}

// lossesOf are the usable trials, once for each loss, as the search is told them.
func (d Definition) lossesOf(s space.Space, trials []Scored) [2]importance.Trials {
	var losses [2]importance.Trials
	history := d.history(trials)
	reference := d.believedReference(trials, history)
	categorical := make([]bool, s.Dim())
	for i, p := range s.Parameters() {
		categorical[i] = p.Kind == space.Choice
	}
	for k := range losses {
		t := importance.Trials{Categorical: categorical, Reference: math.NaN()}
		if reference != nil {
			t.Reference = reference[k]
		}
		for i, o := range history {
			if !trials[i].Usable() {
				continue
			}
			t.X = append(t.X, s.Encode(o.Setting))
			t.Losses = append(t.Losses, o.Losses[k])
			if o.Errors != nil {
				t.Errors = append(t.Errors, o.Errors[k])
			}
		}
		losses[k] = t
	}
	return losses
}

// drawn are settings from all over the space, as points.
func drawn(s space.Space, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	points := make([][]float64, drawnSettings)
	for i := range points {
		u := make([]float64, s.Dim())
		for c := range u {
			u[c] = rng.Float64()
		}
		points[i] = s.Encode(s.Decode(u))
	}
	return points
}

// useful are the points that are believed to be within the reference point.
func useful(points [][]float64, models [2]importance.Model, reference []float64) [][]float64 {
	if reference == nil {
		return nil
	}
	throughput, memory := models[0].Loss(), models[1].Loss()
	var within [][]float64
	for _, u := range points {
		if throughput(u) <= reference[0] && memory(u) <= reference[1] {
			within = append(within, u)
		}
	}
	return within
}
