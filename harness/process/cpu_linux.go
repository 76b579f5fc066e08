package process

import (
	"sync"

	"golang.org/x/sys/unix"
)

// clock keeps the CPU time of a tree from running backwards, and from vanishing
// with the control group.
type clock struct {
	mu      sync.Mutex
	highest float64
}

func (c *clock) reached(seconds float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.highest = max(c.highest, seconds)
	return c.highest
}

func (c *clock) last(t *Tree) { _, _ = t.CPU() }

// CPU returns the CPU seconds, user and system, that the tree has used since its
// start, those of ended processes included. The kernel's count for the control
// group is used where there is one, to the microsecond. Without one the clocks
// of the live processes are exact to the nanosecond, but what an ended process
// used is known through its parent to 10 ms only, and not at all when that
// parent ignores SIGCHLD.
func (t *Tree) CPU() (float64, error) {
	if t.isOver() {
		return t.cpu.reached(0), nil
	}
	if t.group != nil {
		if usec, ok := t.group.number("cpu.stat", "usage_usec"); ok {
			return t.cpu.reached(float64(usec) / 1e6), nil
		}
	}
	// The ended are added up first: one that ends meanwhile is then missed for a
	// moment, rather than counted twice for ever.
	sum := t.members.reapedCPU()
	for _, s := range t.members.scan() {
		sum += cpuOf(s.pid) + s.childrenCPU
	}
	return t.cpu.reached(sum), nil
}

// cpuOf reads a process's CPU clock, all threads together, in seconds; 0 when it
// has just been waited for.
func cpuOf(pid int) float64 {
	// The number of the clock of another process, as clock_getcpuclockid(3)
	// makes it: the inverted PID above three bits, of which 2 is CPUCLOCK_SCHED.
	id := int32(^pid<<3 | 2)
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}

// OwnCPU is the CPU time, in seconds, that this process has used, all its threads
// together; 0 when it cannot be read.
func OwnCPU() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}
