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
// costs is taken out, and put back as often as the chunks and what was known before,
// one event in `every` units of work, say together.
func Expected(chunks []Chunk, each, every float64) (share, standardError float64) {
	common := make([]Chunk, len(chunks))
	removed := 0.0
	for i, c := range chunks {
		rare := min(c.Rare*each, c.Part)
		removed += rare
		common[i] = Chunk{Work: c.Work, Cost: c.Cost - rare, Part: c.Part - rare}
	}
	total, events := sumOf(common), sumOf(chunks).Rare
	if events > 0 { // they may cost less here than where that was learnt
		each = removed / events
	}
	rate, rateError := rareRate(events, total.Work, every)
	due := each * rate * total.Work
	share = (total.Part + due) / (total.Cost + due)
	return share, math.Hypot(RestError(common), rateError*due/(total.Cost+due))
}

const (
	// rateSpread is how far rates of settings are from the known one: the standard
	// deviation of the logarithm. Ten events in the time of one are believed.
	rateSpread = 1.3
	// regular is how much less the number of events varies than a Poisson process's,
	// as they keep a distance.
	regular = 0.6
)

// rareRate is the rate of events of which some were seen in so much work, where one in
// `every` units of work was known before, and the standard error of its logarithm: the
// mode of the logarithm's posterior, with a normal prior around what was known, and the
// curvature there (Gelman et al., Bayesian Data Analysis, 3rd ed. 2013, section 4.1).
func rareRate(events, work, every float64) (rate, standardError float64) {
	const prior, likelihood = 1 / (rateSpread * rateSpread), 1 / (regular * regular)
	known := -math.Log(every)
	log := known
	for range 50 { // Newton's method; the posterior is concave
		expected := math.Exp(log) * work
		slope := likelihood*(events-expected) - prior*(log-known)
		step := slope / (likelihood*expected + prior)
		log += max(-1, min(step, 1))
		if math.Abs(step) < 1e-9 {
			break
		}
	}
	rate = math.Exp(log)
	return rate, 1 / math.Sqrt(likelihood*rate*work+prior)
}
