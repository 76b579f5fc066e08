package process

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// members finds the processes of one tree. All descendants of a tree are
// descendants of this process, which adopts its orphans; the question is only
// which of its children are such orphans.
type members struct {
	leader identity
	marker string
	badge  uint64
	cgroup *cgroup // nil: none

	ownSession int // of this process

	mu       sync.Mutex
	known    map[identity]bool
	sessions map[int]bool
	reaped   float64 // CPU seconds of members that were waited for
}

func newMembers(leader identity, marker string, group *cgroup) *members {
	own, _ := unix.Getsid(0) // cannot fail for the caller itself
	return &members{
		leader: leader, marker: marker, badge: badge(marker), cgroup: group, ownSession: own,
		known:    map[identity]bool{leader: true},
		sessions: map[int]bool{leader.pid: true},
	}
}

// candidate is a process that may be a member; one born to a member is.
type candidate struct {
	pid  int
	born bool
}

// scan returns every member, zombies included, the leader first and parents
// before children.
func (m *members) scan() []stat {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := kin()
	queue := candidates([]int{m.leader.pid}, false)
	queue = append(queue, candidates(list(os.Getpid()), false)...)
	queue = append(queue, candidates(m.cgroup.pids(), false)...)
	seen := map[int]bool{}
	var found []stat
	for ; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		if seen[c.pid] {
			continue
		}
		s, err := readStat(c.pid)
		if err != nil || !c.born && !m.owns(s) {
			continue
		}
		seen[c.pid] = true
		m.known[s.identity], m.sessions[s.session] = true, true
		m.sessions[s.pid] = true // it may yet lead one, and end before the next look
		found = append(found, s)
		queue = append(queue, candidates(list(s.pid), true)...)
	}
	return found
}

func candidates(pids []int, born bool) []candidate {
	list := make([]candidate, len(pids))
	for i, pid := range pids {
		list[i] = candidate{pid, born}
	}
	return list
}

// owns decides about a child of this process, or one in the control group. The
// cheap questions come first: there may be thousands of dead orphans.
func (m *members) owns(s stat) bool {
	switch {
	case m.known[s.identity]:
		return true
	case s.session == m.ownSession || s.start < m.leader.start:
		return false // the leader left our session, and no descendant can come back
	case m.sessions[s.session]:
		return true
	}
	limit := limitOf(s.pid)
	switch {
	case limit == m.badge || m.cgroup.holds(s.pid):
		return true
	case s.zombie || isBadge(limit): // the dead have no files, and other trees their badge
		return false
	}
	return m.carriesMarker(s.pid)
}

// carriesMarker is exact, other than marked: another tree's marker may begin
// with ours.
func (m *members) carriesMarker(pid int) bool {
	marker, inEnviron := markerOf(pid)
	tag, onStdin := tagOf(pid)
	return inEnviron && marker == m.marker || onStdin && tag == tagText(m.marker)
}

// reap waits for the zombies among the members that are children of this
// process, and returns how many there were. The leader is left to its own
// waiter, and children of other parts of the program to theirs.
func (m *members) reap(found []stat) int {
	n := 0
	for _, s := range found {
		if s.zombie && s.ppid == os.Getpid() && s.identity != m.leader {
			m.wait(s.identity)
			n++
		}
	}
	return n
}

// reapStrays waits for dead orphans that no tree knows, where a leader could not
// be held until it had its badge. A child of ours that is in neither our
// session nor one that it leads was certainly born to another process, since it
// could leave our session only by leading its own. One with a badge is left to
// its tree, which counts its CPU time.
func (m *members) reapStrays() {
	for _, pid := range kin()(os.Getpid()) {
		s, err := readStat(pid)
		if err == nil && s.zombie && s.session != m.ownSession && s.session != pid && !isBadge(limitOf(pid)) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
}

// wait is only called for a zombie child, whose number cannot have been given to
// another process.
func (m *members) wait(id identity) {
	var usage syscall.Rusage
	got, err := syscall.Wait4(id.pid, nil, syscall.WNOHANG, &usage)
	if err != nil || got != id.pid {
		return
	}
	m.addReaped(seconds(usage.Utime) + seconds(usage.Stime))
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, id)
}

func (m *members) addReaped(cpu float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reaped += cpu
}

func seconds(t syscall.Timeval) float64 {
	return float64(t.Sec) + float64(t.Usec)/1e6
}

// living leaves out the zombies.
func living(all []stat) []stat {
	var live []stat
	for _, s := range all {
		if !s.zombie {
			live = append(live, s)
		}
	}
	return live
}

func (m *members) reapedCPU() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reaped
}
