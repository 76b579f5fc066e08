package probe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/probe"
)

// rubies are the Ruby on PATH and those listed in GCTUNE_TEST_RUBIES.
func rubies(t *testing.T) []string {
	t.Helper()
	found := filepath.SplitList(os.Getenv("GCTUNE_TEST_RUBIES"))
	if path, err := exec.LookPath("ruby"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		t.Skip("no ruby on PATH")
	}
	return found
}

// probed returns a command whose Ruby processes carry an installed probe.
func probed(t *testing.T, dir string, command ...string) *exec.Cmd {
	t.Helper()
	if _, err := probe.Install(dir); err != nil {
		t.Fatal(err)
	}
	env, err := probe.Env(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), append(env, "RUBY_GC_HEAP_FREE_SLOTS=5000")...)
	return cmd
}

func read(t *testing.T, dir string, pid int) probe.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	report, err := probe.Read(ctx, dir, pid, askIfCaught)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// askIfCaught refuses a process that the signal would end.
func askIfCaught(pid int) error {
	caught, err := catches(pid)
	if err != nil || !caught {
		return fmt.Errorf("process %d does not catch the signal (%v)", pid, err)
	}
	return probe.Ask(pid)
}

func catches(pid int) (bool, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false, err
	}
	var mask uint64
	_, field, _ := strings.Cut(string(status), "SigCgt:")
	if _, err := fmt.Sscanf(field, "%x", &mask); err != nil {
		return false, err
	}
	return mask&(1<<(probe.Signal-1)) != 0, nil
}

func TestReportOfEachRuby(t *testing.T) {
	for _, path := range rubies(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { reportTwice(t, path) })
	}
}

// reportTwice asks a busy program twice; the difference must be plausible.
func reportTwice(t *testing.T, path string) {
	dir := t.TempDir()
	cmd := probed(t, dir, path, "-w", "-e", `STDOUT.sync = true; puts $$; loop { 10_000.times { "x" * 50 } }`)
	out := start(t, cmd)
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	begun := read(t, dir, pid)
	first := until(t, func() (probe.Report, bool) { r := read(t, dir, pid); return r, r.Count > begun.Count+2 })
	second := until(t, func() (probe.Report, bool) { r := read(t, dir, pid); return r, r.Count > first.Count+20 })
	d, err := probe.Between(first, second)
	if err != nil || !d.HasTime || d.Seconds <= 0 || d.Count < 20 || d.Generational && d.Count != d.Minor+d.Major || second.Slots < 1000 {
		t.Errorf("%+v, %v from %+v", d, err, second)
	}
	if d.Seconds/float64(d.Count) > 0.1 {
		t.Errorf("%v s for %d collections: wrong unit?", d.Seconds, d.Count)
	}
	if second.HasReasons && !(0 < first.Invoked && first.Invoked <= first.CPU && first.CPU < second.Invoked && second.Invoked <= second.CPU) {
		t.Errorf("latest collections at %v s of %v s, and at %v s of %v s", first.Invoked, first.CPU, second.Invoked, second.CPU)
	}
	if ratio := d.DueSeconds() / d.Seconds; second.HasReasons && !(ratio > 0.7 && ratio < 1.3 && ratio != 1) { // a collection more or fewer, and that start
		t.Errorf("twenty collections and more: %+v", d)
	}
	if second.Environment["RUBY_GC_HEAP_FREE_SLOTS"] != "5000" || second.PID != pid {
		t.Errorf("%+v", second)
	}
	finish(t, cmd, syscall.SIGKILL)
}

// early tells the Rubies that do not say of each collection why it ran.
func early(r probe.Report) bool {
	return strings.HasPrefix(r.Description, "ruby 1.") || strings.HasPrefix(r.Description, "ruby 2.0")
}

// Ruby 2.0 has the profiler's records, but not this clock.
func TestReportWithoutAClock(t *testing.T) {
	rubies(t)
	dir := t.TempDir()
	cmd := probed(t, dir, "ruby", "-e", `Process.send(:remove_const, :CLOCK_PROCESS_CPUTIME_ID); GC.start
		STDOUT.sync = true; puts $$; loop { 10_000.times { "x" * 50 } }`)
	var pid int
	if _, err := fmt.Fscan(start(t, cmd), &pid); err != nil {
		t.Fatal(err)
	}
	if r := read(t, dir, pid); r.Count == 0 || r.CPU != 0 {
		t.Errorf("%+v", r)
	}
	finish(t, cmd, syscall.SIGKILL)
}

// Short-lived children load the probe too; they must not notice.
func TestChildrenAreUnharmed(t *testing.T) {
	rubies(t)
	for _, command := range [][]string{
		{"ruby", "-w", "-e", `puts "fine"; exit 3`},
		{"ruby", "-w", "-e", `system("ruby", "-w", "-e", "puts :fine"); exec("sh", "-c", "exit 3")`},
		{"sh", "-c", `bundle --version | grep -q Bundler && echo fine; exit 3`},
	} {
		if _, err := exec.LookPath("bundle"); err != nil && command[0] == "sh" {
			continue
		}
		dir := t.TempDir()
		var stdout, stderr strings.Builder
		cmd := probed(t, dir, command...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("%v: %v, want status 3; %s", command, err, stderr.String())
		}
		noise := strings.ReplaceAll(stderr.String(), "RUBY_GC_HEAP_FREE_SLOTS=5000 (default value: 4096)\n", "")
		if strings.TrimSpace(stdout.String()) != "fine" || noise != "" {
			t.Errorf("%v printed %q, and on standard error %q", command, stdout.String(), noise)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "report-*")); len(left) > 0 {
			t.Errorf("%v left %v", command, left)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("sleep", "60")
	start(t, cmd)
	pid := cmd.Process.Pid
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := probe.Read(ctx, dir, pid, func(int) error { return nil }); !errors.Is(err, probe.ErrSilent) {
		t.Errorf("a process without the probe: %v", err)
	}
	if _, err := probe.Read(t.Context(), dir, pid, askIfCaught); err == nil || errors.Is(err, probe.ErrSilent) {
		t.Errorf("a process that does not catch the signal: %v", err)
	}
	finish(t, cmd, syscall.SIGKILL)
	if _, err := probe.Read(t.Context(), dir, pid, func(int) error { return nil }); !errors.Is(err, probe.ErrGone) {
		t.Errorf("a process that ended: %v", err)
	}
}
