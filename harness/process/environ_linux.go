package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Environ reads the environment that a process was started with back from the
// process. It returns ErrEnvironOverwritten when a title was written over it,
// ErrGone for a process that has ended, and fs.ErrPermission for one of another
// user. What a process changes for itself later does not show.
func Environ(pid int) (map[string]string, error) {
	area, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the environment of process %d: %w", pid, gone(err))
	}
	if s, err := readStat(pid); err != nil || s.zombie {
		return nil, fmt.Errorf("cannot read the environment of process %d: %w", pid, ErrGone)
	}
	variables, err := parseEnviron(area)
	if err != nil {
		return nil, fmt.Errorf("cannot read the environment of process %d: %w", pid, err)
	}
	return variables, nil
}

// Catches tells whether a process has a handler for a signal. One that does not
// would be ended by most signals.
func Catches(pid int, signal syscall.Signal) (bool, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return false, fmt.Errorf("cannot read the signal handlers of process %d: %w", pid, gone(err))
	}
	for line := range strings.Lines(string(text)) {
		mask, found := strings.CutPrefix(line, "SigCgt:")
		if !found {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
		if err != nil {
			return false, fmt.Errorf("cannot read the signal handlers of process %d: %w", pid, err)
		}
		return bits>>(uint(signal)-1)&1 == 1, nil
	}
	return false, fmt.Errorf("cannot read the signal handlers of process %d: no SigCgt in its status", pid)
}
