package problems

import "github.com/gctune/gctune/tuner/space"

// forbidden is the share of the space that is infeasible in WithAborts.
const forbidden = 0.2

// WithAborts is the problem in which a fifth of the space is infeasible: programs
// abort whose first parameter is below a bound, by their own scale.
func WithAborts(p Problem) Problem {
	evaluate := p.Evaluate
	p.Evaluate = func(setting space.Setting, seed uint64, trial int) (Outcome, error) {
		if p.Space.Dim() > 0 && p.Space.Encode(setting)[0] < forbidden {
			return Outcome{Infeasible: true}, nil
		}
		return evaluate(setting, seed, trial)
	}
	return p
}

// WithVoids is the problem in which a share of the trials ends without figures,
// and with no fault of the setting.
func WithVoids(p Problem, share float64) Problem {
	evaluate := p.Evaluate
	p.Evaluate = func(setting space.Setting, seed uint64, trial int) (Outcome, error) {
		if uniform(seed, uint64(trial)) < share {
			return Outcome{}, nil
		}
		return evaluate(setting, seed, trial)
	}
	return p
}

// InfeasibleTrials counts the infeasible ones among trials from to to, the last
// not included.
func (r Record) InfeasibleTrials(from, to int) int {
	n := 0
	for _, o := range r.History[min(from, len(r.History)):min(to, len(r.History))] {
		if o.Infeasible {
			n++
		}
	}
	return n
}
