package process

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Tree is a started command with all its descendants. Its methods may be called
// from several goroutines.
type Tree struct {
	spec    Spec
	out     *output
	reader  *os.File // our end of the output pipe
	group   *cgroup  // nil: none
	members *members
	leader  stat
	oom     *oomWatch

	done     chan struct{} // the leader has ended
	exit     error         // valid once done is closed
	exceeded atomic.Bool

	killed   chan struct{} // Kill was called
	killOnce sync.Once

	ending  sync.Mutex    // held by the one that ends the tree
	over    chan struct{} // nothing is left
	overErr error         // valid once over is closed
	cpu     clock
}

// madeUpMarker names a run that the caller did not name.
func madeUpMarker() string {
	return fmt.Sprintf("unnamed-%d-%s", os.Getpid(), strings.ToLower(rand.Text()[:10]))
}

// Marker returns the marker of the tree, made up or given.
func (t *Tree) Marker() string { return t.spec.Marker }

// Cgroup returns the directory of the tree's own control group, or nothing.
func (t *Tree) Cgroup() string {
	if t.group == nil {
		return ""
	}
	return t.group.dir
}

// Leader returns the started process as it was identified at its start; it may
// have ended.
func (t *Tree) Leader() Process {
	return Process{PID: t.leader.pid, PPID: t.leader.ppid, StartTime: t.leader.start}
}

// Processes returns every live process of the tree, parents before children,
// daemonised ones included.
func (t *Tree) Processes() ([]Process, error) {
	live := living(t.members.scan())
	list := make([]Process, len(live))
	for i, s := range live {
		list[i] = describe(s)
	}
	return list, nil
}

// Done is closed when the leader has ended. What it printed is then in Tail.
func (t *Tree) Done() <-chan struct{} { return t.done }

// ExitError returns nil while the leader runs and when it ended with status 0,
// else an *ExitStatus.
func (t *Tree) ExitError() error {
	select {
	case <-t.done:
		return t.exit
	default:
		return nil
	}
}

// CeilingExceeded tells whether the tree was killed for its memory ceiling.
func (t *Tree) CeilingExceeded() bool {
	_, ownLimit := t.oom.counts()
	return t.exceeded.Load() || ownLimit
}

// OOMKilled tells whether the kernel has killed a process since the start for
// lack of memory, in the tree's control group or else in the one that this
// process is in (the container's).
func (t *Tree) OOMKilled() bool {
	kills, _ := t.oom.counts()
	return kills > 0
}

// Tail returns the last n lines of standard output and error.
func (t *Tree) Tail(n int) []string { return t.out.lines(n) }

// outputGrace is how long the leader's last words may take to arrive while a
// descendant keeps the pipe open.
const outputGrace = 100 * time.Millisecond

// ended records how the leader ended.
func (t *Tree) ended(state *os.ProcessState, err error) {
	if err != nil {
		t.exit = fmt.Errorf("cannot wait for the command: %w", err)
	} else {
		t.members.addReaped((state.UserTime() + state.SystemTime()).Seconds())
		t.exit = exitError(state.Sys().(syscall.WaitStatus))
	}
	select {
	case <-t.out.drained:
	case <-time.After(outputGrace):
	}
	close(t.done)
}

// exitError puts a wait status into words.
func exitError(status syscall.WaitStatus) error {
	switch {
	case status.Signaled():
		words := "killed by " + unix.SignalName(status.Signal())
		if status.CoreDump() {
			words += " (core dumped)"
		}
		return &ExitStatus{Code: -1, Signal: status.Signal(), words: words}
	case status.ExitStatus() != 0:
		return &ExitStatus{Code: status.ExitStatus(), words: fmt.Sprintf("exit status %d", status.ExitStatus())}
	}
	return nil
}
