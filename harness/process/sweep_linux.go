package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// Sweep kills every process left over from runs whose marker begins with prefix,
// removes their control groups, and returns what it killed. It is for the runs
// of a gctune that was killed itself: those of one that lives are killed too, so
// make sure of the owner first. This process and its ancestors are spared. The
// error is a *LeftBehindError when some could not be killed.
func Sweep(prefix string) ([]Process, error) {
	if prefix == "" {
		return nil, errors.New("cannot sweep without a marker: it would end every run")
	}
	groups := leftGroups(prefix)
	var killed []Process
	had := map[identity]bool{}
	for deadline := time.Now().Add(killTime); ; time.Sleep(pollTime) {
		left, err := leftovers(prefix, groups)
		if err != nil {
			return killed, fmt.Errorf("cannot look for processes of earlier runs: %w", err)
		}
		if len(left) == 0 {
			return killed, removeAll(groups)
		}
		killed = append(killed, killNew(left, groups, had)...)
		if time.Now().After(deadline) {
			return killed, &LeftBehindError{describeAll(left)}
		}
	}
}

// killNew kills what is left and returns what was not yet seen.
func killNew(left []stat, groups []*cgroup, had map[identity]bool) []Process {
	var fresh []Process
	for _, s := range left {
		if !had[s.identity] {
			had[s.identity] = true
			fresh = append(fresh, describe(s))
		}
	}
	for _, group := range groups {
		group.kill()
	}
	for _, s := range left {
		_ = signalProcess(s.identity, killSignal)
	}
	return fresh
}

// leftovers finds the live processes that carry the marker or are in a group
// made for it, the others of their sessions, and all descendants of these.
func leftovers(prefix string, groups []*cgroup) ([]stat, error) {
	all, err := everyProcess()
	if err != nil {
		return nil, err
	}
	spared := lineage(all)
	return belonging(all, markedIn(all, prefix, groups, spared), spared), nil
}

// belonging are the live processes that are ours, of the sessions of these, or
// descend from such. Ours may have some that all has not: a process that has come
// since all was read. Its session is not known, and must not be taken for 0, that
// of init, from which everything on the machine descends.
func belonging(all map[int]stat, ours, spared map[int]bool) []stat {
	sessions := map[int]bool{}
	for pid := range ours {
		if s, known := all[pid]; known {
			sessions[s.session] = true
		}
	}
	delete(sessions, all[os.Getpid()].session)
	delete(sessions, 0)
	var left []stat
	for pid, s := range all {
		if !s.zombie && !spared[pid] && descends(s, all, func(a stat) bool { return ours[a.pid] || sessions[a.session] }) {
			left = append(left, s)
		}
	}
	return left
}

func everyProcess() (map[int]stat, error) {
	pids, err := allPIDs()
	if err != nil {
		return nil, err
	}
	all := make(map[int]stat, len(pids))
	for _, pid := range pids {
		if s, err := readStat(pid); err == nil {
			all[pid] = s
		}
	}
	return all, nil
}

// markedIn returns the processes that the marker or a group proves to be ours.
func markedIn(all map[int]stat, prefix string, groups []*cgroup, spared map[int]bool) map[int]bool {
	ours := map[int]bool{}
	for _, group := range groups {
		for _, pid := range group.pids() {
			ours[pid] = true
		}
	}
	for pid := range all {
		if marked(pid, prefix) {
			ours[pid] = true
		}
	}
	for pid := range spared {
		delete(ours, pid)
	}
	return ours
}

// lineage is this process and its ancestors, which may be of a run themselves
// when one gctune measures another.
func lineage(all map[int]stat) map[int]bool {
	line := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !line[pid]; pid = all[pid].ppid {
		line[pid] = true
	}
	return line
}

// descends tells whether a process or an ancestor of it is wanted.
func descends(s stat, all map[int]stat, wanted func(stat) bool) bool {
	for range len(all) { // the parents were not read in one instant
		if wanted(s) {
			return true
		}
		parent, found := all[s.ppid]
		if !found {
			return false
		}
		s = parent
	}
	return false
}

// leftGroups finds the control groups made for the marker, wherever the killed
// gctune had its own.
func leftGroups(prefix string) []*cgroup {
	mount, own, err := unifiedHierarchy()
	if err != nil {
		return nil
	}
	var groups []*cgroup
	_ = filepath.WalkDir(mount.MountPoint, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || !strings.HasPrefix(entry.Name(), cgroupPrefix+tagText(prefix)) {
			return nil
		}
		if !strings.HasPrefix(own+"/", groupPath(mount, path)+"/") { // never the one we are in
			groups = append(groups, &cgroup{dir: path})
		}
		return filepath.SkipDir
	})
	return groups
}

func groupPath(mount *procfs.MountInfo, dir string) string {
	return filepath.Join(mount.Root, strings.TrimPrefix(dir, mount.MountPoint))
}

func removeAll(groups []*cgroup) error {
	var failed []error
	for _, group := range groups {
		failed = append(failed, group.remove())
	}
	return errors.Join(failed...)
}
