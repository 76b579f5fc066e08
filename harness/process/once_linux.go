package process

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// oncePrefix begins the markers of runs that no store keeps: the marker itself
// says whose they are.
const oncePrefix = "gctune-once-"

// OnceMarker begins the markers of what this process starts outside of a study.
func OnceMarker() (string, error) {
	self, err := Self()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%d-%d-", oncePrefix, self.PID, self.StartTicks), nil
}

// SweepOnce kills what processes that are gone have left running outside of a
// study, and returns what it killed. Errors are those of Sweep.
func SweepOnce() ([]Process, error) {
	pids, err := allPIDs()
	if err != nil {
		return nil, fmt.Errorf("cannot look for processes of earlier runs: %w", err)
	}
	abandoned := map[string]bool{}
	for _, pid := range pids {
		for _, read := range []func(int) (string, bool){markerOf, tagOf} {
			if marker, ok := read(pid); ok {
				if prefix, gone := abandonedBy(marker); gone {
					abandoned[prefix] = true
				}
			}
		}
	}
	var killed []Process
	var errs []error
	for prefix := range abandoned {
		some, err := Sweep(prefix)
		killed, errs = append(killed, some...), append(errs, err)
	}
	return killed, errors.Join(errs...)
}

// abandonedBy returns the part of a marker that names its owner, and whether that
// one is gone.
func abandonedBy(marker string) (string, bool) {
	rest, ok := strings.CutPrefix(marker, oncePrefix)
	if !ok {
		return "", false
	}
	fields := strings.SplitN(rest, "-", 3)
	if len(fields) < 3 {
		return "", false
	}
	pid, err1 := strconv.Atoi(fields[0])
	ticks, err2 := strconv.ParseUint(fields[1], 10, 64)
	if err1 != nil || err2 != nil || Alive(pid, ticks) {
		return "", false
	}
	return fmt.Sprintf("%s%d-%d-", oncePrefix, pid, ticks), true
}
