package gp

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// Process is a Gaussian process that is conditioned on data.
type Process struct {
	data     Data
	standard standard
	hyper    Hyper

	inverseLengths []float64
	weights        [3]float64
	trend          standard // its y are nil where there is none
	slope          float64
	variance       float64
	alpha          []float64
	// rows are those of K⁻¹ from the diagonal on.
	rows [][]float64
}

// The climb of the posterior ends after so many steps, or when the last few gained
// less than this.
const (
	climbSteps = 30
	leastGain  = 1e-3
	patience   = 5
)

// Fit finds the hyperparameters of the highest posterior density and conditions
// the process on the data. The error is ErrSingular, or says what is wrong with
// the data.
func Fit(data Data, priors Priors) (*Process, error) {
	if err := data.check(); err != nil {
		return nil, err
	}
	d := len(data.X[0])
	p := newPosterior(data, standardise(data.Y), priors)
	problem := optimize.Problem{
		Func: func(t []float64) float64 { p.evaluate(t); return p.value },
		Grad: func(gradient, t []float64) { p.evaluate(t); copy(gradient, p.gradient) },
	}
	settings := &optimize.Settings{
		MajorIterations: climbSteps, FuncEvaluations: 2 * climbSteps,
		Converger: &optimize.FunctionConverge{Absolute: leastGain, Iterations: patience},
	}
	best := priors.start(d, data.Trend != nil)
	// Where the climb fails, the best point that it found, or else its start, is as
	// good a guess as there is.
	if result, _ := optimize.Minimize(problem, best, settings, &optimize.LBFGS{}); result != nil && len(result.X) > 0 {
		best = result.X
	}
	return Condition(data, fromVector(best, d))
}

// Condition returns the process of given hyperparameters. Errors are those of Fit.
func Condition(data Data, h Hyper) (*Process, error) {
	if err := data.check(); err != nil {
		return nil, err
	}
	s := standardise(data.Y)
	p := newPosterior(data, s, Priors{})
	if !p.factorise(h) {
		return nil, ErrSingular
	}
	process := &Process{
		data: data, standard: s, hyper: h,
		inverseLengths: h.inverseLengths(), weights: h.weights(), variance: h.variance(),
		alpha: p.alpha.RawVector().Data,
	}
	if data.Trend != nil {
		process.trend, process.slope = standardise(data.Trend), h.slope()
	}
	raw := p.inverse.RawSymmetric()
	for i := range p.n {
		process.rows = append(process.rows, raw.Data[i*raw.Stride+i:i*raw.Stride+p.n])
	}
	return process, nil
}

// Hyper are the hyperparameters.
func (p *Process) Hyper() Hyper { return p.hyper }

// Prediction is the normal distribution of the value at a point, without noise.
type Prediction struct{ Mean, SD float64 }

// Scratch is memory that predictions share, so that they allocate none. The zero
// value is ready; it serves one goroutine.
type Scratch struct{ k, m []float64 }

func (s *Scratch) grow(n, d int) (k, m []float64) {
	if len(s.k) < n {
		s.k = make([]float64, n)
	}
	if len(s.m) < d {
		s.m = make([]float64, d)
	}
	return s.k[:n], s.m[:d]
}

// leastVariance is the share of the prior variance that remains where a point was
// measured without noise.
const leastVariance = 1e-12

// Predict returns the distribution at x, a point of the unit cube, of a process
// without a trend, or where the trend has its mean.
func (p *Process) Predict(x []float64, scratch *Scratch) Prediction {
	return p.PredictAlong(x, p.trend.mean, scratch)
}

// PredictAlong returns the distribution at x, where the guess was trend (Rasmussen
// and Williams, eq. 2.25 and 2.26).
func (p *Process) PredictAlong(x []float64, trend float64, scratch *Scratch) Prediction {
	t, own := 0.0, p.variance
	if p.trend.y != nil {
		t = (trend - p.trend.mean) / p.trend.scale
		own += p.slope * t * t
	}
	k, m := scratch.grow(len(p.data.X), len(x))
	mean := 0.0
	for i, xi := range p.data.X {
		for c := range m {
			m[c], _ = matern52(p.data.distance(x, xi, c) * p.inverseLengths[c])
		}
		k[i] = p.variance * mix(p.weights, orders(m))
		if p.trend.y != nil {
			k[i] += p.slope * t * p.trend.y[i]
		}
		mean += k[i] * p.alpha[i]
	}
	variance := max(own-quadratic(p.rows, k), leastVariance*own)
	return Prediction{
		Mean: p.standard.mean + p.standard.scale*mean,
		SD:   p.standard.scale * math.Sqrt(variance),
	}
}

// quadratic is kᵀAk of a symmetric matrix, given by its rows from the diagonal on.
func quadratic(rows [][]float64, k []float64) float64 {
	sum := 0.0
	for i, row := range rows {
		inner := row[0] * k[i] / 2
		for j, a := range row[1:] {
			inner += a * k[i+1+j]
		}
		sum += 2 * k[i] * inner
	}
	return sum
}
