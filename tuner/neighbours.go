package tuner

import (
	"fmt"
	"slices"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/pareto"
)

// neighbours takes members off the front that are certainly not better than another
// one in anything. An order of neighbours that is not certain is
// a doubt until the two were measured beside each other; when they cannot be told
// apart then, one of them is enough.
func (c *confirming) neighbours(result *Confirmed) error {
	for {
		result.Doubts = nil
		left, err := c.oneLeaves(result)
		if err != nil || !left {
			return err
		}
	}
}

// oneLeaves looks at every two members, first at those that were measured beside
// each other.
func (c *confirming) oneLeaves(result *Confirmed) (bool, error) {
	front := result.Front()
	for _, direct := range []bool{true, false} {
		for i, more := range front {
			for j := i + 1; j < len(front); j++ {
				less := front[j]
				r, err := c.relation(more.Trial, less.Trial)
				if err != nil {
					return false, fmt.Errorf("order of trials %d and %d: %w", more.Trial, less.Trial, err)
				}
				if r.direct != direct {
					continue
				}
				if loser, winner := r.dominated(more.Trial, less.Trial); loser >= 0 {
					seen := r.of(loser, more.Trial)
					result.leave(loser, fmt.Sprintf("nothing shows it to be better than trial %d in anything: relative to that throughput %s, memory %s", winner, seen.throughput, seen.memory))
					return true, nil
				}
				if r.doubtful() && j == i+1 {
					result.Doubts = append(result.Doubts, Doubt{more.Trial, less.Trial})
				}
			}
		}
	}
	return false, nil
}

// beaten takes off the front what another member beats in both estimates, unless it
// is clearly better in one where the two are compared. What is left to doubt is
// about those that stay.
func (c *confirming) beaten(result *Confirmed) error {
	front := result.Front()
	for _, loser := range front {
		for _, winner := range front {
			if !pareto.Dominates(ratioLosses(winner), ratioLosses(loser)) {
				continue
			}
			r, err := c.relation(loser.Trial, winner.Trial)
			if err != nil {
				return fmt.Errorf("order of trials %d and %d: %w", loser.Trial, winner.Trial, err)
			}
			if objective.ThroughputVerdict(r.throughput) != objective.Better && objective.MemoryVerdict(r.memory) != objective.Better {
				result.leave(loser.Trial, fmt.Sprintf("beaten by trial %d: relative to that throughput %s, memory %s", winner.Trial, r.throughput, r.memory))
				break
			}
		}
	}
	result.Doubts = slices.DeleteFunc(result.Doubts, func(d Doubt) bool { return !result.stays(d.More) || !result.stays(d.Less) })
	return nil
}

// ratioLosses are a member's losses relative to the baseline's, but for a logarithm.
func ratioLosses(m Member) []float64 { return []float64{-m.Throughput.Estimate, m.Memory.Estimate} }

func (c *Confirmed) stays(trial int) bool {
	return slices.ContainsFunc(c.Members, func(m Member) bool { return m.Trial == trial && m.Left == "" })
}

func (c *Confirmed) leave(trial int, why string) {
	i := slices.IndexFunc(c.Members, func(m Member) bool { return m.Trial == trial })
	c.Members[i].Left = why
}

// relation is one setting relative to another.
type relation struct {
	throughput, memory objective.Interval
	// direct says that the two were measured beside each other.
	direct bool
}

// relation takes the two beside each other if they were measured so, and else
// derives it from what each is relative to the baseline.
func (c *confirming) relation(more, less int) (relation, error) {
	for _, order := range []Doubt{{more, less}, {less, more}} {
		replay, measured := c.orders[order]
		if !measured || replay.Failure != "" || len(replay.Pairs) < objective.LeastTwins {
			continue
		}
		throughput, memory, err := c.ratios(replay)
		r := relation{throughput, memory, true}
		return r.of(more, order.More), err
	}
	return c.indirect(c.members[more], c.members[less])
}

func (c *confirming) indirect(more, less studies.Replay) (r relation, err error) {
	o := c.definition.Objectives
	for _, part := range []struct {
		metric string
		to     *objective.Interval
	}{{o.Throughput, &r.throughput}, {o.Memory, &r.memory}} {
		*part.to, err = objective.TwinDifference(TwinRatios(more.Pairs, part.metric), TwinRatios(less.Pairs, part.metric), c.confidence)
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// of is the relation seen from trial, where it is the relation of first.
func (r relation) of(trial, first int) relation {
	if trial == first {
		return r
	}
	return relation{r.throughput.Inverse(), r.memory.Inverse(), r.direct}
}

// dominated says which of the two may leave, and for which; -1 for neither. One
// that is better in nothing is dominated. Of two that cannot be told apart it is the
// one that is worse in both estimates, or else the first. Only a direct measurement can say that something is not better: without
// one, what is not certain stays.
func (r relation) dominated(first, second int) (loser, winner int) {
	t, m := objective.ThroughputVerdict(r.throughput), objective.MemoryVerdict(r.memory)
	betterSomewhere := t == objective.Better || m == objective.Better
	worseSomewhere := t == objective.Worse || m == objective.Worse
	certain := r.direct || t != objective.None && m != objective.None
	switch {
	case !certain, betterSomewhere && worseSomewhere:
		return -1, -1
	case betterSomewhere, !worseSomewhere && r.throughput.Estimate >= 1 && r.memory.Estimate <= 1:
		return second, first
	}
	return first, second
}

func (r relation) doubtful() bool {
	t, m := objective.ThroughputVerdict(r.throughput), objective.MemoryVerdict(r.memory)
	return !r.direct && (t == objective.None || m == objective.None)
}
