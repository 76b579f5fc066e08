// Package harness measures one setting once: it starts the real program with
// the setting in its environment, sees that the interpreter has it, drives it,
// samples it, and ends it.
//
// A program that fails is data, a Result with a State and a Reason; a Go error
// means that this side failed (a full disk, a lost terminal) or that the context
// ended.
package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// State says what a run came to.
type State string

// The states of a run.
const (
	// Complete: measured.
	Complete State = "complete"
	// Infeasible: the program does not work with this setting.
	Infeasible State = "infeasible"
	// Failed: the program does not work, and not because of the setting.
	Failed State = "failed"
	// Void: it worked, but what was measured was not the setting.
	Void State = "void"
)

// Trial is what a run is asked to measure.
type Trial struct {
	// Setting maps parameters to canonical texts; empty means the
	// interpreter's own defaults.
	Setting map[string]string
	// Marker is carried by every process of the run, so that leftovers are
	// found after a crash. Empty means one that is made up.
	Marker string
	// OutputPath is the file that keeps the program's output.
	OutputPath string
	// Requests fixes the window of a server, so that all runs of a study do the
	// same work; 0 leaves it to the configuration.
	Requests int
	// StartSeconds is how long the baseline took to be ready; 0 when it is not
	// known. A setting that takes many times as long is given up.
	StartSeconds float64
	// Phase is by which part of half a window, from 0 to 1, the windows of a pair begin
	// later: see Phase. A single run has none.
	Phase float64
	// Lengths makes the length of a server's warm-up and window a matter of what is
	// seen in it; nil fixes them beforehand.
	Lengths *Lengths
}

// Result is a run's outcome.
type Result struct {
	State State
	// Reason is one sentence when State is not Complete.
	Reason string
	// LackedMemory says that the program was ended since it needed more memory
	// than it may have.
	LackedMemory bool
	// Accident says that it failed for what is hardly the program's own doing, nor the
	// setting's: somebody has killed it.
	Accident bool
	// Metrics are in base units; the unit is part of the name.
	Metrics map[string]float64
	// Warnings do not invalidate the figures, but belong beside them.
	Warnings []string
	// Seconds is the length of the run, start and stop included.
	Seconds float64
	// Log has the collections of a complete run; nil where none could be recorded.
	Log *Log
	// Facts are what the running program turned out to be, where it says so: see
	// FactWorkers and the others.
	Facts map[string]string
}

// Workload is something that can be measured under a setting.
type Workload interface {
	Run(ctx context.Context, t Trial) (Result, error)
}

// PairedWorkload measures a setting and the baseline as twins, alive at the same
// time, so that what disturbs one disturbs the other.
type PairedWorkload interface {
	// RunPair starts the baseline first when baselineFirst is set. When one side
	// could not be measured its result says so, and that of the other side has
	// no state. The error is ErrNoTwins where the program runs to an end.
	RunPair(ctx context.Context, setting, baseline Trial, baselineFirst bool) (ofSetting, ofBaseline Result, err error)
}

// ErrNoTwins says that a program cannot be measured as twins.
var ErrNoTwins = errors.New("only servers can be measured as twins")

// fault is a run that did not come to figures; it becomes a Result.
type fault struct {
	state        State
	reason       string
	lackedMemory bool
	accident     bool
}

func (f *fault) Error() string { return f.reason }

// broken is a program that does not work: the setting's doing if there is one.
func (t Trial) broken(format string, args ...any) error {
	state := Infeasible
	if len(t.Setting) == 0 {
		state = Failed
	}
	return &fault{state: state, reason: fmt.Sprintf(format, args...)}
}

// starved is a program that was ended for the memory that it took.
func (t Trial) starved(format string, args ...any) error {
	err := t.broken(format, args...)
	var f *fault
	if errors.As(err, &f) {
		f.lackedMemory = true
	}
	return err
}

func failed(format string, args ...any) error {
	return &fault{state: Failed, reason: fmt.Sprintf(format, args...)}
}

func voided(format string, args ...any) error {
	return &fault{state: Void, reason: fmt.Sprintf(format, args...)}
}

// printable keeps what a program printed from steering a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, " "))
}

// printableLines is printable for a text of several lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

// conclude turns what a run returned into its Result. The context's end wins
// over a fault, which is then only its consequence.
func conclude(ctx context.Context, started time.Time, metrics map[string]float64, warnings []string, err error) (Result, error) {
	result := Result{
		State:    Complete,
		Metrics:  metrics,
		Warnings: warnings,
		Seconds:  time.Since(started).Seconds(),
	}
	if err == nil {
		return result, nil
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	var f *fault
	if !errors.As(err, &f) {
		return Result{}, err
	}
	result.State, result.Reason, result.Metrics = f.state, printable(f.reason), nil
	result.LackedMemory, result.Accident = f.lackedMemory, f.accident
	return result, nil
}
