package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// MemoryLimit returns the memory, in bytes, that control groups leave to this
// process and its children, and 0 where they set no limit.
func MemoryLimit() int64 {
	limit := int64(0)
	for _, file := range limitFiles() {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// "max", and the version 1 value for no limit, are no numbers to go by.
		value, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && value > 0 && value < unlimited && (limit == 0 || value < limit) {
			limit = value
		}
	}
	return limit
}

// unlimited is beyond any machine: version 1 groups write no limit as the
// largest multiple of a page.
const unlimited = 1 << 60

// limitFiles are those of this process's group and of all above it, and those
// of a container that sees its own group as the root.
func limitFiles() []string {
	files := aboveUs("memory.max")
	for _, dir := range aboveUsV1("memory") {
		files = append(files, filepath.Join(dir, "memory.limit_in_bytes"))
	}
	return append(files, "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
}

// aboveUs are the files of a name in this process's version 2 group and in all
// above it.
func aboveUs(name string) []string {
	mount, own, err := unifiedHierarchy()
	if err != nil {
		return nil
	}
	var files []string
	for dir := strings.TrimPrefix(own, mount.Root); dir != "/" && dir != "." && dir != ""; dir = filepath.Dir(dir) {
		files = append(files, filepath.Join(mount.MountPoint, dir, name))
	}
	return files
}

// CPULimit returns how many cores control groups leave to this process and its
// children, and 0 where they set no limit.
func CPULimit() float64 {
	return leastCPU(append(aboveUs("cpu.max"), "/sys/fs/cgroup/cpu.max"), append(aboveUsV1("cpu"), "/sys/fs/cgroup/cpu"))
}

// leastCPU reads version 2 files, "QUOTA PERIOD" in microseconds, and directories
// of version 1, which have a file for each.
func leastCPU(files, dirs []string) float64 {
	limit := 0.0
	lower := func(quota, period string) {
		q, err := strconv.ParseFloat(quota, 64) // "max", and -1 in version 1, is no limit
		p, err2 := strconv.ParseFloat(period, 64)
		if err == nil && err2 == nil && q > 0 && p > 0 && (limit == 0 || q/p < limit) {
			limit = q / p
		}
	}
	for _, file := range files {
		if words := strings.Fields(slurp(file)); len(words) == 2 {
			lower(words[0], words[1])
		}
	}
	for _, dir := range dirs {
		lower(strings.TrimSpace(slurp(filepath.Join(dir, "cpu.cfs_quota_us"))), strings.TrimSpace(slurp(filepath.Join(dir, "cpu.cfs_period_us"))))
	}
	return limit
}

// aboveUsV1 are the directories of this process's version 1 group of a controller,
// and of all above it.
func aboveUsV1(controller string) []string {
	self, err := procfs.Self()
	if err != nil {
		return nil
	}
	groups, err := self.Cgroups()
	if err != nil {
		return nil
	}
	var dirs []string
	for _, group := range groups {
		if group.HierarchyID == 0 || !slices.Contains(group.Controllers, controller) {
			continue
		}
		for dir := filepath.Clean(group.Path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
			dirs = append(dirs, filepath.Join("/sys/fs/cgroup", controller, dir))
		}
	}
	return dirs
}

// CgroupAvailable tells whether a tree can get a control group of its own here.
func CgroupAvailable() bool {
	group, err := newCgroup("probe", 0)
	return err == nil && group.remove() == nil
}
