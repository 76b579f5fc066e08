package source_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/ruby/source"
)

// bench is a copy of the miniature interpreter's tree, a cache, and a compiler
// that notes its calls and can be made to stand still.
type bench struct {
	dir   string
	tree  source.Tree
	cache source.Cache
}

func newBench(t *testing.T) *bench {
	t.Helper()
	for _, tool := range []string{"cc", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	b := &bench{dir: t.TempDir()}
	tree := b.path("tree")
	if err := os.CopyFS(tree, os.DirFS("testdata/mini")); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"gc.c", "main.c", "gc.h", "Makefile.in", "configure"} {
		if err := os.Chtimes(filepath.Join(tree, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(tree, "configure"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, b.path("cc"), strings.ReplaceAll(`#!/bin/sh
echo "$PWD: $*" >> DIR/calls
if [ -e DIR/hold ]; then
  echo $$ > DIR/held.new; mv DIR/held.new DIR/held
  while [ -e DIR/hold ]; do sleep 0.02; done
fi
exec cc "$@"
`, "DIR", b.dir))
	if err := os.Chmod(b.path("cc"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.tree = source.Tree{Dir: tree, Configure: []string{"./configure", "--prefix=/opt/mini"}, Build: []string{"make"},
		Env: append(os.Environ(), "CC="+b.path("cc"))}
	b.cache = source.Cache{Dir: b.path("cache")}
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) open(t *testing.T, progress func(source.Event)) *source.Builder {
	t.Helper()
	builder, err := source.Open(t.Context(), b.tree, b.cache, progress)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { builder.Close() })
	return builder
}

// calls are the compiler's since the last time, each as "gc.c", "main.c" or
// "link".
func (b *bench) calls(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(b.path("calls"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	os.Remove(b.path("calls"))
	var list []string
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		if last := words[len(words)-1]; strings.HasSuffix(last, ".c") {
			list = append(list, last)
		} else {
			list = append(list, "link")
		}
	}
	return list
}

// hold makes the compiler stand still until release is called.
func (b *bench) hold(t *testing.T) (release func()) {
	t.Helper()
	write(t, b.path("hold"), "")
	release = func() { os.Remove(b.path("hold")) }
	t.Cleanup(release)
	return release
}

// held waits for the compiler to stand still and returns its process.
func (b *bench) held(t *testing.T) int {
	t.Helper()
	pid := 0
	eventually(t, "the compiler to be called", func() bool {
		content, err := os.ReadFile(b.path("held"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(content)))
		return err == nil
	})
	os.Remove(b.path("held"))
	return pid
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func build(t *testing.T, b *source.Builder, values map[string]string) *source.Built {
	t.Helper()
	built, err := b.Build(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { built.Close() })
	return built
}

// answers runs an interpreter that allocates, and returns what it prints.
func answers(t *testing.T, path string, objects int) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "-e", fmt.Sprint("allocate ", objects)).Output()
	if err != nil {
		t.Fatalf("run %s: %v", path, err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		found[name] = value
	}
	return found
}

// snapshot is all that can be seen of a tree, times of access included.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&text, path, info.Mode(), info.Size(), info.ModTime(), kernelView(info))
		if info.Mode().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s %q\n", path, content)
	}
	return text.String()
}

// remember returns a check that a tree is as it was.
func remember(t *testing.T, dir string) func() {
	t.Helper()
	snapshot(t, dir) // reading may set a time of access once
	before := snapshot(t, dir)
	return func() {
		t.Helper()
		if after := snapshot(t, dir); after != before {
			t.Errorf("the tree has changed:\n%s\nwas\n%s", after, before)
		}
	}
}

// trees lists what is in the cache by kind.
func (b *bench) trees(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(b.cache.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			kind, _, _ := strings.Cut(entry.Name(), "-")
			list = append(list, kind)
		}
	}
	return list
}
