package ruby

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound: there is no file at the path, or no such name on PATH.
	ErrNotFound = errors.New("no such Ruby")
	// ErrNotExecutable: the file is there but cannot be executed.
	ErrNotExecutable = errors.New("not executable")
	// ErrNotRuby: the file ran, but did not answer as a Ruby does.
	ErrNotRuby = errors.New("not a Ruby interpreter")
)

// UnsettableError is returned for an interpreter whose collector cannot be set
// through the environment. It can still be measured as it is.
type UnsettableError struct {
	Description string // the interpreter
	Reason      string
}

func (e *UnsettableError) Error() string {
	return fmt.Sprintf("%s: %s", e.Description, e.Reason)
}

// ValueError says why a value must not be given to an interpreter.
type ValueError struct {
	Name, Text string
	Reason     string
	// Aborts is set when the interpreter does not ignore the value but dies of it.
	Aborts bool
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s=%s: %s", e.Name, e.Text, e.Reason)
}

// Cause is why an interpreter did not survive its launch with a setting.
type Cause string

// The causes that a launch can fail from.
const (
	CauseAbort  Cause = "abort"  // it ended itself by a signal: a bug in the interpreter
	CauseMemory Cause = "memory" // it asked for more memory than allowed
	CauseTime   Cause = "time"   // it was not up within the time allowed
	CauseExit   Cause = "exit"   // it ended with another status than 0
)

// CrashError is returned when an interpreter does not survive its launch with
// a setting: the setting is infeasible, the tuner and the machine are sound.
type CrashError struct {
	Cause  Cause
	Status string // "killed by SIGABRT", "exit status 1", …
	Detail string // the line of its output that tells most; "" when it was silent
}

func (e *CrashError) Error() string {
	text := fmt.Sprintf("the interpreter did not start with this setting (%s)", e.Status)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}
