package ruby_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

// interpreters are the Ruby on PATH and those listed in GCTUNE_TEST_RUBIES.
func interpreters(t *testing.T) []ruby.Interpreter {
	t.Helper()
	var found []ruby.Interpreter
	paths := filepath.SplitList(os.Getenv("GCTUNE_TEST_RUBIES"))
	if path, err := exec.LookPath("ruby"); err == nil {
		paths = append(paths, path)
	}
	for _, path := range paths {
		in, err := ruby.Probe(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, in)
	}
	if len(found) == 0 {
		t.Skip("no ruby on PATH")
	}
	return found
}

// eachRuby runs a test on each interpreter that can be set.
func eachRuby(t *testing.T, test func(*testing.T, ruby.Support)) {
	for _, in := range interpreters(t) {
		t.Run(in.Version, func(t *testing.T) {
			s, err := ruby.Parameters(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			test(t, s)
		})
	}
}

// standIn writes a program that answers as an interpreter that is not at hand.
// body sees the launch's arguments; version, engine and description answer Probe.
func standIn(t *testing.T, version, engine, verbose string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ruby")
	text := "#!/bin/sh\nif [ \"$1\" = -w ]; then\n" + verbose + "\nexit 0\nfi\n" +
		"printf 'gctune\\tversion\\t" + version + "\\ngctune\\tengine\\t" + engine + "\\ngctune\\tdescription\\t" + engine + " " + version + "\\n'\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
