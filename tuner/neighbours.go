package tuner

import (
	"fmt"
	"slices"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
)

// neighbours takes members off the front until each has more throughput than its
// neighbour below, and the neighbour less memory. An order that is not certain is
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

func (c *confirming) oneLeaves(result *Confirmed) (bool, error) {
	front := result.Front()
	for i := range len(front) - 1 {
		more, less := front[i], front[i+1]
		r, err := c.relation(more.Trial, less.Trial)
		if err != nil {
			return false, fmt.Errorf("order of trials %d and %d: %w", more.Trial, less.Trial, err)
		}
		loser, winner := r.dominated(more.Trial, less.Trial)
		switch {
		case loser >= 0:
			seen := r.of(loser, more.Trial)
			result.leave(loser, fmt.Sprintf("nothing shows it to be better than trial %d in anything: relative to that throughput %s, memory %s", winner, seen.throughput, seen.memory))
			return true, nil
		case r.doubtful():
			result.Doubts = append(result.Doubts, Doubt{more.Trial, less.Trial})
		}
	}
	return false, nil
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
		if !measured || len(replay.Pairs) < objective.LeastTwins {
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
// that is better in nothing is dominated, and of two that cannot be told apart the
// first. Only a direct measurement can say that something is not better: without
// one, what is not certain stays.
func (r relation) dominated(first, second int) (loser, winner int) {
	t, m := objective.ThroughputVerdict(r.throughput), objective.MemoryVerdict(r.memory)
	betterSomewhere := t == objective.Better || m == objective.Better
	worseSomewhere := t == objective.Worse || m == objective.Worse
	certain := r.direct || t != objective.None && m != objective.None
	switch {
	case !certain, betterSomewhere && worseSomewhere:
		return -1, -1
	case betterSomewhere:
		return second, first
	}
	return first, second
}

func (r relation) doubtful() bool {
	t, m := objective.ThroughputVerdict(r.throughput), objective.MemoryVerdict(r.memory)
	return !r.direct && (t == objective.None || m == objective.None)
}
