package process

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/prometheus/procfs"
)

// oomWatch compares the kernel's count of OOM kills with the one at the start.
type oomWatch struct {
	file string // "" when there is no count
	own  *cgroup
	base int64

	mu    sync.Mutex
	final bool
	kills int64
	limit bool
}

// newOOMWatch reads the count of the tree's own group where that has the memory
// controller, else the one of the group that this process is in.
func newOOMWatch(group *cgroup) *oomWatch {
	w := &oomWatch{}
	if group != nil && group.memory {
		w.own, w.file = group, filepath.Join(group.dir, "memory.events")
	} else {
		w.file = enclosingCount()
	}
	w.base, _ = keyed(w.file, "oom_kill")
	return w
}

// enclosingCount finds the file that counts the OOM kills of the group of this
// process: memory.events of version 2, memory.oom_control of version 1.
func enclosingCount() string {
	if mount, own, err := unifiedHierarchy(); err == nil {
		file := filepath.Join(mount.MountPoint, strings.TrimPrefix(own, mount.Root), "memory.events")
		if _, ok := keyed(file, "oom_kill"); ok {
			return file
		}
	}
	self, err := procfs.Self()
	if err != nil {
		return ""
	}
	groups, _ := self.Cgroups()
	mounts, _ := self.MountInfo()
	for _, group := range groups {
		for _, mount := range mounts {
			_, memory := mount.SuperOptions["memory"]
			if memory && contains(group.Controllers, "memory") && below(group.Path, mount.Root) {
				return filepath.Join(mount.MountPoint, strings.TrimPrefix(group.Path, mount.Root), "memory.oom_control")
			}
		}
	}
	return ""
}

func contains(list []string, word string) bool {
	for _, found := range list {
		if found == word {
			return true
		}
	}
	return false
}

// counts returns the kills since the start, and whether the tree's own limit was
// what the kernel enforced.
func (w *oomWatch) counts() (kills int64, ownLimit bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.final {
		if now, ok := keyed(w.file, "oom_kill"); ok {
			w.kills = now - w.base
		}
		if w.own != nil {
			hits, _ := w.own.number("memory.events", "oom")
			w.limit = hits > 0
		}
	}
	return w.kills, w.limit
}

// last keeps the counts of a group that is about to be removed.
func (w *oomWatch) last() {
	w.counts()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.final = true
}
