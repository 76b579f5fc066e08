package tuner

import (
	"slices"

	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/sampler"
	"github.com/gctune/gctune/tuner/space"
)

// Outlook says what more trials promise.
type Outlook struct {
	// Gain is how much the next trial is expected to add to the hypervolume, as a
	// share of what there is, by the models of the search.
	Gain float64
	// Since is the number of finished trials, the latest ones, in which the
	// hypervolume has risen by less than Growth.
	Since int
	// Same: all trials that count have the very same figures, so that no parameter
	// was seen to do anything.
	Same bool
	// Exhausted: every setting has been tried, so that no trial is left to gain by.
	Exhausted bool
}

// Growth is the share by which the hypervolume has to rise to count as risen.
const Growth = 0.01

// Outlook is false where what more trials promise is not known: without a
// reference point, with too few trials, or where none betters the reference point.
func (d Definition) Outlook(s space.Space, seed uint64, trials []Scored) (Outlook, bool) {
	trials = settledTrials(trials)
	request := d.Request(s, seed, trials)
	if sampler.Exhausted(request) {
		return Outlook{Since: d.sinceGrowth(trials), Exhausted: true}, true
	}
	gain, known := sampler.ExpectedGain(request)
	if !known {
		return Outlook{}, false
	}
	return Outlook{Gain: gain, Since: d.sinceGrowth(trials), Same: sampler.Same(request.History)}, true
}

// sinceGrowth is the greatest number of latest trials that have added less than
// Growth.
func (d Definition) sinceGrowth(trials []Scored) int {
	reference, points := d.Reference(trials), d.Believed(trials)
	now := pareto.Hypervolume2D(points, reference)
	since := 0
	for since < len(trials)-1 {
		next := trials[len(trials)-since-1].Number
		points = slices.DeleteFunc(points, func(p pareto.Point) bool { return p.ID == next })
		before := pareto.Hypervolume2D(points, reference)
		if now > 0 && before*(1+Growth) <= now {
			break
		}
		since++
	}
	return since
}

// Stable reports whether more trials are expected to gain little: see
// sampler.Stable.
func (d Definition) Stable(s space.Space, seed uint64, trials []Scored) bool {
	return sampler.Stable(d.Request(s, seed, settledTrials(trials)))
}

// settledTrials are those that are not to be measured any more.
func settledTrials(trials []Scored) []Scored {
	return slices.DeleteFunc(slices.Clone(trials), pending)
}
