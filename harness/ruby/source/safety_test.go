package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/ruby/source"
)

// TestTiedTree: a tree that is configured already, by its own path.
func TestTiedTree(t *testing.T) {
	for _, way := range []string{"real", "given", "another link"} {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			named := b.alias(t, way)
			b.tree.Configure = nil
			write(t, filepath.Join(b.tree.Dir, "Makefile"), "ruby:\n\tcc -o "+named+"/ruby main.c gc.c\n")
			if _, err := b.open(t, nil).Build(t.Context(), nil); !errors.Is(err, source.ErrInsideTree) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// alias is a path of the tree: its real one, the one by a link that is also what
// the tree is opened by, or another.
func (b *bench) alias(t *testing.T, way string) string {
	t.Helper()
	real, link := b.tree.Dir, b.path("link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	switch way {
	case "given":
		b.tree.Dir = link
	case "real":
		return real
	}
	return link
}

// TestCommandsOfTheTree: a command given by the tree's own path runs the copy's.
func TestCommandsOfTheTree(t *testing.T) {
	for _, way := range []string{"real", "given", "another link"} {
		t.Run(way, func(t *testing.T) {
			b := newBench(t)
			unchanged := remember(t, b.tree.Dir)
			named := b.alias(t, way)
			b.tree.Configure[0] = filepath.Join(named, "configure")
			b.tree.Build = []string{"sh", "-c", "cd " + named + " && touch seen && make -C" + named}
			built := build(t, b.open(t, nil), hand)
			if !exists(filepath.Join(built.Dir, "seen")) {
				t.Error("the command has not run in the copy")
			}
			unchanged()
		})
	}
}

// TestWritingCommands: a command that finds the tree by a path that it makes up
// is told of at once.
func TestWritingCommands(t *testing.T) {
	b := newBench(t)
	b.tree.Build = []string{"sh", "-c", "make && cd " + b.dir + " && echo >> tr\"\"ee/gc.h"}
	_, err := b.open(t, nil).Build(t.Context(), nil)
	if !errors.Is(err, source.ErrTreeChanged) || !strings.Contains(err.Error(), "gc.h") || !strings.Contains(err.Error(), "sh -c") {
		t.Errorf("got %v", err)
	}
}

// TestPipeAsSource: nothing is ever waited for in reading a tree.
func TestPipeAsSource(t *testing.T) {
	b := newBench(t)
	gc := filepath.Join(b.tree.Dir, "gc.c")
	if err := errors.Join(os.Remove(gc), syscall.Mkfifo(gc, 0o666)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := b.tree.Scan()
		done <- err
	}()
	if err := receive(t, done, "the scan"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

// TestDaemons: what a command leaves running is ended with it, whether it holds
// the output or not, and also when the build is cancelled.
func TestDaemons(t *testing.T) {
	b := newBench(t)
	b.tree.Build = []string{"sh", "-c", "(setsid sleep 600 & echo $! > " + b.path("daemon") + ") && make"}
	daemon := func() int {
		pid, err := strconv.Atoi(strings.TrimSpace(readAll(t, b.path("daemon"))))
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	start := time.Now()
	builder := b.open(t, nil)
	build(t, builder, nil)
	if !gone(daemon()) {
		t.Error("after the build the daemon still runs")
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("the build took %s", took)
	}
	b.hold(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := builder.Build(ctx, hand)
		done <- err
	}()
	b.held(t)
	cancel()
	receive(t, done, "the build to end")
	if !gone(daemon()) {
		t.Error("after the interrupt the daemon still runs")
	}
}
