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
	useful  float64 // range of losses
}

// Where the reference point is hardly or not bettered, the useful range counts as
// this share of the whole.
const leastUsefulRange = 1e-3

// fitted caps the trials that hyperparameters are fitted to, as that takes cubic
// time for each step of a climb; they change little beyond.
const fitted = 90

// measured are the trials of one loss.
type measured struct {
	x       [][]float64
	losses  []float64
	errors  []float64 // standard errors, nil where not known
	guesses []float64 // nil where there are none
}

func (l lesson) of(k int) measured {
	return measured{l.x, entries(l.losses, k), entries(l.errors, k), entries(l.guesses, k)}
}

// newSurrogate fits what was measured.
func newSurrogate(m measured, reference float64, categorical []bool) (surrogate, error) {
	best, useful := usefulRange(m.losses, reference)
	s := surrogate{shift: best - useful, useful: useful}
	process, err := fitCapped(s.data(m, categorical))
	s.process = process
	return s, err
}

// condition returns the surrogate with its hyperparameters kept and other trials.
func (s surrogate) condition(m measured, categorical []bool) (surrogate, error) {
	process, err := gp.Condition(s.data(m, categorical), s.process.Hyper())
	s.process = process
	return s, err
}

func (s surrogate) data(m measured, categorical []bool) gp.Data {
	data := gp.Data{X: m.x, Categorical: categorical}
	for i, loss := range m.losses {
		data.Y = append(data.Y, math.Log(loss-s.shift))
		// Noise is alike in all losses, not in their logarithms.
		data.Shape = append(data.Shape, 1/(loss-s.shift))
		if m.errors != nil {
			data.Known = append(data.Known, m.errors[i]/(loss-s.shift))
		}
		if m.guesses != nil {
			data.Trend = append(data.Trend, s.trend(m.guesses[i]))
		}
	}
	return data
}

// trend is a guess on the scale of the process. One that is better than anything
// measured by more than half of the useful range counts as that.
func (s surrogate) trend(guess float64) float64 {
	return math.Log(max(guess-s.shift, s.useful/2))
}

// usefulRange is the best loss, and the distance from it to the reference point.
func usefulRange(losses []float64, reference float64) (best, useful float64) {
	best = slices.Min(losses)
	whole := slices.Max(losses) - best
	useful = whole
	if reference > best {
		useful = min(whole, reference-best)
	}
	useful = max(useful, leastUsefulRange*whole)
	if useful == 0 { // all the same
		useful = 1
	}
	return best, useful
}

// fitCapped fits the hyperparameters to the first trials and conditions on all.
func fitCapped(data gp.Data) (*gp.Process, error) {
	priors := gp.DefaultPriors(len(data.X[0]))
	if len(data.X) <= fitted {
		return gp.Fit(data, priors)
	}
	first := gp.Data{X: data.X[:fitted], Y: data.Y[:fitted], Categorical: data.Categorical}
	if data.Trend != nil {
		first.Trend = data.Trend[:fitted]
	}
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

// The guess is not looked at where the surrogate has learnt without guesses.
func (s surrogate) at(u []float64, guess float64, scratch *gp.Scratch) belief {
	return belief{s.process.PredictAlong(u, s.trend(guess), scratch), s.shift}
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
