package main

import (
	"errors"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/harness/ruby/source"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/space"
)

// The exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
	exitUnread      = 141 // 128 + SIGPIPE, likewise
)

// wrongUse are the errors that the user mends by writing something else: the
// command line, the configuration, a value, or the choice of a file.
var wrongUse = []error{
	source.ErrNoSource, source.ErrInsideTree, source.ErrPrefixInUse, source.ErrPrefixFixed, source.ErrPrefixUnusable,
	ruby.ErrNotFound, ruby.ErrNotExecutable, ruby.ErrNotRuby,
	space.ErrGroup, space.ErrMalformed, space.ErrOutOfBounds, space.ErrUnknownName,
	studies.ErrNotAStore, studies.ErrNewerVersion, studies.ErrReadOnly, studies.ErrNotFound, studies.ErrExists, studies.ErrInvalid,
}

func exitCode(err error) int {
	var usage *usageError
	var configuration *config.Error
	var value *ruby.ValueError
	var unsettable *ruby.UnsettableError
	var compiled *source.ValueError
	var absent *source.NotFoundError
	var inUse *studies.InUseError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &configuration), errors.As(err, &value),
		errors.As(err, &unsettable), errors.As(err, &inUse), errors.As(err, &compiled), errors.As(err, &absent):
		return exitUsage
	}
	for _, wrong := range wrongUse {
		if errors.Is(err, wrong) {
			return exitUsage
		}
	}
	return exitFailed
}
