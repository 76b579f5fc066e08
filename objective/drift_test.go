package objective_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/objective"
)

// study is 55 measurements with noise on a machine whose speed goes by a function
// of the place; of them five are repeats.
func study(random *rand.Rand, noise float64, speed func(at float64) float64) (repeats []objective.Repeat, neighbours []float64) {
	for i := range 55 {
		log := speed(float64(i)) + noise*random.NormFloat64()
		neighbours = append(neighbours, log)
		switch i {
		case 0, 5, 18, 31, 44:
			repeats = append(repeats, objective.Repeat{At: float64(i), Log: 4 + log})
		}
	}
	return repeats, neighbours
}

// Without a drift one study in a hundred is said to have one.
func TestDriftIsNotSeenInNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const studies = 2000
	found := 0
	for range studies {
		if _, ok := objective.FindDrift(study(random, 0.05, func(float64) float64 { return 0 })); ok {
			found++
		}
	}
	if share := float64(found) / studies; share > 0.02 {
		t.Errorf("drift in %.1f %% of the studies", 100*share)
	}
}

// A machine that becomes a fifth slower or more is seen, and what is corrected by it is far
// nearer to the truth, as near as is claimed.
func TestDriftIsCorrected(t *testing.T) {
	for name, speed := range map[string]func(float64) float64{
		"steady":   func(at float64) float64 { return -0.3 * at / 55 },
		"one step": func(at float64) float64 { return -0.2 * math.Round(at/55) },
		"a wave":   func(at float64) float64 { return 0.15 * math.Sin(at/10) },
	} {
		random := rand.New(rand.NewPCG(3, 4))
		const studies = 200
		found, within, places := 0, 0, 0
		var before, after float64
		for range studies {
			d, ok := objective.FindDrift(study(random, 0.03, speed))
			if !ok {
				continue
			}
			found++
			mean := (speed(0) + speed(5) + speed(18) + speed(31) + speed(44)) / 5
			for at := 0.0; at < 50; at++ {
				truth := speed(at) - mean
				level, standardError := d.At(at)
				before, after = before+truth*truth, after+(level-truth)*(level-truth)
				places++
				if math.Abs(level-truth) <= 2*standardError {
					within++
				}
			}
		}
		if found < 0.9*studies {
			t.Errorf("%s: found in %d of %d", name, found, studies)
		}
		if after > before/2 {
			t.Errorf("%s: the error is %.3f, uncorrected %.3f", name, math.Sqrt(after/float64(places)), math.Sqrt(before/float64(places)))
		}
		if share := float64(within) / float64(places); share < 0.85 {
			t.Errorf("%s: within two standard errors in %.1f %% of the places", name, 100*share)
		}
	}
}

// By hand: four values whose successive differences are 2, −2, 2, … have half the
// mean square 2; repeats 0, 10, 20 have the variance 100, so F is 50.
func TestDriftTest(t *testing.T) {
	repeats := []objective.Repeat{{At: 0, Log: 0}, {At: 10, Log: 10}, {At: 20, Log: 20}}
	d, found := objective.FindDrift(repeats, []float64{0, 2, 0, 2, 0, 2, 0, 2, 0, 2})
	if !found || !near(d.F, 50, 1e-9) || !near(d.Noise.SD, math.Sqrt2, 1e-9) || d.RepeatDegrees != 2 || !near(d.NeighbourDegrees, 162.0/26, 1e-9) {
		t.Errorf("%+v, %v", d, found)
	}
	level, _ := d.At(15)
	if level < 2 || level > 5 { // between the second and the third, drawn a little to the mean
		t.Errorf("level %v", level)
	}
	for _, c := range []struct {
		repeats    []objective.Repeat
		neighbours []float64
	}{
		{repeats[:2], make([]float64, 10)}, {repeats, make([]float64, 7)}, {repeats, make([]float64, 10)},
	} {
		if _, found := objective.FindDrift(c.repeats, c.neighbours); found {
			t.Errorf("%d repeats, %d neighbours: found", len(c.repeats), len(c.neighbours))
		}
	}
}
