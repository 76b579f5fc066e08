package process

import (
	"context"
	"errors"
	"time"
)

// killTime is how long SIGKILL may take to work. A process that is writing a
// core or returning gigabytes takes seconds.
const killTime = 10 * time.Second

// pollTime is the pause between two looks at a tree that is ending.
const pollTime = 5 * time.Millisecond

// Stop asks the leader to end by the configured signal, and whatever outlives it
// as well. What is left after the grace, or when ctx is done, is killed. Then
// all dead are reaped, and it is made sure that no process is left: if one is,
// the error is a *LeftBehindError. Stopping again returns the same result.
func (t *Tree) Stop(ctx context.Context) error {
	t.ending.Lock()
	defer t.ending.Unlock()
	if !t.isOver() && t.spec.Grace > 0 {
		ctx, cancel := context.WithTimeout(ctx, t.spec.Grace)
		defer cancel()
		t.askToEnd(ctx)
	}
	return t.end()
}

// Kill ends every process of the tree at once, like Stop without a grace.
func (t *Tree) Kill() error {
	t.killOnce.Do(func() { close(t.killed) })
	t.ending.Lock()
	defer t.ending.Unlock()
	return t.end()
}

func (t *Tree) isOver() bool {
	select {
	case <-t.over:
		return true
	default:
		return false
	}
}

// askToEnd returns when the tree has ended by itself or its time is up.
func (t *Tree) askToEnd(ctx context.Context) {
	_ = signalProcess(t.leader.identity, t.spec.StopSignal)
	asked := map[identity]bool{t.leader.identity: true}
	wait := firstNudge
	next := time.Now().Add(wait)
	for pause(ctx, t.killed) {
		found := t.members.scan()
		t.members.reap(found)
		if len(found) == 0 {
			return
		}
		t.askOrphans(found, asked)
		if time.Now().After(next) {
			t.nudge(asked)
			wait *= 2
			next = time.Now().Add(wait)
		}
	}
}

// firstNudge is the wait before the first nudge; each further wait is twice as
// long.
const firstNudge = 100 * time.Millisecond

// nudge sends Nudge to those that were asked to end and have not.
func (t *Tree) nudge(asked map[identity]bool) {
	if t.spec.Nudge == 0 {
		return
	}
	for id := range asked {
		if catches, err := Catches(id.pid, t.spec.Nudge); err == nil && catches {
			_ = signalProcess(id, t.spec.Nudge)
		}
	}
}

// askOrphans passes the signal on to those whom the leader left behind: a
// daemonised server, or one whose wrapper does not pass signals on. The
// processes below them are theirs to end.
func (t *Tree) askOrphans(found []stat, asked map[identity]bool) {
	inTree := map[int]bool{}
	for _, s := range found {
		inTree[s.pid] = true
	}
	for _, s := range found {
		if !inTree[s.ppid] && !s.zombie && !asked[s.identity] {
			asked[s.identity] = true
			_ = signalProcess(s.identity, t.spec.StopSignal)
		}
	}
}

// pause waits a little; it returns false when there is no more time.
func pause(ctx context.Context, killed <-chan struct{}) bool {
	timer := time.NewTimer(pollTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-killed:
		return false
	case <-timer.C:
		return true
	}
}

// end kills what is left and releases what the tree held.
func (t *Tree) end() error {
	if t.isOver() {
		return t.overErr
	}
	if left := t.killAll(); len(left) > 0 {
		return &LeftBehindError{left} // not over: the caller may try again
	}
	t.cpu.last(t)
	t.oom.last()
	t.overErr = errors.Join(t.group.remove(), t.finishOutput())
	close(t.over)
	return t.overErr
}

// finishOutput waits for the end of the output, which a process that is no
// longer of the tree could hold back.
func (t *Tree) finishOutput() error {
	select {
	case <-t.out.drained:
	case <-time.After(outputGrace):
		t.reader.Close()
		<-t.out.drained
	}
	return t.out.finish()
}

// killAll kills and reaps until two looks in a row find nothing: during one look
// a process may fork and end behind it. The leader and the control group are
// killed before the first look, which takes seconds at a tree that forks without
// end, and every look is followed by a kill before the time is asked for.
func (t *Tree) killAll() []Process {
	t.kill([]stat{t.leader})
	deadline := time.Now().Add(killTime)
	for clean := 0; ; time.Sleep(pollTime) {
		found := t.members.scan()
		t.members.reap(found)
		t.members.reapStrays()
		switch {
		case len(found) > 0 || !t.leaderEnded():
			clean = 0
		case clean > 0:
			return nil
		default:
			clean++
		}
		t.kill(found)
		if live := living(found); time.Now().After(deadline) && len(live) > 0 {
			return describeAll(live)
		}
		if time.Now().After(deadline.Add(killTime)) {
			return describeAll(found) // dead, but not to be waited for
		}
	}
}

func (t *Tree) leaderEnded() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func (t *Tree) kill(found []stat) {
	t.group.kill()
	for _, s := range living(found) {
		_ = signalProcess(s.identity, killSignal)
	}
}

func describeAll(found []stat) []Process {
	list := make([]Process, len(found))
	for i, s := range found {
		list[i] = describe(s)
	}
	return list
}
