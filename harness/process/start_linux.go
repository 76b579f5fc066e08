package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start starts the command. The caller has to end the tree with Stop or Kill,
// also when the leader has ended by itself: its descendants may still run.
func Start(spec Spec) (*Tree, error) {
	spec, path, err := prepare(spec)
	if err != nil {
		return nil, err
	}
	// Without this an orphan would become a child of init, out of our sight.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("cannot become the reaper of orphans: %w", err)
	}
	out, err := newOutput(spec.OutputPath)
	if err != nil {
		return nil, err
	}
	t := &Tree{spec: spec, out: out, done: make(chan struct{}), killed: make(chan struct{}), over: make(chan struct{})}
	if !spec.NoCgroup {
		t.group, _ = newCgroup(spec.Marker, spec.MemoryCeiling) // a tree does without one, too
	}
	t.oom = newOOMWatch(t.group)
	if err := t.launch(path); err != nil {
		return nil, errors.Join(err, t.group.remove(), out.finish())
	}
	go t.watch()
	return t, nil
}

// prepare fills in what was left out and finds the program.
func prepare(spec Spec) (Spec, string, error) {
	if len(spec.Command) == 0 || spec.Command[0] == "" {
		return spec, "", errors.New("there is no command to start")
	}
	if spec.Dir != "" {
		if info, err := os.Stat(spec.Dir); err != nil || !info.IsDir() {
			return spec, "", fmt.Errorf("cannot start %s in %s: there is no such directory", spec.Command[0], spec.Dir)
		}
	}
	if spec.StopSignal == 0 {
		spec.StopSignal = syscall.SIGTERM
	}
	if spec.Grace == 0 {
		spec.Grace = DefaultGrace
	}
	if spec.Marker == "" {
		spec.Marker = madeUpMarker()
	}
	spec.Env = withVariable(spec.Env, MarkerVariable, spec.Marker)
	path, err := lookUp(spec.Command[0], spec.Dir, spec.Env)
	return spec, path, err
}

// withVariable returns a copy of an environment in which name has the one value.
func withVariable(env []string, name, value string) []string {
	changed := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if !strings.HasPrefix(entry, name+"=") {
			changed = append(changed, entry)
		}
	}
	return append(changed, name+"="+value)
}

// lookUp finds a program the way the started environment would; exec.LookPath
// would use the PATH of this process.
func lookUp(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var path string
	for _, entry := range env {
		if value, found := strings.CutPrefix(entry, "PATH="); found {
			path = value
		}
	}
	for _, place := range filepath.SplitList(path) {
		if !filepath.IsAbs(place) {
			place = filepath.Join(dir, place)
		}
		found := filepath.Join(place, name)
		if info, err := os.Stat(found); err == nil && !info.IsDir() && unix.Access(found, unix.X_OK) == nil {
			return filepath.Abs(found)
		}
	}
	return "", fmt.Errorf("cannot start %s: no such program in PATH=%s; give its full path or set PATH in its environment", name, path)
}

// launch starts the leader and everything that waits for it.
func (t *Tree) launch(path string) error {
	stdin, err := newTag(t.spec.Marker)
	if err != nil {
		return err
	}
	defer stdin.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", t.spec.Command[0], err)
	}
	defer writer.Close()
	started := make(chan error)
	go t.runLeader(path, []*os.File{stdin, writer, writer}, started)
	if err := <-started; err != nil {
		reader.Close()
		return fmt.Errorf("cannot start %s: %w", t.spec.Command[0], err)
	}
	t.reader = reader
	go t.out.drain(reader)
	return nil
}

// runLeader starts the leader and waits for it on one thread: the kernel sends
// the leader its SIGKILL when the *thread* that started it ends.
func (t *Tree) runLeader(path string, files []*os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	leader, err := t.startProcess(path, files)
	if err == nil {
		err = t.adopt(leader)
	}
	started <- err
	if err != nil {
		return
	}
	state, err := leader.Wait()
	t.ended(state, err)
}

// startProcess starts the leader inside the control group, if there is one that
// the kernel accepts: clone3 may be missing or forbidden in a container.
func (t *Tree) startProcess(path string, files []*os.File) (*os.Process, error) {
	attr := &os.ProcAttr{Dir: t.spec.Dir, Env: t.spec.Env, Files: files}
	attr.Sys = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if t.group != nil {
		dir, err := os.Open(t.group.dir)
		if err == nil {
			defer dir.Close()
			attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
			leader, err := os.StartProcess(path, t.spec.Command, attr)
			if err == nil {
				return leader, nil
			}
		}
		attr.Sys.UseCgroupFD = false
		_ = t.group.remove()
		t.group = nil
		t.oom = newOOMWatch(nil)
	}
	return os.StartProcess(path, t.spec.Command, attr)
}

// adopt records the leader. Its identity can be read for certain: it has not
// been waited for.
func (t *Tree) adopt(leader *os.Process) error {
	s, err := readStat(leader.Pid)
	if err != nil {
		_ = leader.Kill()
		_, _ = leader.Wait()
		return fmt.Errorf("cannot read /proc of the started process: %w", err)
	}
	t.members = newMembers(s.identity, t.spec.Marker, t.group)
	t.leader = s
	return nil
}
