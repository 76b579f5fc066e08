package tuner

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/pareto"
)

// Member is a setting of the front that was measured again, beside the baseline.
type Member struct {
	Trial int
	// Throughput and Memory are ratios to the baseline.
	Throughput, Memory               objective.Interval
	ThroughputVerdict, MemoryVerdict objective.Verdict
	Pairs                            int
	// Left is why it has left the front; empty while it is there.
	Left string
}

// Doubt is a pair of neighbours on the front whose order is not certain.
type Doubt struct{ More, Less int } // trials; the first seems to have more throughput

// Confirmed is a front as it was measured again. It follows from trials and pairs
// alone, whatever order they were measured in.
type Confirmed struct {
	// Members are those on the front and those that have left it, the most
	// throughput first, and those without figures last.
	Members []Member
	// Baseline says that no member is as good as the baseline in one objective and
	// better in the other.
	Baseline bool
	// Doubts are neighbours whose order would take more pairs.
	Doubts []Doubt
	// Pending are trials of the search's front that the confirmation is still to
	// measure to the end: it was cut short. They stay, with the search's figures.
	Pending []int
	// Waiting are the other trials of the search's front that were not measured again.
	Waiting []int
	// Bias is the search's estimate of throughput relative to what twins say, on
	// the members; its interval is one of their mean, and has no width for a single
	// one. BiasOf is their number.
	Bias   objective.Interval
	BiasOf int
	// Confidence is that of each interval: all together hold with 95 %.
	Confidence float64
}

// Front are the members that are on it.
func (c Confirmed) Front() []Member {
	return slices.DeleteFunc(slices.Clone(c.Members), func(m Member) bool { return m.Left != "" })
}

// ConfirmationsOf are those of a study's replays that were made to confirm its
// front, under the circumstances that the study has now.
func ConfirmationsOf(study studies.Study, replays []studies.Replay) []studies.Replay {
	return slices.DeleteFunc(slices.Clone(replays), func(r studies.Replay) bool {
		return r.Purpose != studies.Confirmation || !maps.Equal(r.Fingerprint, study.Fingerprint)
	})
}

// confirming is the evidence.
type confirming struct {
	definition Definition
	trials     []Scored
	baseline   Scored
	members    map[int]studies.Replay   // beside the baseline
	orders     map[Doubt]studies.Replay // of two settings beside each other
	confidence float64
	planned    int  // settings to be measured again
	spent      bool // as many comparisons were made as there may be
}

// Confirm judges the front by its confirmations; false when none has come to its end,
// or there is no baseline that they could be relative to.
func (d Definition) Confirm(trials []Scored, confirmations []studies.Replay) (Confirmed, bool, error) {
	return d.judgeFront(trials, confirmations, true)
}

// judgeFront leaves out what follows from estimates alone, unless byEstimates is set:
// while there are pairs to come they may show more.
func (d Definition) judgeFront(trials []Scored, confirmations []studies.Replay, byEstimates bool) (Confirmed, bool, error) {
	c, known := d.confirming(trials, confirmations)
	if !known {
		return Confirmed{}, false, nil
	}
	result := Confirmed{Confidence: c.confidence}
	for number, replay := range c.members {
		m, err := c.member(number, replay)
		if err != nil {
			return result, true, err
		}
		result.Members = append(result.Members, m)
	}
	slices.SortFunc(result.Members, func(a, b Member) int {
		return cmp.Or(-cmp.Compare(a.Throughput.Estimate, b.Throughput.Estimate), cmp.Compare(a.Trial, b.Trial))
	})
	if err := c.neighbours(&result); err != nil {
		return result, true, err
	}
	if byEstimates {
		if err := c.beaten(&result); err != nil {
			return result, true, err
		}
	}
	c.waiting(&result)
	result.Baseline = c.baseline.Usable() && !slices.ContainsFunc(result.Front(), beatsBaseline) && !c.pendingBeats(result.Pending)
	c.bias(&result)
	return result, true, nil
}

func (d Definition) confirming(trials []Scored, confirmations []studies.Replay) (*confirming, bool) {
	c := &confirming{definition: d, trials: trials, members: map[int]studies.Replay{}, orders: map[Doubt]studies.Replay{}}
	var known bool
	if c.baseline, known = d.BaselineOf(trials); !known {
		return nil, false
	}
	for _, r := range confirmations {
		c.planned = cmp.Or(r.Planned, c.planned)
		c.spent = len(confirmations) >= 2*c.planned
		switch {
		case !c.counts(r):
		case r.Against == nil:
			c.members[r.Trial] = r
		default:
			c.orders[Doubt{r.Trial, *r.Against}] = r
		}
	}
	// Each comparison has an interval for either objective.
	c.confidence = objective.Simultaneous(2 * (len(c.members) + len(c.orders)))
	return c, len(c.members) > 0
}

// counts says that a comparison came to its end, with the figures that the study's
// objectives of today take, or showed that the setting does not work.
func (c *confirming) counts(r studies.Replay) bool {
	if !r.Ended || r.Accident || !slices.ContainsFunc(c.trials, func(t Scored) bool { return t.Number == r.Trial }) {
		return false
	}
	o := c.definition.Objectives
	_, errThroughput := TwinInterval(r.Pairs, o.Throughput, 0.95)
	_, errMemory := TwinInterval(r.Pairs, o.Memory, 0.95)
	return r.Failure != "" || errThroughput == nil && errMemory == nil
}

