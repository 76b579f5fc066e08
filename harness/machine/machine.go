// Package machine tells what else a machine did while something was measured on
// it: from /proc and the control group's files, as the kernel writes them.
package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/prometheus/procfs"
)

// Reader reads a machine.
type Reader struct {
	// Proc is where /proc is; empty means there.
	Proc string
}

// Moment is what the machine had counted at one time. Times are in seconds, since
// the machine started.
type Moment struct {
	at time.Time
	// busy and total add up all cores; steal is what another machine on the same
	// hardware took.
	busy, steal, total float64
	// pressure is the time in which something waited for a core.
	machine, group pressure
	threads        map[thread]queued
}

type pressure struct {
	seconds float64
	known   bool
}

type thread struct{ pid, id int }

// queued is how long a thread ran, and how long it waited for a core.
type queued struct{ ran, waited float64 }

func (r Reader) proc() string {
	if r.Proc == "" {
		return procfs.DefaultMountPoint
	}
	return r.Proc
}

// Now reads the machine, the threads of processes, and the pressure of a control
// group, by its directory; empty for none. What a kernel does not tell is left
// out. The error is that of /proc/stat, without which nothing can be said.
func (r Reader) Now(pids []int, group string) (Moment, error) {
	fs, err := procfs.NewFS(r.proc())
	if err != nil {
		return Moment{}, fmt.Errorf("reading what the machine does: %w", err)
	}
	stat, err := fs.Stat()
	if err != nil {
		return Moment{}, fmt.Errorf("reading what the machine does: %w", err)
	}
	c := stat.CPUTotal // guests are in user and nice already
	m := Moment{at: time.Now(), steal: c.Steal, threads: map[thread]queued{}}
	m.busy = c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ
	m.total = m.busy + c.Idle + c.Iowait + c.Steal
	m.machine = pressureIn(filepath.Join(r.proc(), "pressure/cpu"))
	if group != "" {
		m.group = pressureIn(filepath.Join(group, "cpu.pressure"))
	}
	for _, pid := range pids {
		r.addThreads(m.threads, pid)
	}
	return m, nil
}

// pressureIn reads the line "some avg10=0.00 avg60=0.00 avg300=0.00 total=12", of
// which the last is in microseconds.
func pressureIn(path string) pressure {
	text, err := os.ReadFile(path)
	if err != nil {
		return pressure{}
	}
	var averages [3]float64
	var total float64
	if _, err := fmt.Sscanf(string(text), "some avg10=%f avg60=%f avg300=%f total=%f", &averages[0], &averages[1], &averages[2], &total); err != nil {
		return pressure{}
	}
	return pressure{total / 1e6, true}
}

// addThreads reads "ran waited slices", the former two in nanoseconds, of each
// thread: the file of a process tells of its first thread alone.
func (r Reader) addThreads(threads map[thread]queued, pid int) {
	tasks := filepath.Join(r.proc(), strconv.Itoa(pid), "task")
	entries, _ := os.ReadDir(tasks) // one that has ended waits no more
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		text, reading := os.ReadFile(filepath.Join(tasks, entry.Name(), "schedstat"))
		if err != nil || reading != nil {
			continue
		}
		var ran, waited float64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			threads[thread{pid, id}] = queued{ran / 1e9, waited / 1e9}
		}
	}
}
