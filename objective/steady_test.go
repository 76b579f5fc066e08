package objective_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/objective"
)

// A request takes 10 ms of other work; settings differ in collection alone, and
// the machine runs at a speed of its own in each run. The estimate must come
// nearer to the truth than the raw figure does.
func TestSteadyEstimateSeesThroughTheMachine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	estimate := objective.SteadyEstimate{Throughput: 1 / 0.012, Share: 0.002 / 0.012, RawNoise: 0.15}
	var raw, steady float64
	for range 500 {
		collection := 0.004 * random.Float64()
		truth := math.Log(1 / (0.010 + collection))
		speed := math.Exp(0.15 * random.NormFloat64())
		measured := 1 / ((0.010 + collection) * speed)
		share := collection / (0.010 + collection) * math.Exp(0.08*random.NormFloat64())
		raw += math.Abs(math.Log(measured) - truth)
		steady += math.Abs(logThroughput(estimate, measured, share) - truth)
	}
	if steady > raw/5 {
		t.Errorf("mean error %.4f, raw %.4f: no fifth of it", steady/500, raw/500)
	}
}

// On a machine without noise the raw figure must prevail.
func TestSteadyEstimateTrustsAQuietMachine(t *testing.T) {
	estimate := objective.SteadyEstimate{Throughput: 100, Share: 0.2, RawNoise: 0.001}
	if got := logThroughput(estimate, 90, 0.2); !near(got, math.Log(90), 0.001) {
		t.Errorf("got %v, want the raw %v", got, math.Log(90))
	}
}

// The weights by hand: raw variance 0.01; s = 0.5 has the spread 0.08, so the
// variance 0.0064 + 0.0009 = 0.0073.
func TestSteadyEstimateWeights(t *testing.T) {
	estimate := objective.SteadyEstimate{Throughput: 100, Share: 0.2, RawNoise: 0.1}
	byShare := math.Log(100 * 0.5 / 0.8)
	want := (100*math.Log(50) + byShare/0.0073) / (100 + 1/0.0073)
	got, standardError := estimate.LogThroughput(50, 0.5)
	if !near(got, want, 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Independent errors: variances 0.01 and 0.0073 in parallel.
	if want := math.Sqrt(0.01 * 0.0073 / (0.01 + 0.0073)); !near(standardError, want, 1e-12) {
		t.Errorf("standard error %v, want %v", standardError, want)
	}
}

func TestSteadyEstimateWithoutAShareIsRaw(t *testing.T) {
	for _, share := range []float64{-0.1, 1, 1.5, math.NaN()} {
		estimate := objective.SteadyEstimate{Throughput: 100, Share: 0.2, RawNoise: 0.1}
		if got := logThroughput(estimate, 50, share); got != math.Log(50) {
			t.Errorf("share %v: got %v", share, got)
		}
	}
	if got := logThroughput(objective.SteadyEstimate{}, 50, 0.2); got != math.Log(50) {
		t.Errorf("without a baseline: got %v", got)
	}
}

func logThroughput(e objective.SteadyEstimate, raw, share float64) float64 {
	estimate, _ := e.LogThroughput(raw, share)
	return estimate
}
