package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// cgroupPrefix begins the name of each control group that is made here.
const cgroupPrefix = "gctune-"

// cgroup is a version 2 control group; nil stands for none, and has no members.
type cgroup struct {
	dir    string
	path   string // as in /proc/PID/cgroup
	memory bool   // the memory controller is enabled
}

// newCgroup makes a control group below the one of this process. It fails where
// there is no version 2 hierarchy or none that may be written.
func newCgroup(marker string, ceiling int64) (*cgroup, error) {
	mount, own, err := unifiedHierarchy()
	if err != nil {
		return nil, err
	}
	parent := filepath.Join(mount.MountPoint, strings.TrimPrefix(own, mount.Root))
	enableMemory(parent)
	dir, err := os.MkdirTemp(parent, cgroupPrefix+tagText(marker)+".")
	if err != nil {
		return nil, fmt.Errorf("cannot make a control group: %w", err)
	}
	g := &cgroup{dir: dir, path: filepath.Join(own, filepath.Base(dir))}
	if err := g.limit(ceiling); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

// unifiedHierarchy finds where the version 2 hierarchy is mounted (alone, or as
// "unified" beside version 1) and the group of this process in it.
func unifiedHierarchy() (*procfs.MountInfo, string, error) {
	self, err := procfs.Self()
	if err != nil {
		return nil, "", err
	}
	groups, err := self.Cgroups()
	if err != nil {
		return nil, "", err
	}
	mounts, err := self.MountInfo()
	if err != nil {
		return nil, "", err
	}
	for _, group := range groups {
		if group.HierarchyID != 0 {
			continue
		}
		for _, mount := range mounts {
			if mount.FSType == "cgroup2" && below(group.Path, mount.Root) {
				return mount, filepath.Clean(group.Path), nil
			}
		}
	}
	return nil, "", errors.New("there is no version 2 control group hierarchy")
}

// below tells whether a group can be seen through a mount of root.
func below(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// enableMemory gives groups below parent the memory controller where that is
// allowed: in the root group, and in one without processes of its own.
func enableMemory(parent string) {
	if has(filepath.Join(parent, "cgroup.controllers"), "memory") &&
		!has(filepath.Join(parent, "cgroup.subtree_control"), "memory") {
		_ = os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+memory"), 0o644)
	}
}

func has(file, word string) bool {
	text, _ := os.ReadFile(file)
	for _, found := range strings.Fields(string(text)) {
		if found == word {
			return true
		}
	}
	return false
}

// limit sets the memory ceiling. Without it swap would hide the excess, and
// without oom.group a server would replace the killed worker and go on.
func (g *cgroup) limit(ceiling int64) error {
	g.memory = has(filepath.Join(g.dir, "cgroup.controllers"), "memory")
	if !g.memory || ceiling <= 0 {
		return nil
	}
	if err := g.write("memory.max", strconv.FormatInt(ceiling, 10)); err != nil {
		return fmt.Errorf("cannot set the memory ceiling: %w", err)
	}
	_ = g.write("memory.oom.group", "1") // since Linux 4.19
	_ = g.write("memory.swap.max", "0")  // only where swap is accounted
	return nil
}

func (g *cgroup) write(name, text string) error {
	return os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644)
}

// open returns a descriptor of the group to start a process in, or -1.
func (g *cgroup) open() (fd int, closeIt func()) {
	if g == nil {
		return -1, func() {}
	}
	fd, err := unix.Open(g.dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, func() {}
	}
	return fd, func() { unix.Close(fd) }
}

// number reads one "key value" line of a file of the group.
func (g *cgroup) number(name, key string) (int64, bool) {
	return keyed(filepath.Join(g.dir, name), key)
}

func keyed(file, key string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, key+" "); found {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// pids lists the processes of the group and of groups made below it.
func (g *cgroup) pids() []int {
	if g == nil {
		return nil
	}
	var found []int
	_ = filepath.WalkDir(g.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			found = append(found, numbers(strings.Fields(slurp(filepath.Join(path, "cgroup.procs"))))...)
		}
		return nil
	})
	return found
}

// holds tells whether a process, a zombie too, is in the group.
func (g *cgroup) holds(pid int) bool {
	if g == nil {
		return false
	}
	path, ok := cgroupOf(pid)
	return ok && (path == g.path || strings.HasPrefix(path, g.path+"/"))
}

// cgroupOf returns the version 2 group of a process, as it sees it from here.
func cgroupOf(pid int) (string, bool) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return "", false
	}
	groups, err := proc.Cgroups()
	if err != nil {
		return "", false
	}
	for _, group := range groups {
		if group.HierarchyID == 0 {
			return strings.TrimSuffix(group.Path, " (deleted)"), true
		}
	}
	return "", false
}

// kill ends every process of the group in one step, where the kernel can
// (since Linux 5.14).
func (g *cgroup) kill() {
	if g != nil {
		_ = g.write("cgroup.kill", "1")
	}
}

// remove removes the group and those below it; all of them have to be empty.
func (g *cgroup) remove() error {
	if g == nil {
		return nil
	}
	var dirs []string
	_ = filepath.WalkDir(g.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	for i := len(dirs) - 1; i >= 0; i-- {
		if err := os.Remove(dirs[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the control group: %w", err)
		}
	}
	return nil
}
