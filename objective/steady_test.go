package objective_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/objective"
)

// truth is a study whose every part is known.
type truth struct {
	machine, setting, share float64 // standard deviations of logarithms
}

// study simulates a study of 50 trials with 5 runs of the baseline: a request takes
// 10 ms of other work, which a setting changes a little, and of collection what the
// setting makes it. It returns the runs and the logarithms of the true throughputs.
func (k truth) study(rng *rand.Rand) (runs [][]objective.CPURun, want []float64) {
	for i := range 50 {
		other := 0.010 * math.Exp(k.setting*rng.NormFloat64())
		collection := 0.010 * (0.02 + 0.3*rng.Float64())
		want = append(want, -math.Log(other+collection))
		repeats := 1
		if i == 0 {
			repeats = 5
		}
		var trial []objective.CPURun
		for range repeats {
			speed, seen := math.Exp(k.machine*rng.NormFloat64()), collection*math.Exp(k.share*rng.NormFloat64())
			trial = append(trial, objective.CPURun{Throughput: 1 / ((other + seen) * speed), Share: seen / (other + seen)})
		}
		runs = append(runs, trial)
	}
	return runs, want
}

// centred takes the mean away: a study cannot know how fast the machine is when
// nothing slows it down, only how its trials compare.
func centred(errors []float64) []float64 {
	mean := 0.0
	for _, e := range errors {
		mean += e / float64(len(errors))
	}
	for i := range errors {
		errors[i] -= mean
	}
	return errors
}

// On machines from quiet to busy, the combined estimate is nearer to the truth than
// the raw figure, and its standard errors are what its errors are.
func TestSteadyIsNearerToTheTruthAndKnowsHowNear(t *testing.T) {
	for name, k := range map[string]truth{
		"very busy":          {0.25, 0.025, 0.08},
		"busy":               {0.12, 0.025, 0.08},
		"fair":               {0.05, 0.025, 0.08},
		"quiet":              {0.025, 0.025, 0.05},
		"settings do little": {0.10, 0.02, 0.08},
		"settings do much":   {0.05, 0.03, 0.08},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			var raw, steady, stated, n float64
			for range 200 {
				runs, want := k.study(rng)
				s, ok := objective.FitSteady(runs)
				if !ok {
					t.Fatal("no estimate")
				}
				var ofRaw, ofSteady []float64
				for i, trial := range runs {
					estimate, standardError, _ := s.LogThroughput(trial)
					ofRaw = append(ofRaw, math.Log(trial[0].Throughput)-want[i])
					ofSteady = append(ofSteady, estimate-want[i])
					stated += standardError * standardError
				}
				ofRaw, ofSteady = centred(ofRaw), centred(ofSteady)
				for i, e := range ofSteady {
					steady, raw, n = steady+e*e, raw+ofRaw[i]*ofRaw[i], n+1
				}
			}
			ratio := math.Sqrt(stated / steady)
			t.Logf("error %.4f, raw %.4f; stated %.4f, which is %.2f of it", math.Sqrt(steady/n), math.Sqrt(raw/n), math.Sqrt(stated/n), ratio)
			if steady >= raw {
				t.Errorf("mean squared error %.2g, of the raw figure %.2g", steady/n, raw/n)
			}
			if math.Abs(ratio-1) > 0.15 {
				t.Errorf("standard errors are %.2f of the errors", ratio)
			}
		})
	}
}

// Four hundred trials of which each has one run 10 % above and one 10 % below the
// same speed: the machine's noise is 14 %, and trials do not differ. By hand: a run
// is then put where its share alone puts it, and its error is that of its share.
func TestSteadyByHand(t *testing.T) {
	var trials [][]objective.CPURun
	for range 400 {
		trials = append(trials, []objective.CPURun{{Throughput: 100 * math.Exp(0.1)}, {Throughput: 100 * math.Exp(-0.1)}})
	}
	s, _ := objective.FitSteady(trials)
	estimate, standardError, ok := s.LogThroughput([]objective.CPURun{{Throughput: 120 * 0.8, Share: 0.2, Error: 0.07}})
	if !ok || !near(estimate, math.Log(100*0.8), 0.002) {
		t.Errorf("estimate %v, want %v, by the study's other CPU time", estimate, math.Log(80))
	}
	if !near(standardError, 0.07, 0.002) {
		t.Errorf("standard error %v, want the 0.07 of the run", standardError)
	}
}

func TestSteadyNeedsAShare(t *testing.T) {
	for _, share := range []float64{-0.1, 1, 1.5, math.NaN()} {
		if _, ok := objective.FitSteady([][]objective.CPURun{{{Throughput: 50, Share: share}}}); ok {
			t.Errorf("share %v: an estimate", share)
		}
	}
	s, ok := objective.FitSteady([][]objective.CPURun{{{Throughput: 50, Share: 0.2}}})
	if !ok {
		t.Fatal("one run that tells is enough")
	}
	if _, _, ok := s.LogThroughput([]objective.CPURun{{Throughput: 50, Share: math.NaN()}}); ok {
		t.Error("an estimate of a run that does not tell")
	}
	if got, e, _ := s.LogThroughput([]objective.CPURun{{Throughput: 50, Share: 0.2}}); !near(got, math.Log(50), 1e-9) || !(e > 0.01 && e < 0.1) {
		t.Errorf("the only run there is: %v ± %v", got, e)
	}
}
