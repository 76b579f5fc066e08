package sampler

import (
	"math"
	"slices"

	"github.com/gctune/gctune/tuner/gp"
)

// surrogate is the model of one loss: a process of log(loss − shift). The shift
// lies below the best loss by the useful range, that from the best to the
// reference point, so that what is worse than the reference is pressed together:
// an untransformed process spends itself on how bad the bad settings are.
type surrogate struct {
	process *gp.Process
	shift   float64
}

// Where the reference point is hardly or not bettered, the useful range counts as
// this share of the whole.
const leastUsefulRange = 1e-3

// fitted caps the trials that hyperparameters are fitted to, as that takes cubic
// time for each step of a climb; they change little beyond.
const fitted = 90

// newSurrogate fits losses measured at the points x, with standard errors where
// known.
func newSurrogate(x [][]float64, losses, errors []float64, reference float64, categorical []bool) (surrogate, error) {
	s := surrogate{shift: shiftOf(losses, reference)}
	process, err := fitCapped(s.data(x, losses, errors, categorical))
	s.process = process
	return s, err
}

// condition returns the surrogate with its hyperparameters kept and other trials.
func (s surrogate) condition(x [][]float64, losses, errors []float64, categorical []bool) (surrogate, error) {
	process, err := gp.Condition(s.data(x, losses, errors, categorical), s.process.Hyper())
	s.process = process
	return s, err
}

func (s surrogate) data(x [][]float64, losses, errors []float64, categorical []bool) gp.Data {
	data := gp.Data{X: x, Categorical: categorical}
	for i, loss := range losses {
		data.Y = append(data.Y, math.Log(loss-s.shift))
		// Noise is alike in all losses, not in their logarithms.
		data.Shape = append(data.Shape, 1/(loss-s.shift))
		if errors != nil {
			data.Known = append(data.Known, errors[i]/(loss-s.shift))
		}
	}
	return data
}

func shiftOf(losses []float64, reference float64) float64 {
	best, worst := slices.Min(losses), slices.Max(losses)
	whole := worst - best
	useful := whole
	if reference > best {
		useful = min(whole, reference-best)
	}
	useful = max(useful, leastUsefulRange*whole)
	if useful == 0 { // all the same
		useful = 1
	}
	return best - useful
}

// fitCapped fits the hyperparameters to the first trials and conditions on all.
func fitCapped(data gp.Data) (*gp.Process, error) {
	priors := gp.DefaultPriors(len(data.X[0]))
	if len(data.X) <= fitted {
		return gp.Fit(data, priors)
	}
	first := gp.Data{X: data.X[:fitted], Y: data.Y[:fitted], Categorical: data.Categorical}
	if data.Shape != nil {
		first.Shape = data.Shape[:fitted]
	}
	if data.Known != nil {
		first.Known = data.Known[:fitted]
	}
	process, err := gp.Fit(first, priors)
	if err != nil {
		return nil, err
	}
	return gp.Condition(data, process.Hyper())
}

// belief is what a surrogate believes of the loss at one point: its shifted
// logarithm is normal.
type belief struct {
	gp.Prediction
	shift float64
}

func (s surrogate) at(u []float64, scratch *gp.Scratch) belief {
	return belief{s.process.Predict(u, scratch), s.shift}
}

// median is the loss that is exceeded as often as not.
func (b belief) median() float64 { return b.shift + math.Exp(b.Mean) }

// certain is the standard deviation below which a belief is taken for knowledge.
const certain = 1e-9

// below is the expectation of max(t − loss, 0). It has the form of F. Black's and
// M. Scholes' option price, The pricing of options and corporate liabilities,
// Journal of Political Economy 81(3), 1973.
func (b belief) below(t float64) float64 {
	t -= b.shift
	if t <= 0 {
		return 0
	}
	if b.SD < certain {
		return max(t-math.Exp(b.Mean), 0)
	}
	d := (math.Log(t) - b.Mean) / b.SD
	return t*normalCDF(d) - math.Exp(b.Mean+b.SD*b.SD/2)*normalCDF(d-b.SD)
}
