package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/gcmodel"
)

// madeUp has three collections in its window.
func TestWhatIsSaidOfALog(t *testing.T) {
	said := func(change func(*explanation, *gcmodel.Process)) string {
		log := madeUp()
		e := explained(t, "server", log)
		e.trial.Trial.Runs = []studies.Run{{Metrics: map[string]float64{"gc_count": 3, "requests": 20}}}
		change(e, &log.Processes[0])
		return strings.Join(e.logLines(), "\n")
	}
	for want, change := range map[string]func(*explanation, *gcmodel.Process){
		"": func(*explanation, *gcmodel.Process) {},
		"log         2 of 3 collections of the window were started by the program itself (GC.start): no setting changes when those run": func(_ *explanation, p *gcmodel.Process) {
			p.Collections[2].By, p.Collections[3].By = "method", "capi"
		},
		"log         9 collections of the window ran in processes that answer no request: they are not in it, and nothing is predicted of them": func(e *explanation, _ *gcmodel.Process) {
			e.trial.Trial.Runs[0].Metrics["gc_count"] = 12
		},
		"log         it lacks 3 of the 3 collections of the window: a program that clears or disables GC::Profiler, by which they are recorded, is the usual reason": func(_ *explanation, p *gcmodel.Process) {
			clear(p.Collections[2:])
		},
		"log         it lacks 40 of the 43 collections of the window: a program that clears or disables GC::Profiler, by which they are recorded, is the usual reason": func(_ *explanation, p *gcmodel.Process) {
			p.Marks[0].Stat["count"], p.Marks[1].Stat["count"] = 2, 45
		},
		"log         collections could not be recorded in full: process 7: 5 of 6": func(e *explanation, _ *gcmodel.Process) {
			e.trial.Trial.Runs[0].Warnings = []string{"a warning", "collections could not be recorded in full: process 7:\x1b5 of 6"}
		},
	} {
		if got := said(change); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A log that is full has no window.
func TestFullLogsAreSaidToBeCut(t *testing.T) {
	log := madeUp()
	log.Processes[0].Collections = append(log.Processes[0].Collections, make([]gcmodel.Collection, 20_000)...)
	log.Processes[0].Marks = log.Processes[0].Marks[:1]
	for workload, less := range map[string]string{"server": "a shorter window (`load.measure`) fits into it", "batch": "less `work` fits into it"} {
		e := explained(t, workload, log)
		e.silent = fmt.Errorf("the log has no mark: %w", gcmodel.ErrTooLittle)
		if got := strings.Join(e.heapLines(), "\n"); !strings.Contains(got, "\nlog         it is cut short: gctune keeps 20,000 collections of a process; "+less) {
			t.Errorf("%s: %s", workload, got)
		}
		if got := e.whySilent(); strings.Contains(got, "more") || strings.Contains(got, "longer") {
			t.Errorf("%s: advice to fill the log: %q", workload, got)
		}
	}
}

func TestWhyNothingIsPredicted(t *testing.T) {
	e := explained(t, "server", madeUp())
	e.heap.Ruby = "ruby 9.9.9 \x1b[31mred"
	e.silent = fmt.Errorf("calibrate the model of the collector: interpreter %q: %w", e.heap.Ruby, gcmodel.ErrUnknown)
	if got, want := e.whySilent(), "there is no model of the collector of ruby 9.9.9  [31mred"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	log := madeUp() // whose heap doubles in the window
	log.Processes[0].Marks[1].Collections = 2
	log.Processes[0].Marks[1].Stat["minor_gc_count"], log.Processes[0].Marks[1].Stat["major_gc_count"] = 1, 1
	e = explained(t, "server", log)
	e.silent = fmt.Errorf("calibrate the model of the collector: no collection ran in the window: %w", gcmodel.ErrTooLittle)
	want := "the log tells too little to calibrate a model of the collector (no collection ran in the window), and in it the heap grew from 1,000 slots to 2,000 all the same: " +
		"it had leave to, or the program has disabled the collector (GC.disable): --from N takes another trial, and a longer window (`load.measure`) has more collections"
	if got := e.whySilent(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
