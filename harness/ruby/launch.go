package ruby

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Limits confine a launch. The zero value stands for DefaultLimits.
type Limits struct {
	Memory int64         // writable memory in bytes (RLIMIT_DATA)
	Time   time.Duration // from start to end
}

// DefaultLimits leave room for every value in the ranges searched.
var DefaultLimits = Limits{Memory: 2 << 30, Time: 30 * time.Second}

// leaking are variables by which a shell that starts the tuner would change
// what the interpreter says about itself.
var leaking = []string{"RUBYOPT", "RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE"}

// output of one launch.
type output struct {
	stdout, stderr string
	state          *os.ProcessState
	timedOut       bool
	limits         Limits
}

// head keeps the first MiB: crash reports are long, and a program that is no
// Ruby may print without end.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	room := max(0, 1<<20-h.Len())
	h.Buffer.Write(p[:min(len(p), room)])
	return len(p), nil
}

// limited is run by sh, which lowers its own limit before it becomes the
// interpreter: a limit set from outside would come after the first allocations.
// RLIMIT_DATA is used because it counts what is written to, where RLIMIT_AS
// also counts the address space that a just-in-time compiler only reserves.
const limited = `ulimit -c 0; ulimit -d "$0" 2>/dev/null; exec "$@"`

// launch runs the interpreter to its end, with the settings given and without
// any that this process inherited.
func launch(ctx context.Context, in Interpreter, setting map[string]string, limits Limits, args ...string) (output, error) {
	limits = limits.orDefault()
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	kib := strconv.FormatInt(limits.Memory/1024, 10)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", limited, kib, in.Path}, args...)...)
	cmd.Env = in.environment(setting)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A version manager's shim may have started the interpreter as its child.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stdout, stderr head
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return output{}, fmt.Errorf("start %s: %w", in.Path, err)
	}
	if code := cmd.ProcessState.ExitCode(); code == 126 || code == 127 { // sh's own: it could not execute the path
		return output{}, fmt.Errorf("start %s: %s", in.Path, tellingLine(stderr.String()))
	}
	timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if ctx.Err() != nil && !timedOut {
		return output{}, fmt.Errorf("run %s: %w", in.Path, ctx.Err())
	}
	return output{stdout.String(), stderr.String(), cmd.ProcessState, timedOut, limits}, nil
}

func (l Limits) orDefault() Limits {
	if l.Memory <= 0 {
		l.Memory = DefaultLimits.Memory
	}
	if l.Time <= 0 {
		l.Time = DefaultLimits.Time
	}
	return l
}

func (in Interpreter) environment(setting map[string]string) []string {
	variables := map[string]string{}
	kept, _ := Scrub(os.Environ())
	for _, entry := range kept {
		if name, value, _ := strings.Cut(entry, "="); !slices.Contains(leaking, name) {
			variables[name] = value
		}
	}
	in.Prepend(variables)
	maps.Copy(variables, setting)
	env := make([]string, 0, len(variables))
	for name, value := range variables {
		env = append(env, name+"="+value)
	}
	return env
}

// crash turns the end of a launch into an error, or nil when it ended well.
func (o output) crash() error {
	if o.state.Success() && !o.timedOut {
		return nil
	}
	e := &CrashError{Cause: CauseExit, Status: o.status(), Detail: tellingLine(o.stderr)}
	switch {
	case o.timedOut:
		e.Cause, e.Status = CauseTime, fmt.Sprintf("not up within %s, killed", o.limits.Time)
	case strings.Contains(o.stderr, "failed to allocate memory"), strings.Contains(o.stderr, "Cannot allocate memory"):
		e.Cause = CauseMemory
		e.Status += fmt.Sprintf(", with %d MiB of memory allowed", o.limits.Memory>>20)
	case o.signal() == syscall.SIGKILL: // by the kernel, for the machine's or container's limit
		e.Cause = CauseMemory
	case o.signal() != 0:
		e.Cause = CauseAbort
	}
	return e
}

func (o output) signal() syscall.Signal {
	if ws, ok := o.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}

func (o output) status() string {
	if sig := o.signal(); sig != 0 {
		return "killed by " + unix.SignalName(sig)
	}
	return o.state.String()
}

// tellingLine picks the line that names the failure out of a crash report,
// which for CRuby can be thousands of lines long.
func tellingLine(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "[BUG]") || strings.Contains(line, "[FATAL]") || strings.Contains(line, "NoMemoryError") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
