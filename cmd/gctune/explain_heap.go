package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
)

// print says all that there is to say without a setting.
func (e *explanation) print(w io.Writer) error {
	for _, line := range e.heapLines() {
		fmt.Fprintln(w, line)
	}
	e.printReasons(w)
	fmt.Fprintln(w)
	if err := e.printParameters(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, labelled("model", e.modelText()))
	return err
}

// labelled is a line with its subject before it.
func labelled(label, text string) string { return fmt.Sprintf("%-11s %s", label, text) }

// The marks' names for people, and as they stand in a sentence.
var (
	stageTitles = map[string]string{gcmodel.Boot: "boot", gcmodel.Warmup: "warm-up", gcmodel.Window: "window"}
	stageNames  = map[string]string{gcmodel.Boot: "boot", gcmodel.Warmup: "warm-up", gcmodel.Window: "the window"}
)

// heapLines say what the heap did.
func (e *explanation) heapLines() []string {
	lines := []string{labelled("run", e.runText())}
	for _, stage := range e.heap.Stages {
		lines = append(lines, labelled(stageTitles[stage.Name], e.stageText(stage)))
	}
	if !e.heap.Counted {
		return append(lines, labelled("log", e.uncounted()))
	}
	lines = append(lines, e.logLines()...)
	window, found := e.heap.Stage(gcmodel.Window)
	if !found {
		return lines
	}
	if text := e.allocationText(window); text != "" {
		lines = append(lines, labelled("allocation", text))
	}
	lines = append(lines, labelled("CPU time", e.timeText(window)), labelled("pauses", e.pausesText(window)))
	for _, stage := range e.heap.Stages {
		if text := e.reasonsText(stage); text != "" {
			lines = append(lines, labelled("reasons", text))
		}
	}
	return lines
}

func (e *explanation) runText() string {
	text := fmt.Sprintf("study %s, trial %d (%s)", e.Name, e.trial.Number, formatSetting(e.trial.Setting))
	if runs := len(e.logs[e.trial.Number]); runs > 1 {
		text += fmt.Sprintf(", the first of %d runs", runs)
	}
	text += ", on " + e.heap.Ruby
	if e.heap.Processes > 1 {
		text += fmt.Sprintf("; of %d processes the one that collected most", e.heap.Ran)
	}
	if e.heap.Ran > e.heap.Processes {
		text += fmt.Sprintf(" (the %d with the most collections are recorded)", e.heap.Processes)
	}
	return printable(text)
}

func (e *explanation) stageText(s explain.Stage) string {
	text := collectionsText(s)
	if s.Name != gcmodel.Boot && s.Requests > 0 {
		text += " in " + e.unit(s.Requests)
	}
	if s.Slots > 0 {
		text += fmt.Sprintf("; at its end %s slots", comma(s.Slots))
		if s.Live > 0 {
			text += fmt.Sprintf(", of which the last collection had found %s in use (%s)", comma(s.Live), wholePerCent(s.Live/s.Slots))
		}
	}
	if s.RSSBytes > 0 {
		text += ", and " + formatBytes(float64(s.RSSBytes)) + " of memory (RSS)"
	}
	switch {
	case s.Unseen == 0 || !e.heap.Counted:
	case s.Name == e.heap.Stages[0].Name:
		text += fmt.Sprintf(". The first %s ran before the log began", count(s.Unseen, "collection"))
	default:
		text += fmt.Sprintf(". Of %s no more is known than that they ran", count(s.Unseen, "collection"))
	}
	return text
}

func collectionsText(s explain.Stage) string {
	minor, major := s.Minor.Count, s.Major.Count
	switch {
	case s.Collections() == 0:
		return "no collection"
	case minor == 0 || s.Unsorted > 0:
		return count(s.Collections(), "collection")
	case major == 0:
		return count(minor, "minor collection")
	}
	return fmt.Sprintf("%s, %d minor and %d major", count(minor+major, "collection"), minor, major)
}

// uncounted says why there is no collection in a log. Interpreters that cannot tell
// have none in any.
func (e *explanation) uncounted() string {
	const known = "what is known are numbers at these moments"
	others := false
	for _, logs := range e.logs {
		for _, log := range logs {
			others = others || tuner.WindowOf(log).Told
		}
	}
	count, counted := firstRun(e.trial)["gc_count"]
	switch {
	case others:
		return "no collection ran in this run, as its log has it, where those of other trials have some: " + known
	case counted && count > 0:
		return "this interpreter does not tell of its collections: " + known
	}
	return "it has no collection: none ran, or this interpreter does not tell of them; " + known
}

// unit counts requests, or the work of a program that runs to its end.
func (e *explanation) unit(n float64) string {
	if n == 1 {
		return "1 " + e.oneUnit()
	}
	return comma(n) + " " + e.units()
}

func (e *explanation) oneUnit() string {
	if e.definition.Workload == "batch" {
		return "unit of work"
	}
	return "request"
}

func (e *explanation) units() string {
	if e.definition.Workload == "batch" {
		return "units of work"
	}
	return "requests"
}

// comma groups the digits of a number, and writes one that has too many as a power.
func comma(n float64) string {
	const most = 1e15
	if math.Abs(n) >= most {
		return fmt.Sprintf("%.3g", n)
	}
	return humanize.Comma(int64(n))
}

