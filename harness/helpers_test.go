package harness_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/load"
	"github.com/gctune/gctune/harness/ruby"
)

// interpreter is the Ruby on PATH: without one, nothing here can be tested, and
// `make test` installs it.
func interpreter(t *testing.T) ruby.Interpreter {
	t.Helper()
	in, err := ruby.Probe(t.Context(), "ruby")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func testdata(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func program(t *testing.T, command ...string) harness.Program {
	t.Helper()
	kept, _ := ruby.Scrub(os.Environ())
	return harness.Program{
		Command:       command,
		Dir:           testdata(t),
		Inherited:     kept,
		Interpreter:   interpreter(t),
		MemoryCeiling: 2 << 30,
		Stop:          harness.Stop{Signal: syscall.SIGTERM, Grace: 5 * time.Second},
	}
}

// server is a small load on a command; {port} is filled in.
func server(t *testing.T, command ...string) *harness.Server {
	t.Helper()
	return &harness.Server{
		Program:      program(t, command...),
		Ready:        load.Request{Method: "GET", Path: "/up"},
		ReadyTimeout: 30 * time.Second,
		Plan:         load.Plan{Requests: []load.Request{{Method: "GET", Path: "/page"}}, Timeout: 10 * time.Second},
		Warmup:       40,
		Window:       harness.Window{Requests: 200},
	}
}

func puma(t *testing.T) *harness.Server {
	t.Helper()
	return server(t, "puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "config.ru")
}

func measure(t *testing.T, w harness.Workload, setting map[string]string) harness.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := w.Run(ctx, harness.Trial{Setting: setting, OutputPath: filepath.Join(t.TempDir(), "output.log")})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func wantState(t *testing.T, got harness.Result, state harness.State, reason ...string) {
	t.Helper()
	if got.State != state {
		t.Fatalf("state %s (%s), want %s", got.State, got.Reason, state)
	}
	for _, part := range reason {
		if !strings.Contains(got.Reason, part) {
			t.Errorf("reason %q does not contain %q", got.Reason, part)
		}
	}
}
