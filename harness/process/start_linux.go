package process

import (
	"errors"
	"fmt"
	"os"
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
