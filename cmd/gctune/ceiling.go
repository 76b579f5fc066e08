package main

import (
	"fmt"
	"slices"

	"github.com/gctune/gctune/studies/report"
)

// shareMetric is the share of CPU time that collection takes.
const shareMetric = "gc_time_share"

// tooGood names the trials of the front that were seen to gain more throughput than
// collection takes CPU time under the defaults, and were not measured again: beyond
// that, a figure is mostly luck. It is empty where there are none, or the share is not
// known.
func (s *storedStudy) tooGood() string {
	baseline, measured := s.definition.BaselineOf(s.trials)
	share, known := baseline.Metrics[shareMetric]
	if !measured || !known || !(share < 1) {
		return ""
	}
	most := 1 / (1 - share)
	var lucky []int
	for _, t := range s.frontTrials() {
		ratio, compared := s.ratio(t, baseline, s.definition.Objectives.Throughput).(float64)
		if compared && ratio > most && s.member(t.Number) == nil {
			lucky = append(lucky, t.Number)
		}
	}
	if len(lucky) == 0 {
		return ""
	}
	slices.Sort(lucky)
	return fmt.Sprintf("%s: collection takes %s of the CPU time of the defaults, so that settings can gain about %s; what is seen beyond is mostly noise, until it is measured again",
		trialList(lucky), report.Share.Format(share), report.Change.Format(most))
}
