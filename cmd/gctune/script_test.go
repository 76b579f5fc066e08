package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is also the program: testscript starts it under this name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gctune": main})
}

// TestScripts runs whole commands as a user would, each script in a directory of
// its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setUpScript,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"status": status, "snapshot": snapshot},
	})
}

// setUpScript keeps what a Ruby needs of the real environment.
func setUpScript(e *testscript.Env) error {
	programs, err := filepath.Abs("testdata/programs")
	if err != nil {
		return err
	}
	e.Setenv("PROGRAMS", programs)
	e.Setenv("NO_COLOR", "1")
	if err := os.CopyFS(filepath.Join(e.WorkDir, "programs"), os.DirFS(programs)); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(e.WorkDir, "mini"), os.DirFS(miniature)); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(e.WorkDir, "servers"), os.DirFS("../../harness/testdata"))
}

// miniature is the source tree of a small interpreter.
const miniature = "../../harness/ruby/source/testdata/mini"

// snapshot writes into a file what can be seen of a directory:
// snapshot DIR FILE
func snapshot(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 2 {
		ts.Fatalf("usage: snapshot DIR FILE")
	}
	text, err := lookAt(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// status runs a command that must end with the given exit status:
// status 2 gctune optimize …
func status(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s could not be run: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
