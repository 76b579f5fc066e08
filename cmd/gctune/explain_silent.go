package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
)

// whyNoLog are the causes that there can be where a run that was measured has no log.
const whyNoLog = "nothing was recorded, or what was cannot be read. It may have been measured by a gctune that did not record collections yet, or by an interpreter that does not tell of them; " +
	"RUBY_GC_STATS or RUBY_GC_DATA_FILE may be set for it, which then have the log; the folder for temporary files (TMPDIR) may have been full; or the log in the store is damaged"

// noLog says why there is nothing to explain, and what to do.
func (s *storedStudy) noLog(t tuner.Scored, logs map[int][]gcmodel.Log) error {
	why := whyNoLog
	next := "`gctune optimize --budget N` records those of further trials, which --from N explains"
	if t.State != studies.Complete {
		why = fmt.Sprintf("it is %s (%s)", t.State, printable(t.Reason))
		next = "`gctune trials` shows what has become of the others"
	} else if told := notRecorded(t); len(told) > 0 {
		why = printable(strings.Join(told, "; "))
	}
	if len(logs) > 0 {
		next = "--from N explains another trial; there are logs of " + numbers(slices.Sorted(maps.Keys(logs)))
	}
	return fmt.Errorf("there is no log of the collections of trial %d of study %s: %s. %s", t.Number, s.Name, why, next)
}

// mostNumbers are listed one by one.
const mostNumbers = 12

func numbers(all []int) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(all[:min(len(all), mostNumbers)]), " ", ", "), "[]")
	if len(all) > mostNumbers {
		text += fmt.Sprintf(" and %d more", len(all)-mostNumbers)
	}
	return text
}

// whySilent says why the model says nothing, and what to do.
func (e *explanation) whySilent() string {
	switch {
	case errors.Is(e.silent, gcmodel.ErrUnknown):
		return "there is no model of the collector of " + printable(e.heap.Ruby)
	case errors.Is(e.silent, gcmodel.ErrTooLittle):
		return noModel(e.silent) + e.uncollected() + ": --from N takes another trial" + e.more()
	}
	return noModel(e.silent)
}

// uncollected says what a heap shows that grows without a collection.
func (e *explanation) uncollected() string {
	stages := e.heap.Stages
	for i, s := range stages {
		if i > 0 && s.Name == gcmodel.Window && s.Collections() == 0 && s.Slots > stages[i-1].Slots && stages[i-1].Slots > 0 {
			return fmt.Sprintf(", and in it the heap grew from %s slots to %s all the same: it had leave to, or the program has disabled the collector (GC.disable)", comma(stages[i-1].Slots), comma(s.Slots))
		}
	}
	return ""
}
