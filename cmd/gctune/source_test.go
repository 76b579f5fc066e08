package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lookAt lists all that is in a directory: names, modes, sizes, times of change
// and contents.
func lookAt(dir string) (string, error) {
	var text strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := []byte(nil)
		if info.Mode().IsRegular() {
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintln(&text, path, info.Mode(), info.Size(), info.ModTime().Format(time.RFC3339Nano), fmt.Sprintf("%x", sha256.Sum256(content)))
		return err
	})
	return text.String(), err
}

// compilerOf is a compiler that stands still while there is a file "hold".
const compilerOf = `#!/bin/sh
if [ -e DIR/hold ]; then
  echo > DIR/held
  while [ -e DIR/hold ]; do sleep 0.02; done
fi
exec cc "$@"
`

// gctune is killed while the compiler is at work. The user's tree is as it was,
// and the same command goes on with the trial that was being built.
func TestKilledInABuild(t *testing.T) {
	for _, tool := range []string{"cc", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	s := newStudy(t, `study: mini
source: {dir: mini, configure: [./configure, --prefix=/opt/mini-of-no-machine]}
batch: {command: ["{ruby}", -e, "churn 50000000"], work: 1}
`)
	tree, hold, held := filepath.Join(s.dir, "mini"), filepath.Join(s.dir, "hold"), filepath.Join(s.dir, "held")
	if err := os.CopyFS(tree, os.DirFS(miniature)); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, "cc"), strings.ReplaceAll(compilerOf, "DIR", s.dir), 0o755)
	t.Setenv("CC", filepath.Join(s.dir, "cc"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	before := see(t, tree)
	s.output("optimize", "--budget", "1", "--seed", "1")

	writeFile(t, hold, "", 0o644)
	cmd := s.command("optimize", "--no-confirm", "--budget", "3", "--seed", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a compilation", func() bool { _, err := os.Stat(held); return err == nil })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if after := see(t, tree); after != before {
		t.Errorf("after the kill the tree is\n%s\nand was\n%s", after, before)
	}
	if states := s.states(); states != "complete running" && states != "complete interrupted" {
		t.Errorf("after the kill the trials are %s", states)
	}
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	s.output("optimize", "--no-confirm", "--budget", "3", "--seed", "1")
	if states := s.states(); states != "complete complete complete" {
		t.Errorf("in the end the trials are %s", states)
	}
	if after := see(t, tree); after != before {
		t.Errorf("in the end the tree is\n%s\nand was\n%s", after, before)
	}
}

// states are those of the study's trials, in their order.
func (s study) states() string {
	s.t.Helper()
	var states []string
	for _, trial := range s.trials() {
		states = append(states, trial.State)
	}
	return strings.Join(states, " ")
}

func see(t *testing.T, dir string) string {
	t.Helper()
	text, err := lookAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func writeFile(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// TestRealSource does to a real source tree from Ruby 2.1 on what
// testdata/script/source.txtar does to a miniature one. It takes a whole build,
// unless another test has left one in GCTUNE_TEST_BUILDS.
func TestRealSource(t *testing.T) {
	dir, configure := os.Getenv("GCTUNE_TEST_RUBY_SOURCE"), strings.Fields(os.Getenv("GCTUNE_TEST_RUBY_CONFIGURE"))
	if dir == "" || len(configure) == 0 {
		t.Skip("GCTUNE_TEST_RUBY_SOURCE and GCTUNE_TEST_RUBY_CONFIGURE are not set to a source tree and how it is configured")
	}
	words, err := json.Marshal(configure)
	if err != nil {
		t.Fatal(err)
	}
	cache := cmp.Or(os.Getenv("GCTUNE_TEST_BUILDS"), t.TempDir())
	t.Setenv("XDG_CACHE_HOME", cache)
	s := newStudy(t, `study: real
source: {dir: "`+dir+`", configure: `+string(words)+`}
batch:
  command: ["{ruby}", -rrbconfig, -rstringio, -e, "a = Array.new(100_000) { |i| i.to_s }; 20.times { a.map(&:upcase) }"]
  work: 20
search: {parameters: {GC_HEAP_INIT_SLOTS: {values: [400000]}}}
`)
	before := see(t, dir)
	if params := s.params(); params.Path != dir || params.Parameters[0].Name != "GC_HEAP_INIT_SLOTS" || params.Parameters[0].Default != "10000" {
		t.Errorf("params: %+v", params)
	}
	s.output("optimize", "--no-confirm", "--budget", "2")
	if states := s.states(); states != "complete complete" {
		t.Fatalf("the trials are %s: %+v", states, s.trials())
	}
	s.output("build", "--trial", "1", "--to", "tuned")
	s.output("export", "--trial", "1", "--format", "patch", "--output", "gc.patch")
	bases, err := filepath.Glob(filepath.Join(cache, "gctune", "builds", "base-*", "tree"))
	if err != nil || len(bases) != 1 {
		t.Fatalf("builds of the tree as it is: %v (%v)", bases, err)
	}
	// The original, already built: what the patch does not touch stays so.
	s.run("cp", "-a", bases[0], "patched")
	s.run("patch", "-d", "patched", "-p1", "--fuzz=0", "-i", "../gc.patch")
	s.run("make", "-C", "patched")
	original, tuned, patched := s.heapOf(filepath.Join(bases[0], "ruby")), s.heapOf("tuned/bin/ruby"), s.heapOf("patched/ruby")
	t.Logf("original %s\ntuned    %s\npatched  %s", original, tuned, patched)
	if patched != tuned || patched == original {
		t.Errorf("patched, it behaves as %s, the trial's as %s, the original as %s", patched, tuned, original)
	}
	if see(t, dir) != before {
		t.Errorf("%s is not as it was", dir)
	}
}

// heapOf is how an interpreter's heap is after its start, in whole pages: how many
// slots are in one depends on where it lies.
func (s study) heapOf(path string) string {
	if !filepath.IsAbs(path) {
		path = "./" + path
	}
	return strings.TrimSpace(s.run(path, "--disable=gems", "-e", `print GC.stat.select { |k, _| k.to_s =~ /\Aheap_(allocated|allocatable|eden)_/ }.inspect`))
}

// run runs a program in the study's directory to its end, which must be good.
func (s study) run(name string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}
