package harness

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/process"
)

// Log is what was recorded of the collections of a run, from the start of its
// processes on.
type Log struct {
	// Ruby is how the interpreter describes itself.
	Ruby string
	// Processes are those that answered requests at the end of the window, or those
	// that a program consisted of.
	Processes []ProcessLog
	// Ran is how many there were, where Processes are only those that collected most; 0
	// where they are all.
	Ran int
}

// ProcessLog has the collections of one process. Those of a forked one begin with its
// parent's. Those of which nothing is known are there, too, without figures.
type ProcessLog struct {
	Collections []Collection
	Marks       []Mark
}

// Collection is one garbage collection.
type Collection = probe.Collection

// The marks of a run.
const (
	MarkBoot   = "boot"   // the server was ready and proved, or a program was about to begin
	MarkWarmup = "warmup" // the window began
	MarkWindow = "window" // the window was over
)

// Mark is the state of a process at one moment of a run.
type Mark struct {
	Name string
	// Collections of the process that were over.
	Collections int64
	// Requests were answered by the server as a whole since its start.
	Requests float64
	// RSS, PSS and PeakRSS are the process's memory in bytes; 0 where not known.
	RSS, PSS, PeakRSS int64
	Stat              map[string]float64
	Heaps             map[int]map[string]float64
}

// recorder keeps the marks of a run, by process. That of one side of a pair is off.
type recorder struct {
	on    bool
	marks map[int][]Mark
	log   *Log
}

// logOf is the log of a run that came to figures.
func (r *recorder) logOf(result Result) *Log {
	if result.State != Complete {
		return nil
	}
	return r.log
}

// mark records the state of the workers that answered the probe. PSS is read where
// this is the moment that the mark is of.
func (r *recorder) mark(name string, workers map[int]worker, requests int, now bool) {
	if !r.on {
		return
	}
	if r.marks == nil {
		r.marks = map[int][]Mark{}
	}
	for pid, w := range workers {
		if w.report == nil || !w.report.HasLog {
			continue
		}
		m := markOf(name, *w.report)
		m.Requests, m.RSS, m.PeakRSS = float64(requests), w.rss, w.peakRSS
		if now {
			if memory, err := process.MemoryOf([]int{pid}); err == nil {
				m.RSS, m.PSS, m.PeakRSS = memory.RSS, memory.PSS, max(m.PeakRSS, memory.RSS)
			}
		}
		r.marks[pid] = append(r.marks[pid], m)
	}
}

func markOf(name string, report probe.Report) Mark {
	return Mark{Name: name, Collections: report.Recorded(), RSS: report.RSS, PeakRSS: report.PeakRSS, Stat: report.Stat, Heaps: report.Heaps}
}

// readPeaks reads the memory of each worker by itself. What cannot be read is 0.
func readPeaks(workers map[int]worker) {
	for pid, w := range workers {
		w.rss, w.peakRSS, _ = process.PeakOf(pid)
		workers[pid] = w
	}
}

// markBoot records the state of a server that is ready and proved.
func (x *session) markBoot(ctx context.Context) error {
	workers, err := x.workers(ctx)
	if err != nil {
		return err
	}
	readPeaks(workers)
	x.recorder.mark(MarkBoot, workers, x.answered, true)
	return nil
}

// keepLog reads the logs of the processes that have served, as of the latest mark. A
// log that cannot be kept is no fault of the run.
func (x *session) keepLog(last map[int]worker) {
	if !x.recorder.on {
		return
	}
	var reports []probe.Report
	for _, w := range serving(last) {
		if w.report != nil && w.report.HasLog {
			reports = append(reports, *w.report)
		}
	}
	log, err := x.probe.log(reports, func(r probe.Report) []Mark { return x.recorder.marks[r.PID] })
	if err != nil {
		x.warn("%s", unlogged(err))
	}
	x.recorder.log = log
}

func unlogged(err error) string { return "collections could not be recorded in full: " + err.Error() }

// log reads the logs that reports speak of. The error is what there is to say of those
// that are missing or cut short.
func (p *probing) log(reports []probe.Report, marks func(probe.Report) []Mark) (*Log, error) {
	var log Log
	var errs []error
	for _, r := range reports {
		collections, err := probe.Collections(p.dir, r)
		if err != nil {
			errs = append(errs, err)
		}
		if len(collections) == 0 && err != nil {
			continue
		}
		within := slices.DeleteFunc(marks(r), func(m Mark) bool { return m.Collections > int64(len(collections)) })
		log.Ruby = r.Description
		log.Processes = append(log.Processes, ProcessLog{Collections: collections, Marks: within})
	}
	if len(log.Processes) == 0 {
		return nil, errors.Join(errs...)
	}
	slices.SortStableFunc(log.Processes, func(a, b ProcessLog) int { return cmp.Compare(len(b.Collections), len(a.Collections)) })
	return &log, errors.Join(errs...)
}

// The variables by which patched Rubies before 2.1 keep a log themselves.
const (
	statsVariable = "RUBY_GC_STATS"
	fileVariable  = "RUBY_GC_DATA_FILE"
)

// logsItself says whether the interpreter may be one that keeps a log by its own
// means. A configuration that sets them has them to itself. The sweep of such a
// collector counts objects by their types, which was 0.9 % of all instructions of a
// program on 1.8.7 that lives on collections, and 0.7 % (standard error 0.7 %) of the CPU time of 12
// pairs of a server: runs of a search have it all alike, pairs are measured without it.
func (p Program) logsItself() bool {
	_, stats := p.Variables[statsVariable]
	_, file := p.Variables[fileVariable]
	return p.Interpreter.Path != "" && beforeGenerations(p.Interpreter.Version) && !stats && !file
}

// beforeGenerations is true of Rubies before 2.1, whose patches know the variables.
func beforeGenerations(version string) bool {
	return strings.HasPrefix(version, "1.") || strings.HasPrefix(version, "2.0.")
}

// sets says whether a variable is one by which the probe has the interpreter keep a log.
func (p *probing) sets(name, value string) bool {
	switch name {
	case statsVariable:
		return value == "1"
	case fileVariable:
		return filepath.Dir(value) == p.dir
	}
	return false
}
