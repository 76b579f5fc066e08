// Package gp is Gaussian-process regression on the unit cube (C. Rasmussen,
// C. Williams, Gaussian Processes for Machine Learning, MIT Press 2006). A length
// scale for each coordinate, the share of interaction between coordinates and the
// noise are found by maximum a posteriori.
package gp

import (
	"errors"
	"fmt"
	"math"
)

// Data is what a process is fitted to.
type Data struct {
	// X are points of the unit cube, of one length.
	X [][]float64
	// Y are the values measured there.
	Y []float64
	// Known are the standard errors of Y as far as they are known, nil for none.
	// Noise beyond them is estimated.
	Known []float64
	// Shape are the standard deviations of the noise beyond Known, relative to one
	// another; nil for equal ones.
	Shape []float64
	// Trend is what was guessed of Y beforehand, in any unit: Y is expected to
	// follow it by a coefficient that is learnt, and the process describes what is
	// left. Nil for no guess.
	Trend []float64
	// Categorical marks coordinates whose values have no order: any two are equal
	// or one apart. Nil for none.
	Categorical []bool
}

// ErrSingular is returned where the covariance matrix cannot be factorised.
var ErrSingular = errors.New("the covariance matrix is singular")

// check refuses data that would make Fit panic.
func (d Data) check() error {
	if len(d.X) == 0 || len(d.X[0]) == 0 || len(d.Y) != len(d.X) {
		return fmt.Errorf("%d points with %d values: there have to be as many, and at least one, in one dimension or more",
			len(d.X), len(d.Y))
	}
	for _, x := range d.X {
		if len(x) != len(d.X[0]) {
			return fmt.Errorf("points of %d and of %d dimensions", len(d.X[0]), len(x))
		}
	}
	if d.Trend != nil && len(d.Trend) != len(d.X) {
		return fmt.Errorf("%d points with a trend of %d: there have to be as many", len(d.X), len(d.Trend))
	}
	for _, values := range [][]float64{d.Y, d.Trend} {
		for _, y := range values {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return fmt.Errorf("the value %g is not finite", y)
			}
		}
	}
	return nil
}

// standard are the values with mean 0 and variance 1, and the way back.
type standard struct {
	y           []float64
	mean, scale float64
}

// flat is the variance below which values count as all equal.
const flat = 1e-24

func standardise(y []float64) standard {
	n := float64(len(y))
	s := standard{y: make([]float64, len(y)), scale: 1}
	variance := 0.0
	for _, v := range y {
		s.mean += v / n
	}
	for _, v := range y {
		variance += (v - s.mean) * (v - s.mean) / n
	}
	if variance > flat {
		s.scale = math.Sqrt(variance)
	}
	for i, v := range y {
		s.y[i] = (v - s.mean) / s.scale
	}
	return s
}

// known are the variances of the known noise of standardised values.
func (d Data) known(scale float64) []float64 {
	variances := make([]float64, len(d.X))
	for i, e := range d.Known {
		variances[i] = e * e / (scale * scale)
	}
	return variances
}

// shape are the relative variances of the other noise, with mean 1.
func (d Data) shape() []float64 {
	variances, sum := make([]float64, len(d.X)), 0.0
	for i := range variances {
		variances[i] = 1
		if d.Shape != nil {
			variances[i] = d.Shape[i] * d.Shape[i]
		}
		sum += variances[i]
	}
	for i := range variances {
		variances[i] *= float64(len(variances)) / sum
	}
	return variances
}

// distance is |a−b| in coordinate c.
func (d Data) distance(a, b []float64, c int) float64 {
	r := math.Abs(a[c] - b[c])
	if r > 0 && d.Categorical != nil && d.Categorical[c] {
		return 1
	}
	return r
}
