package process

import (
	"errors"
	"io/fs"

	"github.com/prometheus/procfs"
)

// MemoryOf adds up the memory of processes, leaving out those that have ended.
// It returns ErrGone when all have.
func MemoryOf(pids []int) (Memory, error) {
	sum := Memory{HavePSS: true}
	read := 0
	for _, pid := range pids {
		one, err := memoryOf(pid)
		if err != nil {
			continue
		}
		read++
		sum.PSS += one.PSS
		sum.RSS += one.RSS
		sum.HavePSS = sum.HavePSS && one.HavePSS
	}
	if read == 0 {
		return Memory{}, ErrGone
	}
	if !sum.HavePSS {
		sum.PSS = 0
	}
	return sum, nil
}

// memoryOf reads one process. Its PSS cannot be read when it runs as another
// user, or on a kernel without smaps. A process that is just ending has no memory
// left to read, which must not be taken for that.
func memoryOf(pid int) (Memory, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return Memory{}, gone(err)
	}
	rollup, err := proc.ProcSMapsRollup()
	switch {
	case err == nil && rollup.Rss > 0:
		return Memory{PSS: int64(rollup.Pss), RSS: int64(rollup.Rss), HavePSS: true}, nil
	case !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist):
		return Memory{}, ErrGone
	}
	s, err := readStat(pid)
	if err != nil {
		return Memory{}, err
	}
	if s.zombie {
		return Memory{}, ErrGone
	}
	return Memory{RSS: s.rss}, nil
}

// PeakOf returns the RSS of a process now, and the most that it ever had, in bytes.
func PeakOf(pid int) (now, peak int64, err error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0, 0, gone(err)
	}
	status, err := proc.NewStatus()
	if err != nil {
		return 0, 0, gone(err)
	}
	return int64(status.VmRSS), int64(status.VmHWM), nil
}

// Memory returns what the live processes of the tree occupy now.
func (t *Tree) Memory() (Memory, error) {
	return MemoryOf(pidsOf(living(t.members.scan())))
}
