package gp

import "math"

// Normal is a normal distribution.
type Normal struct{ Mean, SD float64 }

// penalty is the negative logarithm of the density up to a constant, and its
// slope.
func (n Normal) penalty(v float64) (value, slope float64) {
	z := (v - n.Mean) / n.SD
	return z * z / 2, z / n.SD
}

// Priors of the hyperparameters, all of logarithms. See Hyper.
type Priors struct {
	Length, Variance, Noise, First, Second, Trend Normal
}

// DefaultPriors are for values that depend on some of d coordinates. Length scales
// grow with the dimension, as distances do (C. Hvarfner, E. Hellsten, L. Nardi,
// Vanilla Bayesian optimization performs great in high dimensions, ICML 2024), and
// are held tightly: with few points a loose prior lets a chance pattern call a
// coordinate dull.
func DefaultPriors(d int) Priors {
	return Priors{
		Length:   Normal{math.Log(0.5) + math.Log(float64(d))/4, 0.5},
		Variance: Normal{0.5, 1},
		Noise:    Normal{math.Log(1e-4), 2},
		First:    Normal{0, 1.5},
		Second:   Normal{0, 1.5},
		Trend:    Normal{0, 2},
	}
}

// startNoise is the logarithm of the noise's variance that a fit starts from. The
// posterior often has a second maximum, of a rough function measured without
// noise: a climb that starts with little noise ends there.
const startNoise = -4

// start is where the posterior is climbed from.
func (p Priors) start(d int, trend bool) []float64 {
	h := Hyper{
		LogLengths: make([]float64, d), LogVariance: p.Variance.Mean, LogNoise: startNoise,
		LogFirst: p.First.Mean, LogSecond: p.Second.Mean, LogTrend: p.Trend.Mean,
	}
	for i := range h.LogLengths {
		h.LogLengths[i] = p.Length.Mean
	}
	return h.vector(trend)
}

// penalty is the priors' part of the negative log posterior. It adds its slopes to
// gradient.
func (p Priors) penalty(h Hyper, gradient []float64) float64 {
	d, sum := len(h.LogLengths), 0.0
	add := func(i int, n Normal, v float64) {
		value, slope := n.penalty(v)
		sum += value
		gradient[i] += slope
	}
	for i, l := range h.LogLengths {
		add(i, p.Length, l)
	}
	add(d, p.Variance, h.LogVariance)
	add(d+1, p.Noise, h.LogNoise)
	add(d+2, p.First, h.LogFirst)
	add(d+3, p.Second, h.LogSecond)
	if len(gradient) > d+beside {
		add(d+beside, p.Trend, h.LogTrend)
	}
	return sum
}
