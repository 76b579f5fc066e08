package studies

import (
	"database/sql"
	"errors"
	"fmt"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// Errors that a caller decides on. They arrive wrapped, with what was being
// done and what to do next.
var (
	// ErrNotAStore: the file is something else. It has not been touched.
	ErrNotAStore = errors.New("not a gctune store")
	// ErrNewerVersion: a newer gctune wrote the store. It has not been touched.
	ErrNewerVersion = errors.New("store was written by a newer gctune")
	// ErrOlderVersion: the store must be opened for writing once before it
	// can be read, which brings it up to date.
	ErrOlderVersion = errors.New("store was written by an older gctune")
	// ErrReadOnly: the file, its directory or its file system takes no writes.
	ErrReadOnly = errors.New("store is read-only")
	// ErrDiskFull: nothing was recorded of what was being written; all that
	// was recorded before is intact.
	ErrDiskFull = errors.New("no space left for the store")
	// ErrMoved: the file is no longer where it was opened, so that what is
	// written would be lost.
	ErrMoved = errors.New("store is gone")
	// ErrBusy: another process kept the store locked for longer than the
	// busy timeout.
	ErrBusy = errors.New("store is locked by another process")
	// ErrNotFound: no such study, trial or store.
	ErrNotFound = errors.New("not found")
	// ErrExists: the name or number is taken.
	ErrExists = errors.New("exists already")
	// ErrNotRunning: a trial that is not running cannot be finished.
	ErrNotRunning = errors.New("trial is not running")
	// ErrInvalid: a value that the store does not keep, such as a NaN.
	ErrInvalid = errors.New("invalid value")
)

// InUseError says that another live process works on a study.
type InUseError struct {
	Study string
	Owner Owner
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("study %q is in use by gctune (pid %d on %s): wait for it to end, or stop it",
		e.Study, e.Owner.PID, e.Owner.Host)
}

// failed wraps a database error with what was being done, and with the
// sentinel that a caller can decide on where there is one.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) { // the database's own words add nothing
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	}
	kind := sentinel(err)
	var constraint sqlite3.Error
	if errors.Is(kind, ErrExists) || errors.Is(kind, ErrNotFound) && errors.As(err, &constraint) { // here, too
		return fmt.Errorf("%s: %w", doing, kind)
	}
	if kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%s: %w: %w", doing, kind, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// sentinel reads SQLite's result code, which is stable, never its message.
func sentinel(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return nil
	}
	if e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT {
		return ErrDiskFull
	}
	switch e.Code {
	case sqlite3.ErrFull:
		return ErrDiskFull
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return ErrReadOnly
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return ErrBusy
	case sqlite3.ErrNotADB:
		return ErrNotAStore
	}
	return constraint(e)
}

func constraint(e sqlite3.Error) error {
	switch e.ExtendedCode {
	case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey:
		return ErrExists
	case sqlite3.ErrConstraintForeignKey:
		return ErrNotFound
	case sqlite3.ErrConstraintCheck, sqlite3.ErrConstraintNotNull:
		return ErrInvalid
	}
	return nil
}
