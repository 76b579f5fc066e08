package load

import "fmt"

// longestCycle bounds the weights: the cycle is held in memory, one entry a
// request.
const longestCycle = 10_000

// cycle returns the indices of the weights in the order in which they are
// sent, over and over: each index as often as its weight (divided by the
// weights' common divisor), and spread as evenly as possible. It is the
// "smooth weighted round-robin" of nginx's upstream module: every turn each
// candidate gains its weight, the richest is taken and pays the total.
func cycle(weights []int) ([]int, error) {
	total, divisor := 0, 0
	for _, w := range weights {
		divisor = gcd(divisor, w)
	}
	for _, w := range weights {
		total += w / divisor
		if total > longestCycle {
			return nil, fmt.Errorf("weights come to more than %d in total: use smaller ones in the same proportion", longestCycle)
		}
	}
	credit := make([]int, len(weights))
	order := make([]int, total)
	for turn := range order {
		best := 0
		for i, w := range weights {
			credit[i] += w / divisor
			if credit[i] > credit[best] {
				best = i
			}
		}
		credit[best] -= total
		order[turn] = best
	}
	return order, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
