package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

var (
	// ErrGone: the process ended before it reported.
	ErrGone = errors.New("the process ended before it reported")
	// ErrSilent: the process did not report in the time given.
	ErrSilent = errors.New("the process did not report in time")
)

// pollInterval is short beside a report, which takes a busy worker milliseconds.
const pollInterval = 2 * time.Millisecond

// Read asks a process for a report and waits for it. ask sends Signal; it is
// called once, and must refuse a process that does not catch the signal, which
// would be ended by it. The errors are ErrGone, ErrSilent when ctx ends first
// (both wrapped), and those of ask.
func Read(ctx context.Context, dir string, pid int, ask func(pid int) error) (Report, error) {
	path := filepath.Join(dir, "report-"+strconv.Itoa(pid))
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Report{}, fmt.Errorf("remove an earlier probe report: %w", err)
	}
	if err := ask(pid); err != nil {
		return Report{}, fmt.Errorf("ask process %d for a probe report: %w", pid, err)
	}
	if err := await(ctx, path, pid); err != nil {
		return Report{}, err
	}
	return open(path)
}

func open(path string) (Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return Report{}, fmt.Errorf("read a probe report: %w", err)
	}
	defer file.Close()
	return Parse(file)
}

// Left returns the latest reports of all processes, by their IDs. Those that cannot
// be read are left out.
func Left(dir string) []Report {
	paths, _ := filepath.Glob(filepath.Join(dir, "report-*"))
	var reports []Report
	for _, path := range paths {
		if r, err := open(path); err == nil && filepath.Base(path) == "report-"+strconv.Itoa(r.PID) {
			reports = append(reports, r)
		}
	}
	slices.SortFunc(reports, func(a, b Report) int { return cmp.Compare(a.PID, b.PID) })
	return reports
}

// await returns when the report is there. The probe renames it into place, so
// that it is never seen half written.
func await(ctx context.Context, path string, pid int) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		// Looked at before the file: one that reported and then ended has reported.
		gone := errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		if gone {
			return fmt.Errorf("process %d: %w", pid, ErrGone)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d: %w: is the probe loaded, and is the process free to answer? (%w)", pid, ErrSilent, ctx.Err())
		case <-ticker.C:
		}
	}
}