// member judges a setting by itself. It stays where it keeps the constraints, and is
// better than the baseline in one objective at least.
func (c *confirming) member(number int, r studies.Replay) (m Member, err error) {
	m = Member{Trial: number, Pairs: len(r.Pairs)}
	t := trialNumbered(c.trials, number)
	if r.Failure != "" {
		m.Left, m.Pairs = "it could not be measured again: "+r.Failure, 0
		return m, nil
	}
	if m.Throughput, m.Memory, err = c.ratios(r); err != nil {
		return m, fmt.Errorf("confirmation of trial %d: %w", number, err)
	}
	m.ThroughputVerdict, m.MemoryVerdict = objective.ThroughputVerdict(m.Throughput), objective.MemoryVerdict(m.Memory)
	switch {
	case !t.Usable():
		m.Left = "it is not usable: it " + t.Reason
	case c.baseline.Usable() && m.ThroughputVerdict != objective.Better && m.MemoryVerdict != objective.Better:
		m.Left = fmt.Sprintf("nothing shows it to be better than the defaults in anything: throughput %s, memory %s", m.Throughput, m.Memory)
	}
	return m, nil
}

func (c *confirming) ratios(r studies.Replay) (throughput, memory objective.Interval, err error) {
	o := c.definition.Objectives
	if throughput, err = TwinInterval(r.Pairs, o.Throughput, c.confidence); err != nil {
		return
	}
	memory, err = TwinInterval(r.Pairs, o.Memory, c.confidence)
	return
}

func beatsBaseline(m Member) bool {
	return m.ThroughputVerdict == objective.Better && m.MemoryVerdict != objective.Worse ||
		m.MemoryVerdict == objective.Better && m.ThroughputVerdict != objective.Worse
}

// waiting sorts what of the search's front was not measured again to the end. What
// has left no longer hides others behind it.
func (c *confirming) waiting(result *Confirmed) {
	var planned []int
	if !c.spent {
		planned = c.definition.candidates(c.trials, *result, c.planned)
	}
	for _, p := range c.definition.searchFront(c.trials, *result) {
		_, measured := c.members[p.ID]
		switch {
		case measured, c.isBaseline(p.ID):
		case slices.Contains(planned, p.ID):
			result.Pending = append(result.Pending, p.ID)
		default:
			result.Waiting = append(result.Waiting, p.ID)
		}
	}
}

func (c *confirming) isBaseline(number int) bool { return c.definition.HasBaseline && number == 0 }

// pendingBeats says that the search believes a setting that is still to be measured
// again to beat the baseline.
func (c *confirming) pendingBeats(pending []int) bool {
	return slices.ContainsFunc(c.definition.Believed(c.trials), func(p pareto.Point) bool {
		return slices.Contains(pending, p.ID) && pareto.Dominates(p.Losses, c.baseline.Losses)
	})
}

// searchFront is the front by what the search believes, without what has left.
func (d Definition) searchFront(trials []Scored, result Confirmed) []pareto.Point {
	left := map[int]bool{}
	for _, m := range result.Members {
		left[m.Trial] = m.Left != ""
	}
	return pareto.Front(slices.DeleteFunc(d.Believed(trials), func(p pareto.Point) bool { return left[p.ID] }))
}

// candidates are the settings of the front to be measured again, or that were: at
// most so many. The named choices come first, each time another one of them: where
// those with the most throughput turn out to be nothing, that with the least memory
// does not wait for all of them.
func (d Definition) candidates(trials []Scored, result Confirmed, most int) []int {
	front := d.searchFront(trials, result)
	var baseline *pareto.Point
	if b, measured := d.BaselineOf(trials); measured {
		baseline = &pareto.Point{ID: b.Number, Losses: b.Losses}
	}
	var candidates []int
	add := func(p pareto.Point) {
		isBaseline := d.HasBaseline && p.ID == 0
		if !isBaseline && len(candidates) < most && !slices.Contains(candidates, p.ID) {
			candidates = append(candidates, p.ID)
		}
	}
	choices := pareto.Choices(front, baseline)
	for i := range choices {
		add(choices[(i+len(result.Members))%len(choices)].Point)
	}
	for _, p := range front {
		add(p)
	}
	return candidates
}

// bias compares what the search believed of the members with what twins say.
func (c *confirming) bias(result *Confirmed) {
	believed := map[int]float64{}
	for i, o := range c.definition.history(c.trials) {
		if o.Losses != nil {
			believed[c.trials[i].Number] = -o.Losses[0]
		}
	}
	var ratios []float64
	for _, m := range result.Members {
		if log, known := believed[m.Trial]; known && m.Pairs >= objective.LeastTwins {
			ratios = append(ratios, math.Exp(log-believed[c.baseline.Number])/m.Throughput.Estimate)
		}
	}
	if i, ok := objective.MeanInterval(ratios); ok {
		result.Bias, result.BiasOf = i, len(ratios)
	}
}
