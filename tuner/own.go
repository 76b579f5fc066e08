package tuner

import (
	"errors"
	"fmt"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// ErrOwnCollections: no setting decides when a program collects that does so itself.
var ErrOwnCollections = errors.New("too many collections were started by the program itself")

// Window are the collections in the window of a run, of all processes that its log
// has.
type Window struct {
	// Collections are those that the log has, of which Own were started by the
	// program itself, and Unknown have no figures. Counted are those that the
	// interpreter has counted.
	Collections, Own, Unknown, Counted int
	// Told is false where the log has no collection at all, also before the window:
	// there the interpreter may not tell of them. Ended is false where it ends before
	// the window does.
	Told, Ended bool
}

// WindowOf counts a log. Of forked processes, whose logs begin with their parents',
// each collection counts once.
func WindowOf(log gcmodel.Log) Window {
	var w Window
	for i, p := range log.Processes {
		w.Told = w.Told || len(p.Collections) > 0
		from, to, counted, ended := windowBounds(p)
		w.Ended = w.Ended || ended
		begin := max(from, min(to, gcmodel.Inherited(log.Processes[:i], p)))
		w.Collections += to - begin
		w.Counted += max(counted, to-from) - (begin - from)
		for _, c := range p.Collections[begin:to] {
			if ofProgram(c.By) {
				w.Own++
			}
			if c.Slots == 0 {
				w.Unknown++
			}
		}
	}
	return w
}

// ofProgram is true of the reasons that Ruby gives for GC.start and for an extension's
// rb_gc: METHOD and CAPI of gc_profile_record_flag in its gc.c.
func ofProgram(by string) bool { return by == "method" || by == "capi" }

// windowBounds are the collections from the mark before the window's end up to that,
// and how many the interpreter has counted meanwhile.
func windowBounds(p gcmodel.Process) (from, to, counted int, ended bool) {
	within := func(n int64) int { return int(min(max(n, 0), int64(len(p.Collections)))) }
	for i, m := range p.Marks {
		if m.Name != gcmodel.Window {
			continue
		}
		to = within(m.Collections)
		if i > 0 {
			from = min(to, within(p.Marks[i-1].Collections))
			if before, known := p.Marks[i-1].Stat["count"]; known {
				counted = int(max(0, min(1e9, m.Stat["count"]-before)))
			}
		}
		return from, to, counted, true
	}
	return 0, 0, 0, false
}

// mostOwn is the share of a window's collections above which what the program starts
// itself decides when the next one comes.
const mostOwn = 1. / 3

// foreseeable sees whether settings decide over the collections of runs.
func foreseeable(logs []gcmodel.Log) error {
	var sum Window
	for _, log := range logs {
		w := WindowOf(log)
		if float64(w.Own) > mostOwn*float64(w.Collections) {
			return fmt.Errorf("%w (%d of %d in the window)", ErrOwnCollections, w.Own, w.Collections)
		}
		sum.Collections += max(w.Collections, w.Counted)
		sum.Told, sum.Ended = sum.Told || w.Told, sum.Ended || w.Ended
	}
	if sum.Told && sum.Ended && sum.Collections == 0 {
		return fmt.Errorf("no collection ran in the window: %w", gcmodel.ErrTooLittle)
	}
	return nil
}
