package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// command is one of the user's, run without a shell.
type command struct {
	stage Stage
	words []string
	dir   string
	env   []string
	lock  *os.File // inherited, so that it is held until all have ended
}

// tailLines is how much of a failed command's output is kept.
const tailLines = 40

// run runs a command to its end. A failure is *BuildError; when the context
// ends, the whole process group is killed and the context's error returned.
func (c command) run(ctx context.Context, progress func(Event)) error {
	progress(Event{c.stage, strings.Join(c.words, " ")})
	out := &tail{tell: func(line string) { progress(Event{c.stage, line}) }}
	cmd := exec.CommandContext(ctx, c.words[0], c.words[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(slices.Clone(c.env), "PWD="+c.dir)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.ExtraFiles = []*os.File{c.lock}
	cmd.SysProcAttr = groupOfItsOwn()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	runtime.LockOSThread() // the end of the thread that started it would end the command
	err := cmd.Run()
	runtime.UnlockOSThread()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", c.stage, ctx.Err())
	case errors.Is(err, exec.ErrWaitDelay): // it ended well but left helpers that hold its output
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return nil
	case err == nil:
		return nil
	}
	return &BuildError{Stage: c.stage, Command: c.words, Status: status(err), Lines: out.last(), cause: err}
}

func status(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return "killed by " + unix.SignalName(ws.Signal())
		}
	}
	return err.Error()
}

// tail keeps the last lines of an output.
type tail struct {
	lines   []string
	partial []byte
	tell    func(string)
}

// longestLine bounds what is kept of one line.
const longestLine = 2000

func (t *tail) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		t.partial = append(t.partial, line[:min(len(line), max(0, longestLine-len(t.partial)))]...)
		if whole {
			t.end()
		}
		rest = after
	}
	return len(p), nil
}

func (t *tail) end() {
	line := strings.ToValidUTF8(strings.TrimRight(string(t.partial), "\r \t"), "?")
	t.partial = t.partial[:0]
	if line == "" {
		return
	}
	if t.lines = append(t.lines, line); len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
	t.tell(line)
}

func (t *tail) last() []string {
	t.end()
	return t.lines
}

// leaking are variables that would reach the interpreter that a build runs, or
// tie it to a make or a Ruby that gctune was started from.
var leaking = []string{"RUBYOPT", "RUBYLIB", "RUBY_FREE_MIN", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "BUNDLE_BIN_PATH",
	"DESTDIR", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PWD", "OLDPWD"}

// environment for commands. Git must not search for a repository above the
// copy, where it could find that of an application.
func environment(env []string, cacheDir string) []string {
	inMake := lookup(env, "MAKELEVEL") != ""
	kept := []string{"GIT_CEILING_DIRECTORIES=" + cacheDir}
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains(leaking, name), strings.HasPrefix(name, "RUBY_GC_"), strings.HasPrefix(name, "RUBY_HEAP_"):
		case name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_CEILING_DIRECTORIES":
		case name == "MAKEFLAGS" && inMake: // the other make's job server
		default:
			kept = append(kept, entry)
		}
	}
	return kept
}
