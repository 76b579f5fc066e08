package process

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// ticksPerSecond is the kernel's USER_HZ: fixed by its interface to 100 on every
// architecture that Ruby servers run on.
const ticksPerSecond = 100

// identity tells a process from a later one with the same number.
type identity struct {
	pid   int
	start uint64
}

// stat is what the kernel says of a process in one read.
type stat struct {
	identity
	ppid, session int
	zombie        bool
	rss           int64   // bytes
	childrenCPU   float64 // seconds, of children that were waited for
}

func readStat(pid int) (stat, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return stat{}, gone(err)
	}
	s, err := proc.Stat()
	if err != nil {
		return stat{}, gone(err)
	}
	return stat{
		identity:    identity{pid, s.Starttime},
		ppid:        s.PPID,
		session:     s.Session,
		zombie:      s.State == "Z" || s.State == "X",
		rss:         int64(s.ResidentMemory()),
		childrenCPU: float64(s.CUTime+s.CSTime) / ticksPerSecond,
	}, nil
}

// gone replaces the errors that mean the end of a process by ErrGone.
func gone(err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	return err
}

// Alive tells whether the process that was given pid at startTime (as in
// Process.StartTime) still runs. A zombie does not.
func Alive(pid int, startTime uint64) bool {
	s, err := readStat(pid)
	return err == nil && s.start == startTime && !s.zombie
}

// describe fills in what people want to read of a process. What may not be read
// stays empty.
func describe(s stat) Process {
	p := Process{PID: s.pid, PPID: s.ppid, StartTime: s.start}
	if proc, err := procfs.NewProc(s.pid); err == nil {
		p.Exe, _ = proc.Executable()
		p.Comm, _ = proc.Comm()
		p.Cmdline, _ = proc.CmdLine()
	}
	return p
}

// allPIDs lists every process of the machine that is visible from here.
func allPIDs() ([]int, error) {
	names, err := readNames("/proc")
	if err != nil {
		return nil, err
	}
	return numbers(names), nil
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// numbers keeps the texts that are numbers.
func numbers(texts []string) []int {
	var found []int
	for _, text := range texts {
		if n, err := strconv.Atoi(text); err == nil {
			found = append(found, n)
		}
	}
	return found
}

// children lists the children of a process, as a kernel with
// CONFIG_PROC_CHILDREN tells: by the thread that each belongs to.
func children(pid int) []int {
	tasks := filepath.Join("/proc", strconv.Itoa(pid), "task")
	threads, _ := readNames(tasks)
	var found []int
	for _, thread := range threads {
		text := slurp(filepath.Join(tasks, thread, "children"))
		found = append(found, numbers(strings.Fields(text))...)
	}
	return found
}

// slurp reads a file of /proc, or nothing. os.ReadFile makes three times as many
// system calls, most of them to find out that such a file cannot be polled; with
// one file for each thread that is the greater part of the cost of a look.
func slurp(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	var text []byte
	buffer := make([]byte, 4096)
	for {
		n, err := unix.Read(fd, buffer)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return string(text)
		}
		text = append(text, buffer[:n]...)
	}
}

// kin returns a function that lists the children of a process: straight from the
// kernel, or on one without CONFIG_PROC_CHILDREN from one reading of all
// processes.
func kin() func(pid int) []int {
	self := strconv.Itoa(os.Getpid())
	if unix.Access(filepath.Join("/proc/self/task", self, "children"), unix.R_OK) == nil {
		return children
	}
	return kinFromAll()
}

func kinFromAll() func(pid int) []int {
	byParent := map[int][]int{}
	pids, _ := allPIDs()
	for _, pid := range pids {
		if s, err := readStat(pid); err == nil {
			byParent[s.ppid] = append(byParent[s.ppid], pid)
		}
	}
	return func(pid int) []int { return byParent[pid] }
}

// signalProcess sends a signal to exactly the given process, never to a later
// one with its number.
func signalProcess(id identity, signal syscall.Signal) error {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	// The process behind an open descriptor can be checked without a race.
	if s, statErr := readStat(id.pid); statErr != nil || s.start != id.start {
		return ErrGone
	}
	if err == nil {
		return gone(unix.PidfdSendSignal(fd, signal, nil, 0))
	}
	return gone(unix.Kill(id.pid, signal)) // before Linux 5.3
}
