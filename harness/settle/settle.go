// Package settle tells from a series of figures since when it has been steady,
// and how well its mean is known. It is pure.
package settle

import "math"

// Least is how many figures there must be after the change for it to be told from
// noise.
const Least = 4

// Since is where a series became steady, by the marginal standard error rule
// (MSER; White, "An effective truncation heuristic for bias reduction in simulation
// output", Simulation 69, 1997): to drop the first d figures costs precision, to
// keep those of a warm-up costs more as long as they stand apart, and the d that
// leaves the least
//
//	Σ (xᵢ − mean)² / (n − d)²   over i ≥ d
//
// balances the two. The answer is false, and there have to be more figures, where
// that would drop more than half, and where what is left still falls.
func Since(figures []float64) (int, bool) {
	n := len(figures)
	if n < Least {
		return 0, false
	}
	best, least := 0, math.Inf(1)
	sum, squares := 0.0, 0.0
	centre := figures[n-1] // squares of what is left of it are summed more exactly
	for d := n - 1; d >= 0; d-- {
		x := figures[d] - centre
		sum, squares = sum+x, squares+x*x
		kept := float64(n - d)
		if n-d < Least {
			continue
		}
		if marginal := (squares - sum*sum/kept) / (kept * kept); marginal <= least {
			best, least = d, marginal
		}
	}
	return best, 2*best <= n && !falls(figures[best:])
}

// falling is the value of Kendall's statistic, in standard deviations, below which
// a series counts as falling: one in ten without a trend does.
const falling = -1.28

// falls is the test of Mann and Kendall (Mann, "Nonparametric tests against trend",
// Econometrica 13, 1945), which a few wild figures do not disturb.
func falls(figures []float64) bool {
	rises, n := 0.0, float64(len(figures))
	for i, x := range figures {
		for _, later := range figures[i+1:] {
			switch {
			case later > x:
				rises++
			case later < x:
				rises--
			}
		}
	}
	return rises < falling*math.Sqrt(n*(n-1)*(2*n+5)/18)
}

// Chunk is a stretch of work: what it cost, the part of that which is told apart from
// the rest, and how many rare and costly events were in that part.
type Chunk struct {
	Work, Cost, Part float64
	Rare             float64
}

// CostError is the relative standard error of the cost of a unit of work over the
// chunks, from how much they differ: NaN for fewer than two.
func CostError(chunks []Chunk) float64 {
	total := sumOf(chunks)
	return ratioError(chunks, func(c Chunk) float64 { return c.Cost - total.Cost/total.Work*c.Work }) / total.Cost
}

// RestError is the standard error of the logarithm of the rest's share, 1 − Part /
// Cost, over the chunks: NaN for fewer than two. What makes all of a chunk cost
// more, such as a busy machine, is not in it.
func RestError(chunks []Chunk) float64 {
	total := sumOf(chunks)
	return ratioError(chunks, func(c Chunk) float64 { return c.Part - total.Part/total.Cost*c.Cost }) / (total.Cost - total.Part)
}

// ratioError is the standard error of a sum of residuals of a ratio estimate
// (Cochran, Sampling Techniques, 3rd ed. 1977, eq. 6.13, for chunks as a sample
// from a series without end).
func ratioError(chunks []Chunk, residual func(Chunk) float64) float64 {
	n := float64(len(chunks))
	if n < 2 {
		return math.NaN()
	}
	squares := 0.0
	for _, c := range chunks {
		r := residual(c)
		squares += r * r
	}
	return math.Sqrt(squares * n / (n - 1))
}

func sumOf(chunks []Chunk) (total Chunk) {
	for _, c := range chunks {
		total.Work, total.Cost, total.Part = total.Work+c.Work, total.Cost+c.Cost, total.Part+c.Part
		total.Rare += c.Rare
	}
	return total
}

// Expected is the share of the part in the cost that the chunks let expect in the
// long run, and the standard error of the logarithm of the rest's share. Whether few
// chunks have one rare event more or less is chance. So of the part what `each` event
// costs is taken out, and put back as often as the chunks and what was known before
// say together: as a Poisson rate with a gamma prior of priorEvents, one in `every`
// units of work (Gelman et al., Bayesian Data Analysis, 3rd ed. 2013, section 2.6).
func Expected(chunks []Chunk, each, every float64) (share, standardError float64) {
	common := make([]Chunk, len(chunks))
	for i, c := range chunks {
		rare := min(c.Rare*each, c.Part)
		common[i] = Chunk{Work: c.Work, Cost: c.Cost - rare, Part: c.Part - rare}
	}
	total, count := sumOf(common), priorEvents+sumOf(chunks).Rare
	due := each * count * total.Work / (total.Work + priorEvents*every)
	share = (total.Part + due) / (total.Cost + due)
	return share, math.Hypot(RestError(common), regular*due/math.Sqrt(count)/(total.Cost+due))
}

const (
	// priorEvents is what earlier knowledge of the rate counts for: more of it would
	// make the error less and the bias more.
	priorEvents = 0.5
	// regular is how much less the number of events varies than a Poisson process's,
	// as they keep a distance.
	regular = 0.6
)
