package source

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoSource: the folder holds none of the files that the constants live in.
	ErrNoSource = errors.New("no collector source")
	// ErrTreeChanged: the user's tree was edited after the Builder was opened.
	// Open it again; the results of both trees must not be mixed.
	ErrTreeChanged = errors.New("the source tree has changed")
	// ErrInsideTree: the cache or the prefix lies inside the user's tree or the
	// other way round, so that building would change the tree.
	ErrInsideTree = errors.New("inside the source tree")
	// ErrPrefixInUse: an installation needs a folder that is absent or empty.
	ErrPrefixInUse = errors.New("not an empty folder")
	// ErrPrefixFixed: the commands give no way to install into another prefix,
	// so that the one in use would be written to.
	ErrPrefixFixed = errors.New("the prefix cannot be changed")
	// ErrPrefixUnusable: the prefix cannot be made or looked into.
	ErrPrefixUnusable = errors.New("it cannot be a folder to install into")
)

// EnvironmentError is returned for a tree that reads its parameters from the
// environment: set Variables there and leave gc.c alone.
type EnvironmentError struct {
	File      string
	Line      int
	Variables []string
}

func (e *EnvironmentError) Error() string {
	return fmt.Sprintf("%s:%d: set_gc_parameters reads %s from the environment; set them there, without a rebuild",
		e.File, e.Line, strings.Join(e.Variables, ", "))
}

// SyntaxError says that a file is no complete C source, so that no place in it
// can be trusted.
type SyntaxError struct {
	File   string
	Line   int
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Missing is a parameter that cannot be edited in a file.
type Missing struct {
	Name      string
	File      string
	LookedFor string // what would have been recognised
	Reason    string // why nothing, or nothing single, was
}

func (m Missing) String() string {
	return fmt.Sprintf("%s: looked in %s for %s: %s", m.Name, m.File, m.LookedFor, m.Reason)
}

// NotFoundError names the parameters that are wanted and cannot be edited.
type NotFoundError struct {
	Missing []Missing
}

func (e *NotFoundError) Error() string {
	lines := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// ValueError says why a value must not be compiled in.
type ValueError struct {
	Name, Text string
	Reason     string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s=%s: %s", e.Name, e.Text, e.Reason)
}

// BuildError is a command of the user's that failed. With an edited tree the
// setting is infeasible; with Unedited the tree or the commands are at fault.
type BuildError struct {
	Stage    Stage
	Command  []string
	Status   string   // "exit status 2", "killed by SIGKILL", or why it did not start
	Lines    []string // the last lines of its output
	Unedited bool
	cause    error
}

func (e *BuildError) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.Stage, strings.Join(e.Command, " "), e.Status)
	if len(e.Lines) > 0 {
		text += "\n" + strings.Join(e.Lines, "\n")
	}
	return text
}

func (e *BuildError) Unwrap() error { return e.cause }
