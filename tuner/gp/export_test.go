package gp

// Density returns the negative log posterior of a vector of hyperparameters, and
// its gradient.
func Density(data Data, priors Priors, t []float64) (value float64, gradient []float64) {
	p := newPosterior(data, standardise(data.Y), priors)
	p.evaluate(t)
	return p.value, p.gradient
}

// Vector is the form of hyperparameters that Density takes.
func Vector(h Hyper, trend bool) []float64 { return h.vector(trend) }
