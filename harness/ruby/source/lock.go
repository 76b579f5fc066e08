package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A lock is an open file with flock on it. It is held as long as any process
// has the file open: commands inherit it, so that what a killed gctune has
// started keeps others away until it has ended too. That is why no library is
// used, as those unlock for all holders at once.

// lockFile takes the lock of a path, shared or exclusive, and creates the file.
// wait is called once when another holder has to be waited for.
func lockFile(ctx context.Context, path string, how int, wait func()) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, fmt.Errorf("lock a build: %w", err)
		}
		if err := flock(ctx, f, how, wait); err != nil {
			f.Close()
			return nil, fmt.Errorf("wait for %s: %w", path, err)
		}
		if current(f, path) {
			return f, nil
		}
		f.Close() // removed while we waited: its successor counts
	}
}

// tryLock takes the exclusive lock of a path unless someone holds it.
func tryLock(path string) (*os.File, bool) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil && current(f, path) {
		return f, true
	}
	f.Close()
	return nil, false
}

const lockPoll = 20 * time.Millisecond

func flock(ctx context.Context, f *os.File, how int, wait func()) error {
	for first := true; ; first = false {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		if first {
			wait()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// current says whether an open file is still the one at its path.
func current(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}
