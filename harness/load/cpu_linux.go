package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// processCPU is the CPU time that this process has used so far, of all its
// threads, with the kernel's nanosecond resolution; 0 when it cannot be read.
func processCPU() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
