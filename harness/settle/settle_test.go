package settle_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/harness/settle"
)

// By hand: of 9, 1, 2, 1, 2, 1, 2 the sum of squares around the mean over n² is
// 50.86 / 49 = 1.04 with the 9, and 1.5 / 36 = 0.042 without it; without the 1
// after it, it is 1.2 / 25 = 0.048.
func TestSinceByHand(t *testing.T) {
	if got, ok := settle.Since([]float64{9, 1, 2, 1, 2, 1, 2}); got != 1 || !ok {
		t.Errorf("got %d, %v; want the second figure", got, ok)
	}
	if _, ok := settle.Since([]float64{9, 1, 2}); ok {
		t.Error("three figures tell nothing")
	}
	if got, ok := settle.Since([]float64{9, 8, 7, 6, 5, 1, 1, 1, 1}); ok {
		t.Errorf("%d of 9 figures were dropped: that is no steady series yet", got)
	}
}

// warming is the cost of chunk i in the simulations: a quarter more at first,
// less by a factor from chunk to chunk, and noise of 6 %, as was seen of Rails.
func warming(rng *rand.Rand, i int, factor float64) float64 {
	return (1 + 0.25*math.Pow(factor, float64(i))) * (1 + 0.06*rng.NormFloat64())
}

// The mean after a stop must be near that of the steady state, though the stop and
// the begin are chosen by the very figures. Truth is 1. Without the rule the mean
// of the same chunks is off by twice as much at least; a warm-up as slow as the
// series is long can only be lessened.
func TestSinceRemovesTheWarmUp(t *testing.T) {
	for factor, most := range map[float64]float64{0: 0.002, 0.2: 0.003, 0.5: 0.01, 0.8: 0.05} {
		rng := rand.New(rand.NewPCG(1, 2))
		const studies = 4000
		bias, kept, plain := 0.0, 0.0, 0.0
		for range studies {
			var figures []float64
			begin, ok := 0, false
			for i := 0; !ok || len(figures) < 11; i++ {
				figures = append(figures, warming(rng, i, factor))
				begin, ok = settle.Since(figures)
			}
			bias += mean(figures[begin:]) - 1
			plain += mean(figures) - 1
			kept += float64(len(figures)-begin) / float64(len(figures))
		}
		bias, plain, kept = bias/studies, plain/studies, kept/studies
		t.Logf("factor %.1f: bias %+.2f %%, without the rule %+.2f %%, %.0f %% of the chunks kept", factor, 100*bias, 100*plain, 100*kept)
		if math.Abs(bias) > most || bias > plain/2 || kept < 0.6 {
			t.Errorf("factor %.1f: bias %+.4f (plain %+.4f), kept %.2f", factor, bias, plain, kept)
		}
	}
}

// A steady series loses little to the rule.
func TestSinceKeepsWhatIsSteady(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	kept, bias := 0.0, 0.0
	for range 2000 {
		var figures []float64
		for range 10 {
			figures = append(figures, 1+0.06*rng.NormFloat64())
		}
		begin, _ := settle.Since(figures)
		kept += float64(10-begin) / 10 / 2000
		bias += (mean(figures[begin:]) - 1) / 2000
	}
	t.Logf("kept %.2f, bias %+.4f", kept, bias)
	if kept < 0.75 || math.Abs(bias) > 0.003 {
		t.Errorf("kept %.2f, bias %+.4f", kept, bias)
	}
}

func mean(figures []float64) float64 {
	sum := 0.0
	for _, f := range figures {
		sum += f
	}
	return sum / float64(len(figures))
}

// The stated errors are those that are seen: the machine's speed, common to both
// parts of a chunk, is in the one and not in the other.
func TestErrorsAreWhatIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const studies, chunks = 4000, 10
	var cost, rest, statedCost, statedRest float64
	for range studies {
		var series []settle.Chunk
		total := settle.Chunk{}
		for range chunks {
			speed := 1 + 0.1*rng.NormFloat64()
			part := 0.15 * (1 + 0.3*rng.NormFloat64())
			c := settle.Chunk{Work: 12, Cost: 12 * (0.85 + part) * speed, Part: 12 * part * speed}
			series = append(series, c)
			total.Work, total.Cost, total.Part = total.Work+c.Work, total.Cost+c.Cost, total.Part+c.Part
		}
		cost += math.Pow(math.Log(total.Cost/total.Work), 2) / studies
		rest += math.Pow(math.Log1p(-total.Part/total.Cost)-math.Log(0.85), 2) / studies
		statedCost += math.Pow(settle.CostError(series), 2) / studies
		statedRest += math.Pow(settle.RestError(series), 2) / studies
	}
	for name, pair := range map[string][2]float64{"cost": {cost, statedCost}, "rest": {rest, statedRest}} {
		seen, stated := math.Sqrt(pair[0]), math.Sqrt(pair[1])
		t.Logf("%s: seen %.4f, stated %.4f", name, seen, stated)
		if math.Abs(stated/seen-1) > 0.1 {
			t.Errorf("%s: error stated %.4f, seen %.4f", name, stated, seen)
		}
	}
	if rest > cost/4 {
		t.Errorf("the rest's share varies by %.4f, the cost by %.4f: the machine was to be left out", math.Sqrt(rest), math.Sqrt(cost))
	}
	if !math.IsNaN(settle.CostError(nil)) {
		t.Error("an error of nothing")
	}
}

