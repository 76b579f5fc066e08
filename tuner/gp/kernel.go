package gp

import "math"

// The kernel is s²·(w₁·mean mᵢ + w₂·mean mᵢmⱼ + w₃·Πmᵢ), with mᵢ the Matérn 5/2
// correlation of coordinate i, the second mean over pairs i<j, and w₁+w₂+w₃ = 1:
// an additive kernel of first, second and last order (D. Duvenaud, H. Nickisch,
// C. Rasmussen, Additive Gaussian processes, NIPS 2011). What is learnt about one
// coordinate, or about two, so holds in the whole cube; a product alone forgets it
// a length scale away. Where there is a trend t, v·t·t′ is added to it: that of a
// straight line in t with a slope of variance v (Rasmussen and Williams, section
// 2.7).

// Hyper are the parameters of the kernel and of the noise.
type Hyper struct {
	// LogLengths are the logarithms of the length scales, one a coordinate, in
	// widths of the cube.
	LogLengths []float64
	// LogVariance is the logarithm of s², in variances of the values.
	LogVariance float64
	// LogNoise is the logarithm of the variance of the noise beyond what is known.
	LogNoise float64
	// LogFirst and LogSecond are log(w₁/w₃) and log(w₂/w₃).
	LogFirst, LogSecond float64
	// LogTrend is the logarithm of v, for values and a trend of variance 1. It has
	// no meaning where there is no trend.
	LogTrend float64
}

// beside are the hyperparameters beside the length scales, without that of a trend.
const beside = 4

// vector has the trend's hyperparameter last, where there is one.
func (h Hyper) vector(trend bool) []float64 {
	t := append(append(make([]float64, 0, len(h.LogLengths)+beside+1), h.LogLengths...),
		h.LogVariance, h.LogNoise, h.LogFirst, h.LogSecond)
	if trend {
		t = append(t, h.LogTrend)
	}
	return t
}

// fromVector is the inverse of vector in d dimensions.
func fromVector(t []float64, d int) Hyper {
	h := Hyper{LogLengths: t[:d:d], LogVariance: t[d], LogNoise: t[d+1], LogFirst: t[d+2], LogSecond: t[d+3]}
	if len(t) > d+beside {
		h.LogTrend = t[d+beside]
	}
	return h
}

// limit keeps exponentials finite wherever a line search looks.
func limit(logarithm float64) float64 { return min(max(logarithm, -30), 30) }

func (h Hyper) variance() float64 { return math.Exp(limit(h.LogVariance)) }
func (h Hyper) noise() float64    { return math.Exp(limit(h.LogNoise)) }
func (h Hyper) slope() float64    { return math.Exp(limit(h.LogTrend)) }

// inverseLengths are 1/ℓᵢ.
func (h Hyper) inverseLengths() []float64 {
	inverse := make([]float64, len(h.LogLengths))
	for i, l := range h.LogLengths {
		inverse[i] = math.Exp(-limit(l))
	}
	return inverse
}

// weights are w₁, w₂ and w₃.
func (h Hyper) weights() [3]float64 {
	first, second := math.Exp(limit(h.LogFirst)), math.Exp(limit(h.LogSecond))
	sum := first + second + 1
	return [3]float64{first / sum, second / sum, 1 / sum}
}

var sqrt5 = math.Sqrt(5)

// matern52 is the Matérn 5/2 correlation at distance r ≥ 0 in length scales
// (Rasmussen and Williams, eq. 4.17), and its derivative by the logarithm of r.
func matern52(r float64) (correlation, slope float64) {
	t := sqrt5 * r
	e := math.Exp(-t)
	square := t * t / 3
	return (1 + t + square) * e, -square * (1 + t) * e
}

// orders are the three parts of the kernel, made from the coordinates'
// correlations m: their mean, the mean over pairs, and the product.
func orders(m []float64) [3]float64 {
	sum, squares, product := 0.0, 0.0, 1.0
	for _, v := range m {
		sum += v
		squares += v * v
		product *= v
	}
	d := float64(len(m))
	if len(m) == 1 {
		return [3]float64{sum, sum, sum}
	}
	return [3]float64{sum / d, (sum*sum - squares) / (d * (d - 1)), product}
}

// mix is the correlation of the three parts.
func mix(w, parts [3]float64) float64 { return w[0]*parts[0] + w[1]*parts[1] + w[2]*parts[2] }

// slopes adds to gradient, for each coordinate, by × the derivative of mix by mᵢ ×
// the coordinate's slope.
func slopes(gradient []float64, by float64, w, parts [3]float64, m, slope []float64) {
	d := float64(len(m))
	for i, v := range m {
		derivative := w[0] / d
		if len(m) == 1 {
			derivative += w[1]
		} else {
			derivative += w[1] * 2 * (parts[0]*d - v) / (d * (d - 1))
		}
		if v > 0 {
			derivative += w[2] * parts[2] / v
		}
		gradient[i] += by * derivative * slope[i]
	}
}
