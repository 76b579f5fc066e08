package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Cores lists the cores that this process may use.
func Cores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	return coresOf(set)
}

// mostCores is as many as a unix.CPUSet holds.
const mostCores = 1024

func coresOf(set unix.CPUSet) []int {
	var cores []int
	for core := range mostCores {
		if set.IsSet(core) {
			cores = append(cores, core)
		}
	}
	return cores
}

// Confine keeps all threads of the tree, and all that they start from now on, to
// some cores. It is the tree's alone, and ends with it.
func (t *Tree) Confine(cores []int) error {
	for range confinePasses {
		for _, pid := range pidsOf(living(t.members.scan())) {
			if err := confine(pid, cores); err != nil {
				return err
			}
		}
	}
	return nil
}

// ConfineSelf keeps this process to some cores, until the function that it returns is
// called. What is started meanwhile is kept to them as well.
func ConfineSelf(cores []int) (release func() error, err error) {
	before := Cores()
	undo := func() error { return confineSelf(before) }
	if err := confineSelf(cores); err != nil {
		return nil, fmt.Errorf("%w (undone: %v)", err, undo())
	}
	return undo, nil
}

func confineSelf(cores []int) error {
	for range confinePasses {
		if err := confine(os.Getpid(), cores); err != nil {
			return err
		}
	}
	return nil
}

// confinePasses: a thread that another one starts while the threads are gone
// through has its starter's cores; after the first pass all starters are confined.
const confinePasses = 2

func confine(pid int, cores []int) error {
	var set unix.CPUSet
	for _, core := range cores {
		set.Set(core)
	}
	threads, _ := readNames(filepath.Join("/proc", strconv.Itoa(pid), "task")) // one that has ended has none
	for _, thread := range numbers(threads) {
		if err := unix.SchedSetaffinity(thread, &set); err != nil && err != unix.ESRCH {
			return fmt.Errorf("cannot keep thread %d of process %d to the cores %v: %w", thread, pid, cores, err)
		}
	}
	return nil
}
