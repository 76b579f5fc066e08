package gp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gctune/gctune/tuner/gp"
)

// sample draws n points of the cube, and a function that depends on the first two
// coordinates.
func sample(n, d int) gp.Data {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	var data gp.Data
	for range n {
		x := make([]float64, d)
		for c := range x {
			x[c] = rng.Float64()
		}
		data.X = append(data.X, x)
		data.Y = append(data.Y, math.Sin(5*x[0])+x[1]*x[1])
	}
	return data
}

func fit(t *testing.T, data gp.Data) *gp.Process {
	t.Helper()
	p, err := gp.Fit(data, gp.DefaultPriors(len(data.X[0])))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGradientIsThatOfTheDensity(t *testing.T) {
	data := sample(12, 3)
	data.Known = make([]float64, 12)
	data.Shape = make([]float64, 12)
	for i := range data.Known {
		data.Known[i], data.Shape[i] = 0.01*float64(i), 1+float64(i)
	}
	data.Categorical = []bool{false, false, true}
	hyper := gp.Hyper{LogLengths: []float64{-0.3, 0.2, 1}, LogVariance: 0.4, LogNoise: -4, LogFirst: 0.3, LogSecond: -0.7, LogTrend: -0.2}
	differentiates(t, data, gp.Vector(hyper, false))
	for i, x := range data.X {
		data.Trend = append(data.Trend, 3*data.Y[i]+x[2])
	}
	differentiates(t, data, gp.Vector(hyper, true))
}

func differentiates(t *testing.T, data gp.Data, at []float64) {
	t.Helper()
	priors := gp.DefaultPriors(3)
	_, gradient := gp.Density(data, priors, at)
	if len(gradient) != len(at) {
		t.Fatalf("%d derivatives by %d hyperparameters", len(gradient), len(at))
	}
	for i := range at {
		const h = 1e-5
		beside := func(by float64) float64 {
			moved := append([]float64(nil), at...)
			moved[i] += by
			value, _ := gp.Density(data, priors, moved)
			return value
		}
		if want := (beside(h) - beside(-h)) / (2 * h); math.Abs(want-gradient[i]) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("derivative by hyperparameter %d is %g, by differences %g", i, gradient[i], want)
		}
	}
}

