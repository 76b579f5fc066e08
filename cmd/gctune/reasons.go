package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/space"
)

// reasonWords say of a collection what a metric is the share of.
var reasonWords = map[string]string{
	"gc_by_malloc_share":            "was started by malloc",
	"gc_major_by_oldmalloc_share":   "was made a major one by old malloc",
	"gc_major_by_oldobjects_share":  "was made a major one by the number of old objects",
	"gc_major_by_unprotected_share": "was made a major one by the number of unprotected objects",
}

// inert says of each parameter that could not act why, from what made the
// collector run.
func (s *storedStudy) inert() map[string]string {
	why := map[string]string{}
	reasons, known := tuner.ReasonsOf(s.trials)
	if !known {
		return why
	}
	for _, p := range s.definition.Parameters {
		if metric := ruby.ActsThrough(p.Name); metric != "" && reasons.Never(metric) {
			why[p.Name] = fmt.Sprintf("no collection in %s %s", count(reasons.Trials, "trial"), reasonWords[metric])
		}
	}
	return why
}

// printReasons says why collections ran, and which parameters that leaves idle.
func (s *storedStudy) printReasons(w io.Writer) {
	reasons, known := tuner.ReasonsOf(s.trials)
	if !known {
		return
	}
	fmt.Fprintf(w, "collections %s started for want of slots, %s by malloc, %s otherwise; %s made major by old malloc (%s seen in %s)\n",
		report.Share.Format(reasons.Share("gc_by_slots_share")), report.Share.Format(reasons.Share("gc_by_malloc_share")),
		report.Share.Format(reasons.Share("gc_by_other_share")), report.Share.Format(reasons.Share("gc_major_by_oldmalloc_share")),
		humanize.Comma(int64(reasons.Seen)), count(reasons.Trials, "trial"))
	for _, line := range inertLines(s.definition.Parameters, s.inert()) {
		fmt.Fprintln(w, "inert       "+line)
	}
}

// inertLines has a line for each reason, with all parameters that it holds for.
func inertLines(parameters []space.Parameter, why map[string]string) []string {
	var reasons []string
	idle := map[string][]string{}
	for _, p := range parameters {
		reason := why[p.Name]
		if reason == "" {
			continue
		}
		if idle[reason] == nil {
			reasons = append(reasons, reason)
		}
		idle[reason] = append(idle[reason], p.Name)
	}
	lines := make([]string, len(reasons))
	for i, reason := range reasons {
		lines[i] = reason + ": " + strings.Join(idle[reason], " and ") + " could not act"
	}
	return lines
}
