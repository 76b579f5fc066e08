package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

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

// startProcess starts the leader inside the control group and held at its first
// instruction, or without what the kernel refuses: in a container both clone3
// and ptrace may be missing or forbidden.
func (t *Tree) startProcess(path string, files []*os.File) (*os.Process, error) {
	group, closeGroup := t.group.open()
	defer closeGroup()
	var last error
	for _, way := range waysToStart(group >= 0, mayBeHeld(path)) {
		attr := &os.ProcAttr{Dir: t.spec.Dir, Env: t.spec.Env, Files: files}
		attr.Sys = &syscall.SysProcAttr{
			Setsid: true, Pdeathsig: syscall.SIGKILL, Ptrace: way.held,
			UseCgroupFD: way.grouped, CgroupFD: group,
		}
		leader, err := os.StartProcess(path, t.spec.Command, attr)
		if err == nil {
			t.mark(leader, way)
			return leader, nil
		}
		last = err
	}
	return nil, last
}

// way is how a leader is started.
type way struct{ grouped, held bool }

// waysToStart returns the possible ways, the best first.
func waysToStart(grouped, held bool) []way {
	var ways []way
	for _, w := range []way{{true, true}, {true, false}, {false, true}, {false, false}} {
		if (grouped || !w.grouped) && (held || !w.held) {
			ways = append(ways, w)
		}
	}
	return ways
}

// mark sets the badge, and lets a leader go that was held for it: on a busy
// machine it could fork before this thread comes to it.
func (t *Tree) mark(leader *os.Process, w way) {
	if !w.grouped && t.group != nil {
		_ = t.group.remove()
		t.group, t.oom = nil, newOOMWatch(nil)
	}
	if w.held {
		awaitHeld(leader.Pid)
	}
	setBadge(leader.Pid, badge(t.spec.Marker))
	if w.held {
		_ = unix.PtraceDetach(leader.Pid) // fails only when it was killed meanwhile
	}
}

// awaitHeld waits until a traced process has stopped behind its exec, or ended;
// the latter is left to be waited for.
func awaitHeld(pid int) {
	var info unix.Siginfo
	for unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// mayBeHeld is false for a program that runs with more rights than ours: a traced
// one would not be given them.
func mayBeHeld(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return false
	}
	size, err := unix.Getxattr(path, "security.capability", nil)
	return err != nil || size == 0
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