// The prediction is computed a second time by the textbook: by solving with the
// whole covariance matrix.
func TestPredictionIsTheTextbooks(t *testing.T) {
	data := sample(9, 2)
	h := gp.Hyper{LogLengths: []float64{-1, -0.5}, LogVariance: 0.3, LogNoise: -3, LogFirst: 0.5, LogSecond: -0.2}
	p, err := gp.Condition(data, h)
	if err != nil {
		t.Fatal(err)
	}
	kernel := func(a, b []float64) float64 {
		m := [2]float64{}
		for c := range m {
			r := math.Abs(a[c]-b[c]) / math.Exp(h.LogLengths[c])
			m[c] = (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
		}
		w1, w2, w3 := math.Exp(0.5), math.Exp(-0.2), 1.0
		return math.Exp(0.3) * (w1*(m[0]+m[1])/2 + w2*m[0]*m[1] + w3*m[0]*m[1]) / (w1 + w2 + w3)
	}
	mean, sd := moments(data.Y)
	k, y := mat.NewDense(9, 9, nil), mat.NewVecDense(9, nil)
	x, cross := []float64{0.31, 0.77}, mat.NewVecDense(9, nil)
	for i := range 9 {
		for j := range 9 {
			k.Set(i, j, kernel(data.X[i], data.X[j]))
		}
		k.Set(i, i, k.At(i, i)+math.Exp(-3))
		y.SetVec(i, (data.Y[i]-mean)/sd)
		cross.SetVec(i, kernel(x, data.X[i]))
	}
	var solvedY, solvedCross mat.VecDense
	if err := solvedY.SolveVec(k, y); err != nil {
		t.Fatal(err)
	}
	if err := solvedCross.SolveVec(k, cross); err != nil {
		t.Fatal(err)
	}
	wantMean := mean + sd*mat.Dot(cross, &solvedY)
	wantSD := sd * math.Sqrt(kernel(x, x)-mat.Dot(cross, &solvedCross))
	got := p.Predict(x, new(gp.Scratch))
	if math.Abs(got.Mean-wantMean) > 1e-6 || math.Abs(got.SD-wantSD) > 1e-6 {
		t.Errorf("got %+v, want mean %g and standard deviation %g", got, wantMean, wantSD)
	}
}

func moments(y []float64) (mean, sd float64) {
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for _, v := range y {
		sd += (v - mean) * (v - mean) / float64(len(y))
	}
	return mean, math.Sqrt(sd)
}

func TestFitLearnsWhatMattersAndPredicts(t *testing.T) {
	p := fit(t, sample(40, 4))
	lengths := p.Hyper().LogLengths
	if dull := min(lengths[2], lengths[3]); lengths[0] > dull-0.5 {
		t.Errorf("log length scales %.2f: the first coordinate matters, the last two do not", lengths)
	}
	fresh := sample(200, 4)
	var scratch gp.Scratch
	within, squares := 0, 0.0
	for i, x := range fresh.X {
		b := p.Predict(x, &scratch)
		squares += (b.Mean - fresh.Y[i]) * (b.Mean - fresh.Y[i]) / 200
		if math.Abs(b.Mean-fresh.Y[i]) < 2*b.SD {
			within++
		}
	}
	if _, sd := moments(fresh.Y); math.Sqrt(squares) > sd/4 {
		t.Errorf("the error is %.3f where the values vary by %.3f", math.Sqrt(squares), sd)
	}
	if within < 170 { // 95 % of 200 is 190
		t.Errorf("%d of 200 values lie within two standard deviations", within)
	}
}

func TestNoiseIsLearntAndKnownNoiseIsHeeded(t *testing.T) {
	data := sample(60, 2)
	quiet := fit(t, data).Hyper().LogNoise
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range data.Y {
		data.Y[i] += 0.2 * rng.NormFloat64()
	}
	noisy := fit(t, data).Hyper().LogNoise
	if noisy < quiet+3 {
		t.Errorf("log variance of noise is %.1f with noise and %.1f without", noisy, quiet)
	}
	data.Known = make([]float64, 60)
	for i := range data.Known {
		data.Known[i] = 0.2
	}
	if rest := fit(t, data).Hyper().LogNoise; rest > noisy-0.2 {
		t.Errorf("log variance of noise is %.1f beyond what is known, and %.1f where nothing is known", rest, noisy)
	}
}

func TestValuesWithoutOrderAreAllEquallyFar(t *testing.T) {
	data := gp.Data{X: [][]float64{{0.1}, {0.5}}, Y: []float64{0, 1}, Categorical: []bool{true}}
	p := fit(t, data)
	var scratch gp.Scratch
	if near, far := p.Predict([]float64{0.6}, &scratch), p.Predict([]float64{0.9}, &scratch); near != far {
		t.Errorf("a third value is predicted as %+v, a fourth as %+v", near, far)
	}
}

func TestOddDataIsSurvivedOrRefused(t *testing.T) {
	refused := map[string]gp.Data{
		"none":             {},
		"no dimension":     {X: [][]float64{{}}, Y: []float64{1}},
		"a value missing":  {X: [][]float64{{0}, {1}}, Y: []float64{1}},
		"not a number":     {X: [][]float64{{0}}, Y: []float64{math.NaN()}},
		"ragged":           {X: [][]float64{{0}, {1, 2}}, Y: []float64{1, 2}},
		"without an end":   {X: [][]float64{{0}}, Y: []float64{math.Inf(1)}},
		"a value too many": {X: [][]float64{{0}}, Y: []float64{1, 2}},
	}
	for name, data := range refused {
		if _, err := gp.Fit(data, gp.DefaultPriors(1)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	survived := map[string]gp.Data{
		"one":          {X: [][]float64{{0.5}}, Y: []float64{3}},
		"all the same": {X: [][]float64{{0.1}, {0.5}, {0.9}}, Y: []float64{3, 3, 3}},
		"one place":    {X: [][]float64{{0.5}, {0.5}, {0.5}}, Y: []float64{1, 2, 3}},
		"a huge range": {X: [][]float64{{0.1}, {0.5}, {0.9}}, Y: []float64{-1e12, 0, 1e12}},
	}
	for name, data := range survived {
		p, err := gp.Fit(data, gp.DefaultPriors(1))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b := p.Predict([]float64{0.3}, new(gp.Scratch)); math.IsNaN(b.Mean) || !(b.SD >= 0) {
			t.Errorf("%s: %+v", name, b)
		}
	}
}
