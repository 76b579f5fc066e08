package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
)

// entrant is a search that takes part.
type entrant interface {
	name() string
	// run searches once; several may run at a time.
	run(p problems.Problem, seed uint64, trials int) (problems.Record, error)
	// cost is the CPU time of a proposal after problems.Middle trials, given the
	// searches that were run, the seed being the index; false when they were too
	// short. Nothing else runs then.
	cost(p problems.Problem, records []problems.Record) (time.Duration, bool, error)
}

func openEntrant(name string, python *optuna, missing error) (entrant, error) {
	if slices.Contains(optunaNames(), name) {
		if missing != nil {
			return nil, fmt.Errorf("%s: %w", name, missing)
		}
		return newOptunaEntrant(name, python), nil
	}
	s, err := sampler.New(name, nil)
	if err != nil {
		return nil, fmt.Errorf("%w, %s", err, strings.Join(optunaNames(), ", "))
	}
	return builtin{label: name, sampler: s}, nil
}

// builtin is one of gctune's samplers.
type builtin struct {
	label   string
	sampler sampler.Sampler
}

func (b builtin) name() string { return b.label }

func (b builtin) run(p problems.Problem, seed uint64, trials int) (problems.Record, error) {
	return problems.Run(p, b.sampler, seed, trials)
}

// cost asks again with each history. It takes the time of the whole process, so
// that other threads of the sampler, and the collection of its garbage, count.
func (b builtin) cost(p problems.Problem, records []problems.Record) (time.Duration, bool, error) {
	asked := 0
	runtime.GC() // what others have left is not this one's
	begin, err := cpuTime()
	if err != nil {
		return 0, false, err
	}
	for seed, r := range records {
		if len(r.History) <= problems.Middle {
			continue
		}
		_, err := b.sampler.Propose(sampler.Request{
			Space: p.Space, History: r.History[:problems.Middle], Seed: uint64(seed), Reference: p.Reference})
		if err != nil {
			return 0, false, err
		}
		asked++
	}
	end, err := cpuTime()
	if err != nil || asked == 0 {
		return 0, false, err
	}
	return (end - begin) / time.Duration(asked), true, nil
}

// cpuTime is what this process has used so far.
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read the CPU time of this process: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
