package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	files := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	mount, own, err := unifiedHierarchy()
	if err != nil {
		return files
	}
	for dir := strings.TrimPrefix(own, mount.Root); dir != "/" && dir != "." && dir != ""; dir = filepath.Dir(dir) {
		files = append(files, filepath.Join(mount.MountPoint, dir, "memory.max"))
	}
	return files
}

// CgroupAvailable tells whether a tree can get a control group of its own here.
func CgroupAvailable() bool {
	group, err := newCgroup("probe", 0)
	return err == nil && group.remove() == nil
}
