package problems

import "github.com/gctune/gctune/tuner/sampler"

// Budgets are the numbers of trials after which a search is judged.
var Budgets = [4]int{20, 30, 50, 100}

// Summary is how a sampler did on a problem.
type Summary struct {
	Means [4]float64 // score at each budget, mean over seeds
	Last  []float64  // score of each seed at the last budget
}

// Summarise runs the sampler with seeds 0 to seeds-1.
func Summarise(p Problem, s sampler.Sampler, seeds int) (Summary, error) {
	var summary Summary
	for seed := range seeds {
		scores, err := Run(p, s, uint64(seed), Budgets[3])
		if err != nil {
			return Summary{}, err
		}
		for i, budget := range Budgets {
			summary.Means[i] += scores[budget-1] / float64(seeds)
		}
		summary.Last = append(summary.Last, scores[Budgets[3]-1])
	}
	return summary, nil
}
