package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/process"
)

// Stop says how a program is asked to end.
type Stop struct {
	Signal syscall.Signal
	Grace  time.Duration
}

// tailLines is how much of a failing program's output goes into a reason.
const tailLines = 4

// Ruby prints an error first, and after it the way there: up to some hundred lines
// that say nothing of what is wrong.
const searchedLines = 300

var backtrace = regexp.MustCompile(`^from \S.*:\d+:in `)

// start launches the program for a trial. A program that cannot be started at
// all is a fault of the set-up, not of the setting. Standard output goes to the
// trial's output like standard error, or to stdout where that is given.
func (p Program) start(t Trial, fill *strings.Replacer, own map[string]string, stdout *os.File) (*process.Tree, error) {
	tree, err := process.Start(process.Spec{
		Command:       p.command(fill),
		Dir:           p.Dir,
		Env:           p.environment(fill, own),
		OutputPath:    t.OutputPath,
		MemoryCeiling: p.MemoryCeiling,
		StopSignal:    p.Stop.Signal,
		Grace:         p.Stop.Grace,
		Nudge:         nudge(own),
		Marker:        t.Marker,
		Stdout:        stdout,
	})
	var start *process.StartError
	if errors.As(err, &start) {
		return nil, failed("%v", err)
	}
	return tree, err
}

// nudge is the probe's signal where the probe is loaded, which answers it and
// does nothing else. Ruby 1.8 needs it: a signal that arrives as the handler of
// another one with a higher number returns, as the probe's has, stays pending
// until any signal follows (rb_trap_exec in its signal.c has passed it by, and
// then takes nothing to be pending).
func nudge(own map[string]string) syscall.Signal {
	if own[probe.DirVariable] == "" {
		return 0
	}
	return probe.Signal
}

// ended says why a tree's leader is gone, with its last words.
func ended(tree *process.Tree, t Trial, ceiling int64, when string) error {
	said := lastWords(tree)
	switch {
	case tree.CeilingExceeded():
		return t.starved("used more than %s of memory %s and was stopped%s", humanize.Bytes(uint64(ceiling)), when, said)
	case tree.OOMKilled():
		return t.starved("was killed for lack of memory (out-of-memory killer) %s%s", when, said)
	}
	how := "exited with status 0"
	if err := tree.ExitError(); err != nil {
		how = strings.Replace(err.Error(), "exit status", "exited with status", 1)
	}
	err := t.broken("%s %s%s", how, when, said)
	var f *fault
	if errors.As(err, &f) {
		f.accident = killedFromOutside(tree.ExitError())
	}
	return err
}

// killedFromOutside tells signals that a program sends itself, when it has crashed,
// from those that somebody else sends.
func killedFromOutside(exit error) bool {
	var status *process.ExitStatus
	if !errors.As(exit, &status) {
		return false
	}
	switch status.Signal {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT:
		return true
	}
	return false
}

func lastWords(tree *process.Tree) string {
	var words []string
	for _, line := range tree.Tail(searchedLines) {
		if line = strings.TrimSpace(line); line != "" && !backtrace.MatchString(line) {
			words = append(words, line)
		}
	}
	words = words[max(0, len(words)-tailLines):]
	if len(words) == 0 {
		return "; it printed nothing"
	}
	return "; it printed: " + strings.Join(words, " / ")
}

// stop ends the tree whatever happened, and reports what could not be ended:
// that would disturb every later run.
func stop(ctx context.Context, tree *process.Tree) error {
	// The first interrupt ends the context, and still leaves the program its grace.
	if err := tree.Stop(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("stopping the program: %w", err)
	}
	return nil
}

// Check says whether the program could be started, without starting it. The
// error is a *process.StartError.
func (p Program) Check() error {
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return &process.StartError{Command: p.Command[0], Err: fmt.Errorf("there is no directory %s to start it in", p.Dir)}
	}
	_, err := process.Find(p.command(p.places())[0], p.Dir, p.environment(p.places(), nil))
	return err
}