// A stop as soon as the stated error is small enough favours series that happen to
// look steady: what that does to the mean is small, and to the stated error no more
// than a fifth.
func TestStoppingByTheErrorBiasesLittle(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const studies, target = 4000, 0.025
	bias, seen, stated, length := 0.0, 0.0, 0.0, 0.0
	for range studies {
		var series []settle.Chunk
		total := settle.Chunk{}
		for len(series) < 8 || settle.CostError(series) > target && len(series) < 40 {
			c := settle.Chunk{Work: 12, Cost: 12 * math.Exp(0.09*rng.NormFloat64()-0.09*0.09/2)}
			series = append(series, c)
			total.Work, total.Cost = total.Work+c.Work, total.Cost+c.Cost
		}
		off := math.Log(total.Cost / total.Work)
		bias, seen, length = bias+off/studies, seen+off*off/studies, length+float64(len(series))/studies
		stated += math.Pow(settle.CostError(series), 2) / studies
	}
	t.Logf("bias %+.4f, error seen %.4f, stated %.4f, %.1f chunks on average", bias, math.Sqrt(seen), math.Sqrt(stated), length)
	if math.Abs(bias) > 0.002 || math.Sqrt(seen/stated) > 1.2 {
		t.Errorf("bias %+.4f, error seen %.4f, stated %.4f", bias, math.Sqrt(seen), math.Sqrt(stated))
	}
}

// Major collections come at a regular distance and take six requests' time; a window
// begins anywhere between two. The share that is expected is nearer to that of the
// long run than the share that was seen, unless events are so frequent that a window
// has seen enough of them: then what was known of other settings must not outweigh what
// was seen, and is off by 3 % at most where the truth is twelve times as many. Its bias
// is within its stated error, and that is not much smaller than the error is.
func TestExpectedSeesPastRareEvents(t *testing.T) {
	for _, every := range []float64{12, 24, 60, 120, 240, 480} {
		rng := rand.New(rand.NewPCG(9, 10))
		const studies, chunks, work, major = 4000, 9, 12, 6.0
		truth := math.Log1p(-(0.1 + major/every) / (1 + major/every))
		var seen, expected, bias, stated float64
		for range studies {
			next := every * rng.Float64()
			var series []settle.Chunk
			for i := range chunks {
				speed, c := 1+0.1*rng.NormFloat64(), settle.Chunk{Work: work}
				for ; next < float64(work*(i+1)); next += every {
					c.Rare++
				}
				part := work*0.1*(1+0.1*rng.NormFloat64()) + major*c.Rare
				c.Cost, c.Part = (work*0.9+part)*speed, part*speed
				series = append(series, c)
			}
			plain, _ := settle.Expected(series, 0, 1)
			share, standardError := settle.Expected(series, major, 150)
			off := math.Log1p(-share) - truth
			seen += math.Pow(math.Log1p(-plain)-truth, 2) / studies
			expected, bias, stated = expected+off*off/studies, bias+off/studies, stated+standardError*standardError/studies
		}
		t.Logf("one in %3.0f: error %.4f, of what was seen %.4f; bias %+.4f, stated %.4f", every, math.Sqrt(expected), math.Sqrt(seen), bias, math.Sqrt(stated))
		if expected > max(1.6*seen, 0.03*0.03) || every > 60 && expected > 0.7*seen || math.Abs(bias) > math.Sqrt(stated) || stated < 0.8*0.8*expected {
			t.Errorf("one in %.0f: error %.4f, of what was seen %.4f; bias %+.4f, stated %.4f", every, math.Sqrt(expected), math.Sqrt(seen), bias, math.Sqrt(stated))
		}
	}
}
