package harness_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/process"
)

// samples are of a memory every 0.2 s.
func samples(memory ...float64) process.MemorySummary {
	m := process.MemorySummary{HavePSS: true}
	for i, value := range memory {
		m.Times = append(m.Times, process.Sample{Seconds: 0.2 * float64(i), Memory: process.Memory{PSS: int64(value), HavePSS: true}})
	}
	return m
}

// Of series with a known slope, and neighbours that are alike, the interval must
// hold the slope in nearly all; at 0.8 a plain fit of a line holds it in half.
func TestGrowthIntervalHoldsTheSlope(t *testing.T) {
	const series, slope = 1000, 3e5
	for _, alike := range []float64{0, 0.6, 0.8} {
		for _, n := range []int{12, 20, 60} {
			random, held := rand.New(rand.NewPCG(1, 2)), 0
			for range series {
				memory, noise := make([]float64, n), 2e5*random.NormFloat64()
				for i := range memory {
					memory[i] = 100e6 + slope*0.2*float64(i) + noise
					noise = alike*noise + 1.6e5*random.NormFloat64()
				}
				if _, low, high, _, _ := harness.GrowthOf(samples(memory...)); low <= slope && slope <= high {
					held++
				}
			}
			if share := float64(held) / series; share < 0.85 {
				t.Errorf("likeness %v, %d samples: held the slope in %.1f %% of the series", alike, n, 100*share)
			}
		}
	}
}

func TestGrowth(t *testing.T) {
	straight := make([]float64, 10)
	for i := range straight {
		straight[i] = 50e6 + 1e6*float64(i) // 5 MB a second
	}
	slope, low, high, told, known := harness.GrowthOf(samples(straight...))
	if !known || slope < 4.99e6 || slope > 5.01e6 || low < 4.9e6 || high > 5.1e6 || !told {
		t.Errorf("a straight rise: %v from %v to %v, told %v", slope, low, high, told)
	}
	for name, memory := range map[string][]float64{
		"up and down":     {50e6, 55e6, 50e6, 55e6, 50e6, 55e6, 50e6, 55e6, 50e6, 55e6, 50e6, 55e6},
		"a late jump":     {50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 60e6},
		"flat":            {50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6},
		"one per cent":    {50e6, 50.1e6, 50.2e6, 50.3e6, 50.4e6, 50.5e6},
		"a straight fall": {60e6, 59e6, 58e6, 57e6, 56e6, 55e6, 54e6},
	} {
		if slope, low, high, told, _ := harness.GrowthOf(samples(memory...)); told {
			t.Errorf("%s is called growth: %v from %v to %v", name, slope, low, high)
		}
	}
	if _, _, _, _, known := harness.GrowthOf(samples(1, 2, 3, 4, 5)); known {
		t.Error("a slope of five samples")
	}
}
