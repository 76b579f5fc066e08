package problems

import (
	"math"
	"slices"
)

// Budgets are the numbers of trials after which a search is judged.
var Budgets = [4]int{20, 30, 50, 100}

// Middle is the budget of most users, in trials.
const Middle = 50

// nearlyAll is the score that counts as found.
const nearlyAll = 0.95

// Summary is how a sampler did on a problem. NaN stands for what too short
// searches do not say.
type Summary struct {
	// Means and Errors are of the scores at each budget: the mean over the seeds,
	// and its standard error.
	Means, Errors [4]float64
	// Worst is the least score of a seed after Middle trials.
	Worst float64
	// Needed is the median number of trials to a score of 0.95, +Inf when fewer
	// than half of the seeds get there.
	Needed float64
}

// Summarise sums up the searches of several seeds, all of one length.
func Summarise(records []Record) Summary {
	var s Summary
	for i, budget := range Budgets {
		s.Means[i], s.Errors[i] = MeanAndError(ScoresAt(records, budget))
	}
	s.Worst = math.NaN()
	if scores := ScoresAt(records, Middle); len(scores) > 0 {
		s.Worst = slices.Min(scores)
	}
	s.Needed = median(records, func(r Record) float64 {
		first := slices.IndexFunc(r.Scores, func(score float64) bool { return score >= nearlyAll })
		if first < 0 {
			return math.Inf(1)
		}
		return float64(first + 1)
	})
	return s
}

// ScoresAt returns the score of each search after so many trials, of those that
// are as long.
func ScoresAt(records []Record, trials int) []float64 {
	var scores []float64
	for _, r := range records {
		if len(r.Scores) >= trials {
			scores = append(scores, r.Scores[trials-1])
		}
	}
	return scores
}

// MeanAndError returns the mean and its standard error, NaN where there are too
// few values.
func MeanAndError(values []float64) (mean, standardError float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if n == 0 {
		mean = math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / (n - 1) / n)
}

// median is the lower one of an even number of values.
func median(records []Record, value func(Record) float64) float64 {
	if len(records) == 0 {
		return math.NaN()
	}
	var values []float64
	for _, r := range records {
		values = append(values, value(r))
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
