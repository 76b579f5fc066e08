package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// study is a directory with a configuration, and the program run in it.
type study struct {
	t   *testing.T
	dir string
}

// newStudy copies the test server's application into a directory of its own.
func newStudy(t *testing.T, configuration string) study {
	t.Helper()
	s := study{t, t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS("../../harness/testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "gctune.yaml"), []byte(configuration), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// server is a configuration of the test application that takes a second or two
// a trial, and puts up with whatever else the machine does meanwhile: a run that
// was disturbed would be measured again, and tests count runs.
func server(command string) string {
	return `study: app
server:
  command: [` + command + `]
  ready: {path: /up}
  stop: {signal: TERM, grace: 5s}
load:
  requests: [GET /page]
  warmup: 20
  measure: 100
contention: {limit: 1}
`
}

const pumaSingle = `puma, -b, "tcp://127.0.0.1:{port}", -t, "1:1", config.ru`

// command is the program, as built into the test binary.
func (s study) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), "gctune", args...)
	cmd.Dir = s.dir
	return cmd
}

// output runs the program to its end, which must be a good one.
func (s study) output(args ...string) string {
	s.t.Helper()
	var stderr bytes.Buffer
	cmd := s.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("gctune %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func (s study) trials() []trialJSON {
	s.t.Helper()
	return parseTrials(s.t, s.output("trials", "--format", "json"))
}

func parseTrials(t *testing.T, text string) []trialJSON {
	t.Helper()
	var trials []trialJSON
	for line := range strings.Lines(text) {
		var one trialJSON
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		trials = append(trials, one)
	}
	return trials
}

// left lists the processes that were started for a trial in the study's
// directory, found in /proc without the help of the code under test.
func (s study) left() []string {
	s.t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		s.t.Fatal(err)
	}
	var found []string
	for _, dir := range dirs {
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		own := bytes.Contains(cmdline, []byte("gctune\x00")) || bytes.Contains(cmdline, []byte("RUBY_DESCRIPTION"))
		if cwd == s.dir && len(cmdline) > 0 && !own {
			found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}

// eventually polls a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}
