package objective

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Repeat is one of several measurements of the same thing: where it stands among
// all measurements of a study, and the logarithm of what was measured.
type Repeat struct{ At, Log float64 }

// Drift is how the machine's speed went over a study, as the repeats of one setting
// show it.
type Drift struct {
	// Noise is that of a single measurement, without the drift.
	Noise Noise
	// F is the ratio of the variance of the repeats to that of neighbours, and P how
	// often one as large would come without a drift.
	F, P float64
	// Degrees of freedom of the two variances.
	RepeatDegrees, NeighbourDegrees float64

	repeats []Repeat
	rate    float64       // variance of the level's change from one measurement to the next
	solved  *mat.VecDense // inverse covariance × (repeats − mean)
	ones    *mat.VecDense // inverse covariance × 1
	factor  mat.Cholesky
	mean    float64
}

// What a drift has to be to be called one: repeats enough to show it, neighbours
// enough to know the noise, and a variance that one study in a hundred would have
// by chance.
const (
	leastRepeats    = 3
	leastNeighbours = 8
	driftLevel      = 0.01
)

// FindDrift looks for a drift in repeats, in their order. neighbours are
// logarithms, in the order of measuring, of something that only the machine moves,
// or little besides: half the mean square of their successive differences is the
// noise without the drift, which hardly moves from one to the next (von Neumann and
// others, "The mean square successive difference", Ann. Math. Stat. 12, 1941). The
// variance of the repeats is compared with it by an F test; the degrees of freedom
// of the second are those that give its variance, 2(m−1)²/(3m−4) of m values. It
// reports false where there is no drift, or too little to tell.
func FindDrift(repeats []Repeat, neighbours []float64) (Drift, bool) {
	m := float64(len(neighbours))
	if len(repeats) < leastRepeats || m < leastNeighbours {
		return Drift{}, false
	}
	squares := 0.0
	for i := range neighbours[1:] {
		step := neighbours[i+1] - neighbours[i]
		squares += step * step
	}
	variance := squares / (2 * (m - 1))
	d := Drift{RepeatDegrees: float64(len(repeats) - 1), NeighbourDegrees: 2 * (m - 1) * (m - 1) / (3*m - 4), repeats: repeats}
	logs := make([]float64, len(repeats))
	for i, r := range repeats {
		logs[i] = r.Log
	}
	if !(variance > 0) || math.IsInf(variance, 0) {
		return Drift{}, false
	}
	d.Noise = Noise{SD: math.Sqrt(variance), Degrees: max(1, int(d.NeighbourDegrees))}
	d.F = stat.Variance(logs, nil) / variance
	d.P = distuv.F{D1: d.RepeatDegrees, D2: d.NeighbourDegrees}.Survival(d.F)
	if !(d.P < driftLevel) {
		return Drift{}, false
	}
	return d, d.fit(variance)
}

// fit takes the level for a random walk that the repeats see through the noise. Its
// rate is by moments: a difference of repeats that are n measurements apart has the
// variance n × rate + 2 × noise.
func (d *Drift) fit(variance float64) bool {
	n := len(d.repeats)
	squares := 0.0
	for i := range n - 1 {
		step := d.repeats[i+1].Log - d.repeats[i].Log
		squares += step*step - 2*variance
	}
	d.rate = squares / (d.repeats[n-1].At - d.repeats[0].At)
	if !(d.rate > 0) || math.IsInf(d.rate, 0) {
		return false
	}
	covariance := mat.NewSymDense(n, nil)
	y, one := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i, r := range d.repeats {
		one.SetVec(i, 1)
		for j := i; j < n; j++ {
			covariance.SetSym(i, j, d.shared(r.At, d.repeats[j].At))
		}
		covariance.SetSym(i, i, covariance.At(i, i)+variance)
	}
	if !d.factor.Factorize(covariance) {
		return false
	}
	d.ones, d.solved = mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	_ = d.factor.SolveVecTo(d.ones, one) // a factorised one can be solved
	for i, r := range d.repeats {
		y.SetVec(i, r.Log)
	}
	d.mean = mat.Dot(d.ones, y) / mat.Dot(d.ones, one)
	for i, r := range d.repeats {
		y.SetVec(i, r.Log-d.mean)
	}
	_ = d.factor.SolveVecTo(d.solved, y)
	return true
}

// shared is the covariance of the level at two places, of a walk that begins at the
// first repeat.
func (d *Drift) shared(a, b float64) float64 {
	first := d.repeats[0].At
	return d.rate * max(0, min(a, b)-first)
}

// At is how much faster the machine was at a place than on average over the
// repeats, as a logarithm, with its standard error: the best linear prediction of a
// random walk with an unknown mean (ordinary kriging).
func (d *Drift) At(place float64) (level, standardError float64) {
	level, variance := d.predict(place)
	sum := 0.0
	for _, r := range d.repeats {
		l, _ := d.predict(r.At)
		sum += l
	}
	return level - sum/float64(len(d.repeats)), math.Sqrt(max(0, variance))
}

func (d *Drift) predict(place float64) (level, variance float64) {
	n := len(d.repeats)
	place = max(place, d.repeats[0].At)
	k, solved, one := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i, r := range d.repeats {
		k.SetVec(i, d.shared(place, r.At))
		one.SetVec(i, 1)
	}
	_ = d.factor.SolveVecTo(solved, k)
	bias := 1 - mat.Dot(d.ones, k)
	return d.mean + mat.Dot(k, d.solved),
		d.shared(place, place) - mat.Dot(k, solved) + bias*bias/mat.Dot(d.ones, one)
}
