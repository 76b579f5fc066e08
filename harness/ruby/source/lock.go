package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A lock is an open file with flock on it. Commands do not inherit it: what a
// killed gctune has left running is ended by its marker, and must not keep others
// waiting. Who holds it is told to those who wait.

// lockFile takes the lock of a path, shared or exclusive, and creates the file.
// wait is called once, with who holds it, when another holder has to be waited for.
func lockFile(ctx context.Context, path string, how int, wait func(holder string)) (*os.File, error) {
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

func flock(ctx context.Context, f *os.File, how int, wait func(holder string)) error {
	for first := true; ; first = false {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		if first {
			wait(holderOf(f))
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

// holderOf names the process that holds the lock of a file, as far as the kernel
// tells; in another container it is not to be seen.
func holderOf(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	own, ok := info.Sys().(*syscall.Stat_t)
	table, err := os.Open("/proc/locks")
	if err != nil || !ok {
		return ""
	}
	defer table.Close()
	inode := strconv.FormatUint(own.Ino, 10)
	for lines := bufio.NewScanner(table); lines.Scan(); {
		// 1: FLOCK  ADVISORY  WRITE 4711 08:02:131089 0 EOF
		fields := strings.Fields(lines.Text())
		if len(fields) >= 6 && fields[1] == "FLOCK" && strings.HasSuffix(fields[5], ":"+inode) {
			return processNamed(fields[4])
		}
	}
	return ""
}

func processNamed(pid string) string {
	line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
	if err != nil || len(line) == 0 {
		return "process " + pid
	}
	command := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	return fmt.Sprintf("process %s (%s)", pid, strings.ToValidUTF8(command, "?"))
}