// allocationText says how soon the heap is full.
func (e *explanation) allocationText(window explain.Stage) string {
	if window.Objects == 0 || window.Requests == 0 {
		return ""
	}
	each := window.Objects / window.Requests
	text := fmt.Sprintf("%s objects a %s", comma(each), e.oneUnit())
	if n := window.Collections(); ruby.ManyHeaps(e.heap.Ruby) && n > 0 {
		return text + fmt.Sprintf(": a collection every %s, when the free slots of one of the heaps are used up", e.lasting(window.Requests/float64(n)))
	}
	if free := window.Slots - window.Live; window.Live > 0 && free > 0 && each > 0 && e.heap.Processes == 1 {
		text += fmt.Sprintf(": the %s slots that a collection leaves free last for %s", comma(free), e.lasting(free/each))
		if byMalloc, of := mallocStarts(window); 2*byMalloc > of {
			text += fmt.Sprintf(", but malloc starts a collection sooner, one every %s", e.lasting(window.Requests/float64(window.Collections())))
		}
	}
	return text
}

// mallocStarts are the collections that malloc has started, and all whose reason is
// known.
func mallocStarts(s explain.Stage) (byMalloc, of int) {
	for _, n := range s.By {
		of += n
	}
	return s.By["malloc"], of
}

// lasting is a time in requests.
func (e *explanation) lasting(n float64) string {
	if n < 1 {
		return insteadOf(n) + " of a " + e.oneUnit()
	}
	return e.unit(math.Round(n))
}

// insteadOf is a number of requests whose unit has been said.
func insteadOf(n float64) string {
	if n < 1 {
		return fmt.Sprintf("%.2g", n)
	}
	return comma(math.Round(n))
}

// wholePerCent is a share with the digits that are of interest here.
func wholePerCent(share float64) string {
	if share < 0.1 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func (e *explanation) timeText(window explain.Stage) string {
	share, known := e.trial.Metrics[shareMetric]
	if known && share >= 1 {
		return fmt.Sprintf("that of collections is not known: this interpreter counts their time by the clock, %s in the window, and other programs took the machine meanwhile",
			report.Seconds.Format(e.trial.Metrics["gc_time_seconds"]))
	}
	if known {
		return fmt.Sprintf("%s of that of the window goes into collection: that is about all that settings can save", wholePerCent(share))
	}
	if window.Seconds > 0 {
		text := fmt.Sprintf("%s of the window went into collection", report.Seconds.Format(window.Seconds))
		if e.heap.Processes > 1 {
			text += fmt.Sprintf(", in %d processes together", e.heap.Processes)
		}
		return text
	}
	return "that of collections is not known"
}

func (e *explanation) pausesText(window explain.Stage) string {
	var parts []string
	major := "major collection"
	if !e.generational() {
		major = "collection"
	}
	for _, kind := range []struct {
		name string
		of   explain.Pauses
	}{{"minor collection", window.Minor}, {major, window.Major}} {
		if kind.of.Timed > 0 {
			text := fmt.Sprintf("a %s took %s on average", kind.name, report.Seconds.Format(kind.of.Mean()))
			if kind.of.Timed == 1 || kind.of.Longest > kind.of.Shortest {
				text += ", the longest " + report.Seconds.Format(kind.of.Longest)
			}
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "no collection of the window was timed"
	}
	if earlier := e.majorBefore(); e.generational() && window.Major.Count == 0 && earlier.Timed > 0 {
		parts = append(parts, fmt.Sprintf("there was no major one; before the window those took up to %s", report.Seconds.Format(earlier.Longest)))
	}
	return strings.Join(parts, "; ")
}

// majorBefore are the major collections of the last stage before the window that has
// any.
func (e *explanation) majorBefore() explain.Pauses {
	for _, s := range slices.Backward(e.heap.Stages) {
		if s.Name != gcmodel.Window && s.Major.Timed > 0 {
			return s.Major
		}
	}
	return explain.Pauses{}
}

// generational is true where there are minor collections.
func (e *explanation) generational() bool {
	return slices.ContainsFunc(e.heap.Stages, func(s explain.Stage) bool { return s.Minor.Count > 0 })
}

// Reasons in the interpreter's words, as people know them.
var (
	startWords = []word{
		{"newobj", "for want of free slots"}, {"malloc", "by malloc"}, {"method", "by the program itself (GC.start)"},
	}
	oldStartWords = []word{
		{"newobj", "for want of free slots"}, {"malloc", "by malloc, or by the program itself (GC.start), with slots free"},
	}
	majorWords = []word{
		{"nofree", "a minor one had left too few slots free"}, {"oldgen", "old objects had reached their limit"},
		{"oldmalloc", "malloc of old objects had reached its limit"}, {"shady", "unprotected objects had reached their limit"},
		{"force", "the program asked for it"},
	}
)

type word struct{ key, text string }

// reasonsText says why the collections of a stage started; empty where that is not
// known.
func (e *explanation) reasonsText(s explain.Stage) string {
	words := startWords
	if !e.generational() { // then it is told by the slots that were free
		words = oldStartWords
	}
	started := reasonParts(s.By, words)
	if started == "" {
		return ""
	}
	text := fmt.Sprintf("in %s collections started %s", stageNames[s.Name], started)
	if made := reasonParts(s.MajorBy, majorWords); made != "" {
		text += "; major ones were so since " + made
	}
	return text
}

// reasonParts are the reasons that there are, with their numbers.
func reasonParts(counts map[string]int, words []word) string {
	total, named := 0, 0
	for _, n := range counts {
		total += n
	}
	var parts []string
	for _, w := range words {
		if n := counts[w.key]; n > 0 {
			parts, named = append(parts, numbered(w.text, n, total)), named+n
		}
	}
	if total > named {
		parts = append(parts, numbered("for other reasons", total-named, total))
	}
	return strings.Join(parts, ", ")
}

func numbered(text string, n, total int) string {
	if n == total {
		return text
	}
	return fmt.Sprintf("%s (%d of %d)", text, n, total)
}
