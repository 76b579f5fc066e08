package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gctune/gctune/tuner"
)

// firstRun are the metrics of the run whose log speaks for a trial.
func firstRun(t tuner.Scored) map[string]float64 {
	if len(t.Trial.Runs) > 0 {
		return t.Trial.Runs[0].Metrics
	}
	return t.Metrics
}

// fewBeside are collections that counters and log may differ by, as some are under way
// when they are read, beside a tenth of all: two runs differ, too.
const fewBeside = 2

// beside are the collections in the window of processes that answer no request, which
// counters have and the log has not; 0 where there are none, or it is not known.
func (e *explanation) beside(t tuner.Scored) (tuner.Window, int) {
	counted, known := firstRun(t)["gc_count"]
	if len(e.logs[t.Number]) == 0 || !known || firstRun(t)["requests"] <= 0 {
		return tuner.Window{}, 0
	}
	window := tuner.WindowOf(e.logs[t.Number][0])
	more := int(counted) - window.Counted
	if !window.Told || more <= max(fewBeside, int(counted)/10) {
		return window, 0
	}
	return window, more
}

// logLines say what there is to know of the log before one goes by it.
func (e *explanation) logLines() []string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, labelled("log", fmt.Sprintf(format, args...)))
	}
	for _, text := range notRecorded(e.trial) {
		add("%s", printable(text))
	}
	if e.cut() {
		add("it is cut short: gctune keeps %s collections of a process; %s fits into it", comma(mostLogged), e.less())
	}
	window, beside := e.beside(e.trial)
	if window == (tuner.Window{}) {
		window = tuner.WindowOf(e.logs[e.trial.Number][0])
	}
	if hidden := hidden(window); window.Told && hidden > fewBeside && !e.cut() {
		add("it lacks %d of the %d collections of the window: a program that clears or disables GC::Profiler, by which they are recorded, is the usual reason", hidden, window.Counted)
	}
	if beside > 0 {
		add("%s of the window ran in processes that answer no request: they are not in it, and nothing is predicted of them", count(beside, "collection"))
	}
	if window.Own > 0 {
		add("%d of %s of the window were started by the program itself (GC.start): no setting changes when those run", window.Own, count(window.Collections, "collection"))
	}
	return lines
}

// notRecorded is what the run itself has told of its log.
func notRecorded(t tuner.Scored) []string {
	if len(t.Trial.Runs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Trial.Runs[0].Warnings), func(text string) bool {
		return !strings.HasPrefix(text, "collections could not be recorded")
	})
}

// hidden are collections that ran and of which the log has no figures.
func hidden(w tuner.Window) int { return w.Counted - w.Collections + w.Unknown }

// mostLogged is MOST_LOGGED of the probe.
const mostLogged = 20_000

// cut is true of a log that is full.
func (e *explanation) cut() bool {
	for _, p := range e.logs[e.trial.Number][0].Processes {
		if len(p.Collections) >= mostLogged {
			return true
		}
	}
	return false
}

func (e *explanation) less() string {
	if e.definition.Workload == "batch" {
		return "less `work`"
	}
	return "a shorter window (`load.measure`)"
}

// more is what has more collections, where that is what a log lacks.
func (e *explanation) more() string {
	window := tuner.WindowOf(e.logs[e.trial.Number][0])
	switch {
	case e.cut():
		return ", and " + e.less() + " fits into the log"
	case hidden(window) > fewBeside: // they are hidden, not few
		return ""
	case e.definition.Workload == "batch":
		return ", and more `work` has more collections"
	}
	return ", and a longer window (`load.measure`) has more collections"
}
