package objective

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// CPURun is what one run says about CPU time.
type CPURun struct {
	// Throughput is work for each CPU second.
	Throughput float64
	// Share is the part of the CPU time that was spent in collection; NaN where the
	// interpreter cannot tell.
	Share float64
	// Expected is the share that is to be expected in the long run, where the run was
	// too short to see its mean; 0 where Share is to be.
	Expected float64
	// Error is the standard error of the logarithm of Throughput within the run, by
	// the share's way; 0 where it is not known.
	Error float64
}

// Steady estimates throughput by CPU time on a machine whose speed changes from run
// to run.
//
// The CPU time of a request is that of collection and all other. A setting acts
// through collection; the other CPU time o is nearly the same with every setting, so
// that the runs of all trials together say what it is, and how fast the machine was
// in each of them. With s the share of collection,
//
//	log throughput = log(1 − s) − log o
//
// where s does not change with the machine's speed, as both of its parts do. The o
// of a trial differs from that of the study because of the machine, by σ from run to
// run, and because of what a setting does besides collection (page faults, caches),
// by τ from setting to setting. Of a difference d between a trial's log o, averaged
// over n runs, and the study's, the part τ² / (τ² + σ²/n) is taken for the
// setting's: the mean of the raw figure and of that with the study's o, weighted by
// their precisions, with the variance
//
//	τ² σ²/n / (τ² + σ²/n)
//
// and that of log(1 − s), which both have in common.
//
// How large σ and τ are is learnt from the study: runs of one setting differ by σ,
// trials by both. Few runs say it badly, so all pairs of values on a grid are
// weighed by their likelihood (restricted, of a one-way layout: Searle, Casella and
// McCulloch, Variance Components, 1992, section 4.8) and a prior, and estimates are
// averaged over them.
type Steady struct {
	weights    []weighted
	shareNoise float64
}

// weighted is one pair of values and what they make of the study.
type weighted struct {
	machine, setting float64 // variances
	other            float64 // the study's log o
	weight           float64
}

// The priors: medians, and standard deviations of the logarithm. The machine's was
// 3 to 15 % where it was measured, what settings do besides 2 to 3 %, and shares of
// runs of one setting differed by up to 8 % of themselves. What settings do besides
// can hardly be told from a busy machine's noise, so that its prior is narrow: where
// they do much more, standard errors are too small, and on a machine much quieter
// than these they are too large.
const (
	machineMedian, machineSpread = 0.07, 1.0
	settingMedian, settingSpread = 0.0195, 0.2
	priorShareNoise              = 0.08
	priorShareDegrees            = 4
)

// The grid, and how many standard deviations it reaches to either side. Of what
// settings do besides the tails are those of Student's t with three degrees of
// freedom, so that a study that shows more is believed.
const (
	gridSteps    = 21
	machineReach = 2.6
	settingReach = 8
	settingTail  = 2
)

// FitSteady learns from the runs of each trial. It is false where none tells a share.
func FitSteady(trials [][]CPURun) (Steady, bool) {
	layout := layoutOf(trials)
	if len(layout.means) == 0 {
		return Steady{}, false
	}
	s := Steady{shareNoise: shareNoiseOf(trials)}
	highest := math.Inf(-1)
	for i := range gridSteps {
		for j := range gridSteps {
			a, b := gridAt(i, machineReach), gridAt(j, settingReach)
			w := weighted{machine: square(machineMedian * math.Exp(machineSpread*a)), setting: square(settingMedian * math.Exp(settingSpread*b))}
			w.other, w.weight = layout.likelihood(w.machine, w.setting)
			w.weight -= a*a/2 + settingTail*math.Log1p(b*b/(2*settingTail-1))
			highest = max(highest, w.weight)
			s.weights = append(s.weights, w)
		}
	}
	total := 0.0
	for i := range s.weights {
		s.weights[i].weight = math.Exp(s.weights[i].weight - highest)
		total += s.weights[i].weight
	}
	for i := range s.weights {
		s.weights[i].weight /= total
	}
	return s, true
}

