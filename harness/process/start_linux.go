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
		return spec, "", &StartError{"the command", errors.New("it is empty")}
	}
	if spec.Dir != "" {
		if info, err := os.Stat(spec.Dir); err != nil || !info.IsDir() {
			return spec, "", &StartError{spec.Command[0], fmt.Errorf("there is no directory %s to start it in", spec.Dir)}
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
	path, err := Find(spec.Command[0], spec.Dir, spec.Env)
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
	stdout := writer
	if t.spec.Stdout != nil {
		stdout = t.spec.Stdout
	}
	go t.runLeader(path, []*os.File{stdin, stdout, writer}, started)
	if err := <-started; err != nil {
		reader.Close()
		return &StartError{t.spec.Command[0], plain(err, path, t.spec.Dir)}
	}
	t.reader = reader
	go t.out.drain(reader)
	return nil
}

// plain says what the kernel's error number means for a program.
func plain(err error, path, dir string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	_, missing := os.Stat(path)
	switch {
	case errors.Is(err, syscall.ENOENT) && missing == nil:
		return fmt.Errorf("the interpreter named in its first line does not exist: %w", err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("it is no program, and has no #! line that names one: %w", err)
	}
	return err
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
	setBadge(leader.Pid, badge(t.spec.Marker)) // first: its children lack it until then
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
