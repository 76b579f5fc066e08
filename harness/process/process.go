// Package process starts a command as the root of a process tree, watches the
// tree and ends it completely.
//
// A tree is kept together by several means, since none works everywhere: an own
// session; an own version 2 control group where the hierarchy is writable; this
// process being the reaper of orphans, so that a daemonised grandchild comes
// back as a child; and a marker, carried in the environment, on standard input
// and in a limit, by which a process is recognised when all of these have failed.
//
// Everything needs Linux; elsewhere the package builds and Start returns
// ErrNeedsLinux.
package process

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// MarkerVariable is the environment variable that carries Spec.Marker to every
// process of a tree.
const MarkerVariable = "GCTUNE_RUN"

// DefaultGrace is how long a tree may take to end by itself when Spec.Grace is 0.
const DefaultGrace = 10 * time.Second

// Errors that a caller may want to decide on.
var (
	// ErrNeedsLinux is returned by everything in this package on other systems.
	ErrNeedsLinux = errors.New("processes can be measured on Linux only: run gctune on Linux, in a virtual machine or in a container")

	// ErrEnvironOverwritten is returned by Environ when the process has written
	// a title that is longer than its arguments over its environment, as Puma
	// often does. The process itself still has its variables; they cannot be
	// read from outside.
	ErrEnvironOverwritten = errors.New("the process has overwritten its environment with its title")

	// ErrGone is returned when a process has ended.
	ErrGone = errors.New("the process has ended")
)

// Spec says what to start and how to end it.
type Spec struct {
	// Command is the program and its arguments; no shell is involved. A program
	// without a slash is looked for in the PATH of Env; one with a slash is
	// relative to Dir.
	Command []string
	// Dir is the working directory; empty means the one of this process.
	Dir string
	// Env is the complete environment, as NAME=VALUE. Nothing is inherited.
	Env []string
	// OutputPath is the file that receives standard output and error, truncated
	// first. Of a long output the first and the last MiB are kept; the latter
	// is written when the tree has ended. Empty keeps the end in memory alone.
	OutputPath string
	// Stdout, if given, receives standard output in place of OutputPath, which
	// then gets standard error alone. It stays open.
	Stdout *os.File
	// MemoryCeiling, in bytes, is the memory beyond which the tree is killed;
	// 0 means none.
	MemoryCeiling int64
	// StopSignal asks the leader to end; 0 means SIGTERM.
	StopSignal syscall.Signal
	// Grace is the time between StopSignal and SIGKILL; 0 means DefaultGrace, a
	// negative one kills at once.
	Grace time.Duration
	// Nudge is sent after StopSignal, at growing intervals until the grace ends,
	// to those of its receivers that catch it; 0 sends none. It must be a signal
	// that they take for nothing: an interpreter that has mislaid StopSignal finds
	// it at the next signal of any kind, and StopSignal itself may mean more when
	// it comes twice.
	Nudge syscall.Signal
	// Marker names the run, and has to be different for each tree that is alive.
	// It is passed on as GCTUNE_RUN. Empty means one that is made up.
	Marker string
	// NoCgroup keeps the tree out of a control group of its own, even where it
	// could have one.
	NoCgroup bool
}

// Process is one live process.
type Process struct {
	PID, PPID int
	// StartTime is in clock ticks since the machine started. It is no time to
	// reckon with: together with PID it tells a process from a later one that
	// was given the same number.
	StartTime uint64
	// Exe is the path of the program, empty where it may not be read.
	Exe string
	// Comm is the kernel's short name of the process.
	Comm string
	// Cmdline holds the arguments, or the title that the process gave itself.
	Cmdline []string
}

func (p Process) String() string {
	name := strings.TrimSpace(strings.Join(p.Cmdline, " "))
	if name == "" {
		name = p.Comm
	}
	return fmt.Sprintf("%d (%s)", p.PID, name)
}

// ExitStatus is how a leader ended, when not with status 0.
type ExitStatus struct {
	// Code is the exit status, or -1 for a leader ended by a signal.
	Code int
	// Signal is the signal that ended the leader, or 0.
	Signal syscall.Signal
	words  string
}

// Error gives the status in words: "exit status 3", "killed by SIGABRT".
func (e *ExitStatus) Error() string { return e.words }

// StartError says that a command cannot be started at all.
type StartError struct {
	// Command is the program as it was given.
	Command string
	// Err is the reason.
	Err error
}

func (e *StartError) Error() string { return fmt.Sprintf("cannot start %s: %v", e.Command, e.Err) }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

// LeftBehindError is returned by Stop and Kill when processes of the tree could
// not be ended.
type LeftBehindError struct{ Processes []Process }

func (e *LeftBehindError) Error() string {
	names := make([]string, len(e.Processes))
	for i, p := range e.Processes {
		names[i] = p.String()
	}
	return "could not end " + strings.Join(names, ", ") +
		": they still run after SIGKILL; look at their state and owner with ps, and end them before the next run"
}

// Memory is what processes occupy, in bytes.
type Memory struct {
	// PSS counts a page shared by n processes as 1/n in each; it is 0 when
	// HavePSS is false.
	PSS int64
	// RSS counts a shared page in full for each process.
	RSS int64
	// HavePSS is false when the PSS of one of the processes could not be read.
	HavePSS bool
}

// Sample is the memory of a whole tree at one moment.
type Sample struct {
	// Seconds since the sampling began.
	Seconds float64
	Memory
}

// Series summarises one quantity over a window, in bytes.
type Series struct{ Peak, P95, Mean int64 }

// MemorySummary summarises the memory of a tree over a window.
type MemorySummary struct {
	// PSS is zero when HavePSS is false.
	PSS, RSS Series
	Samples  int
	// Times are the samples themselves, in their order. A peak is that of one of
	// them: of the tree at one moment, not the sum of what each process had once.
	Times []Sample
	// HavePSS is false when one of the samples lacked PSS.
	HavePSS bool
}

// Owner identifies a process across restarts of itself and of the machine.
type Owner struct {
	PID int
	// StartTicks is the start of the process in clock ticks since the machine
	// started.
	StartTicks uint64
	// BootID is the kernel's random identity of this run of the machine.
	BootID string
}