func gridAt(i int, reach float64) float64 { return reach * (2*float64(i)/(gridSteps-1) - 1) }

func square(x float64) float64 { return x * x }

// tells reports whether a run says how its CPU time is divided.
func (r CPURun) tells() bool { return r.Throughput > 0 && r.Share >= 0 && r.Share < 1 }

// logOther is the logarithm of the other CPU time of a unit of work.
func (r CPURun) logOther() float64 { return math.Log1p(-r.Share) - math.Log(r.Throughput) }

// layout is what the likelihood needs of the trials' log o.
type layout struct {
	means, runs     []float64
	within, degrees float64 // sum of squares within trials, and its degrees of freedom
}

func layoutOf(trials [][]CPURun) (l layout) {
	for _, runs := range trials {
		var others []float64
		for _, r := range runs {
			if r.tells() {
				others = append(others, r.logOther())
			}
		}
		if n := float64(len(others)); n > 0 {
			l.means, l.runs = append(l.means, stat.Mean(others, nil)), append(l.runs, n)
			if n > 1 {
				l.within, l.degrees = l.within+stat.Variance(others, nil)*(n-1), l.degrees+n-1
			}
		}
	}
	return l
}

// likelihood is the logarithm of the restricted likelihood of two variances, with
// the mean that they make the likeliest.
func (l layout) likelihood(machine, setting float64) (mean, log float64) {
	var sum, weights float64
	for i, y := range l.means {
		w := 1 / (setting + machine/l.runs[i])
		sum, weights = sum+w*y, weights+w
		log += math.Log(w) / 2
	}
	mean = sum / weights
	for i, y := range l.means {
		log -= square(y-mean) / (setting + machine/l.runs[i]) / 2
	}
	return mean, log - math.Log(weights)/2 - l.degrees*math.Log(machine)/2 - l.within/machine/2
}

// shareNoiseOf is how much the logarithms of shares of one setting's runs differ.
func shareNoiseOf(trials [][]CPURun) float64 {
	squares, degrees := priorShareDegrees*square(priorShareNoise), float64(priorShareDegrees)
	for _, runs := range trials {
		var logs []float64
		for _, r := range runs {
			if r.tells() && r.Share > 0 {
				logs = append(logs, math.Log(r.Share))
			}
		}
		if len(logs) > 1 {
			squares, degrees = squares+stat.Variance(logs, nil)*float64(len(logs)-1), degrees+float64(len(logs)-1)
		}
	}
	return math.Sqrt(squares / degrees)
}

// LogThroughput estimates the logarithm of a trial's throughput, as on the machine
// at its mean speed over the study, with its standard error, which is that of
// comparisons within the study: what is unknown about the mean speed is not in it.
// It is false for runs of which none tells a share.
func (s Steady) LogThroughput(runs []CPURun) (estimate, standardError float64, ok bool) {
	var other, rest, variance, n float64
	for _, r := range runs {
		if r.tells() {
			share := r.Share
			if r.Expected > 0 && r.Expected < 1 {
				share = r.Expected
			}
			other, rest, n = other+r.logOther(), rest+math.Log1p(-share), n+1
			// Of log(1 − s), to first order.
			variance += square(max(s.shareNoise*share/(1-share), r.Error))
		}
	}
	if n == 0 || len(s.weights) == 0 {
		return 0, 0, false
	}
	other, rest, variance = other/n, rest/n, variance/n/n
	squares := 0.0
	for _, w := range s.weights {
		machine := w.machine / n
		setting := w.setting / (w.setting + machine)
		mean := rest - w.other - setting*(other-w.other)
		estimate += w.weight * mean
		squares += w.weight * (setting*machine + mean*mean)
	}
	return estimate, math.Sqrt(variance + max(0, squares-estimate*estimate)), true
}
