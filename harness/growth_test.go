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

// Of series with a known slope the interval must hold it, whether memory walks at
// random around it, in nineteen of twenty, or only trembles, in more.
func TestGrowthIntervalHoldsTheSlope(t *testing.T) {
	const series, slope = 2000, 3e5
	for _, c := range []struct {
		alike       float64 // of one sample's distance from the line, and the next's
		atLeast, to float64
	}{{1, 0.93, 0.97}, {0.6, 0.95, 1}, {0, 0.95, 1}} {
		for _, n := range []int{12, 20, 60} {
			random, held := rand.New(rand.NewPCG(1, 2)), 0
			for range series {
				memory, noise := make([]float64, n), 0.0
				for i := range memory {
					memory[i] = 100e6 + slope*0.2*float64(i) + noise
					noise = c.alike*noise + 1.6e5*random.NormFloat64()
				}
				if _, low, high, _, _, _ := harness.GrowthOf(samples(memory...)); low <= slope && slope <= high {
					held++
				}
			}
			if share := float64(held) / series; share < c.atLeast || share > c.to {
				t.Errorf("likeness %v, %d samples: held the slope in %.1f %% of the series", c.alike, n, 100*share)
			}
		}
	}
}

func TestGrowth(t *testing.T) {
	straight := make([]float64, 10)
	for i := range straight {
		straight[i] = 50e6 + 1e6*float64(i) // 5 MB a second
	}
	slope, low, high, told, _, known := harness.GrowthOf(samples(straight...))
	if !known || slope < 4.99e6 || slope > 5.01e6 || low < 4.9e6 || high > 5.1e6 || !told {
		t.Errorf("a straight rise: %v from %v to %v, told %v", slope, low, high, told)
	}
	for name, c := range map[string]struct {
		memory        []float64
		told, stepped bool
	}{
		"one step":      {[]float64{50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 60e6, 60e6, 60e6, 60e6, 60e6, 60e6}, false, true},
		"a bent rise":   {[]float64{50e6, 53e6, 56e6, 58e6, 60e6, 62e6, 63.5e6, 65e6, 66.5e6, 68e6, 69e6, 70e6}, true, true},
		"up and down":   {[]float64{50e6, 55e6, 50e6, 55e6, 50e6, 55e6, 50e6, 55e6, 50e6, 55e6, 50e6, 55e6}, false, false},
		"a late jump":   {[]float64{50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 60e6}, false, false},
		"flat":          {[]float64{50e6, 50e6, 50e6, 50e6, 50e6, 50e6, 50e6}, false, false},
		"one per cent":  {[]float64{50e6, 50.1e6, 50.2e6, 50.3e6, 50.4e6, 50.5e6}, false, false},
		"straight down": {[]float64{60e6, 59e6, 58e6, 57e6, 56e6, 55e6, 54e6}, false, false},
	} {
		if slope, low, high, told, stepped, _ := harness.GrowthOf(samples(c.memory...)); told != c.told || stepped != c.stepped {
			t.Errorf("%s: growth %v, step %v; %v from %v to %v", name, told, stepped, slope, low, high)
		}
	}
	if _, _, _, _, _, known := harness.GrowthOf(samples(1, 2, 3, 4, 5)); known {
		t.Error("a slope of five samples")
	}
}
