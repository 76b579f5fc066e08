package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// posterior computes the negative logarithm of the hyperparameters' posterior
// density, and its gradient (Rasmussen and Williams, eq. 5.8 and 5.9).
type posterior struct {
	n, d         int
	distances    []float64 // of pair p in coordinate c at p·d+c; pairs in the order of their rows
	y            []float64 // standardised
	known, shape []float64 // variances of the noise
	trend        []float64 // standardised; nil for none
	priors       Priors

	// The correlations and slopes of the last point, in the order of distances.
	correlations, slopes []float64
	covariance, inverse  *mat.SymDense
	cholesky             mat.Cholesky
	alpha                *mat.VecDense // K⁻¹y

	at       []float64 // the point that value and gradient belong to
	value    float64
	gradient []float64
}

// jitter keeps the covariance of points that are next to one another factorisable.
const jitter = 1e-9

func newPosterior(data Data, s standard, priors Priors) *posterior {
	n, d := len(data.X), len(data.X[0])
	p := &posterior{
		n: n, d: d, y: s.y, known: data.known(s.scale), shape: data.shape(), priors: priors,
		covariance: mat.NewSymDense(n, nil), inverse: mat.NewSymDense(n, nil), alpha: mat.NewVecDense(n, nil),
		gradient: make([]float64, d+beside),
	}
	if data.Trend != nil {
		p.trend = standardise(data.Trend).y
		p.gradient = make([]float64, d+beside+1)
	}
	for i := range n {
		for j := range i {
			for c := range d {
				p.distances = append(p.distances, data.distance(data.X[i], data.X[j], c))
			}
		}
	}
	p.correlations = make([]float64, len(p.distances))
	p.slopes = make([]float64, len(p.distances))
	return p
}

// evaluate computes value and gradient at t, both at once as they share the work;
// gonum asks for them one after the other.
func (p *posterior) evaluate(t []float64) {
	if slices.Equal(p.at, t) {
		return
	}
	p.at = append(p.at[:0], t...)
	h := fromVector(p.at, p.d)
	clear(p.gradient)
	if !p.factorise(h) {
		p.value = math.Inf(1)
		return
	}
	y := mat.NewVecDense(p.n, p.y)
	p.value = mat.Dot(p.alpha, y)/2 + p.cholesky.LogDet()/2
	p.differentiate(h)
	p.value += p.priors.penalty(h, p.gradient)
}

// factorise computes covariance, its inverse and alpha; false where rounding has
// made the covariance singular.
func (p *posterior) factorise(h Hyper) bool {
	inverse, w, variance, noise := h.inverseLengths(), h.weights(), h.variance(), h.noise()
	base := 0
	for i := range p.n {
		for j := range i {
			pair := p.correlations[base : base+p.d]
			for c := range pair {
				pair[c], p.slopes[base+c] = matern52(p.distances[base+c] * inverse[c])
			}
			p.covariance.SetSym(i, j, variance*mix(w, orders(pair))+p.alongTrend(h, i, j))
			base += p.d
		}
		p.covariance.SetSym(i, i, variance+noise*p.shape[i]+p.known[i]+jitter+p.alongTrend(h, i, i))
	}
	if !p.cholesky.Factorize(p.covariance) {
		return false
	}
	// An error tells of a bad condition, which the jitter bounds.
	_ = p.cholesky.SolveVecTo(p.alpha, mat.NewVecDense(p.n, p.y))
	_ = p.cholesky.InverseTo(p.inverse)
	return !floats.HasNaN(p.alpha.RawVector().Data)
}

// alongTrend is the trend's part of the covariance.
func (p *posterior) alongTrend(h Hyper, i, j int) float64 {
	if p.trend == nil {
		return 0
	}
	return h.slope() * p.trend[i] * p.trend[j]
}

// differentiate adds ½ tr((K⁻¹ − ααᵀ)·∂K) for each hyperparameter.
func (p *posterior) differentiate(h Hyper) {
	w, variance, noise := h.weights(), h.variance(), h.noise()
	alpha := p.alpha.RawVector().Data
	besideLengths := p.gradient[p.d:]
	base := 0
	for i := range p.n {
		for j := range i {
			by := variance * (p.inverse.At(i, j) - alpha[i]*alpha[j]) // twice the half, by symmetry
			pair := p.correlations[base : base+p.d]
			parts := orders(pair)
			k := mix(w, parts)
			besideLengths[0] += by * k
			besideLengths[2] += by * w[0] * (parts[0] - k)
			besideLengths[3] += by * w[1] * (parts[1] - k)
			// A longer length scale is a shorter distance.
			slopes(p.gradient[:p.d], -by, w, parts, pair, p.slopes[base:base+p.d])
			base += p.d
		}
		half := (p.inverse.At(i, i) - alpha[i]*alpha[i]) / 2
		besideLengths[0] += half * variance
		besideLengths[1] += half * noise * p.shape[i]
	}
	if p.trend != nil {
		besideLengths[4] += p.differentiateTrend(h)
	}
}

// differentiateTrend is ½ tr((K⁻¹ − ααᵀ)·v·ttᵀ).
func (p *posterior) differentiateTrend(h Hyper) float64 {
	t := mat.NewVecDense(p.n, p.trend)
	along := mat.Dot(p.alpha, t)
	return h.slope() * (mat.Inner(t, p.inverse, t) - along*along) / 2
}
