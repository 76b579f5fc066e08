package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/ruby/source"
)

// childVariable makes the test binary a process that builds, for tests that
// kill one or run two at once.
const childVariable = "GCTUNE_SOURCE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		os.Unsetenv(childVariable)
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func child(dir string) error {
	tree := source.Tree{Dir: filepath.Join(dir, "tree"), Configure: []string{"./configure", "--prefix=/opt/mini"}, Build: []string{"make"}}
	builder, err := source.Open(context.Background(), tree, source.Cache{Dir: filepath.Join(dir, "cache")}, nil)
	if err != nil {
		return err
	}
	built, err := builder.Build(context.Background(), hand)
	if err != nil {
		return err
	}
	fmt.Println(built.Ruby)
	return nil
}

// startChild starts a process that builds the hand-set values.
func (b *bench) startChild(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(slices.Clone(b.tree.Env), childVariable+"="+b.dir)
	cmd.Stdout, cmd.Stderr = new(strings.Builder), new(strings.Builder)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestKilledBuild kills a process in the middle of the first build and of a
// later one. What it had started is ended, since it could still write; then the
// build succeeds, and neither the tree nor the cache shows a trace.
func TestKilledBuild(t *testing.T) {
	for _, stage := range []string{"base", "edited"} {
		t.Run(stage, func(t *testing.T) {
			b := newBench(t)
			unchanged := remember(t, b.tree.Dir)
			want := []string{"main.c", "gc.c", "link", "gc.c", "link"}
			if stage == "edited" {
				build(t, b.open(t, nil), nil)
				want = []string{"gc.c", "link"}
			}
			release := b.hold(t)
			killed := b.startChild(t)
			compiler := b.held(t)
			maker := parentOf(t, compiler)
			killed.Process.Kill()
			killed.Wait()
			eventually(t, "make to end with the process that started it", func() bool { return gone(maker) })
			if gone(compiler) {
				t.Fatal("the compiler did not outlive its killed parents, so the test shows nothing")
			}
			builder := b.open(t, nil)
			b.calls(t)
			done := make(chan *source.Built, 1)
			go func() {
				built, err := builder.Build(t.Context(), hand)
				if err != nil {
					t.Error(err)
				}
				done <- built
			}()
			eventually(t, "the first compiler to be ended", func() bool { return gone(compiler) })
			release()
			built := receive(t, done, "the build")
			if got := b.calls(t); !slices.Equal(got, want) {
				t.Errorf("after the kill the compiler was called for %v, want %v", got, want)
			}
			if got := answers(t, built.Ruby, 1); got["heap_min_slots"] != "600000" {
				t.Errorf("built %v", got)
			}
			built.Close()
			if got := b.trees(t); !slices.Equal(got, []string{"base", "edited"}) {
				t.Errorf("in the cache: %v", got)
			}
			unchanged()
		})
	}
}

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatalf("waited in vain for %s", what)
		panic("not reached")
	}
}

// TestLeftoversAreRemoved: an unfinished tree that nobody will ask for again.
func TestLeftoversAreRemoved(t *testing.T) {
	b := newBench(t)
	release := b.hold(t)
	killed := b.startChild(t)
	compiler := b.held(t)
	killed.Process.Kill()
	killed.Wait()
	release()
	eventually(t, "the compiler to end", func() bool { return gone(compiler) })
	write(t, b.path("cache/notes"), "not ours\n")
	b.open(t, nil)
	entries, err := os.ReadDir(b.cache.Dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "notes" {
		t.Errorf("left in the cache: %v (%v)", entries, err)
	}
}

// TestTwoProcesses build the same at once: one builds, both get it.
func TestTwoProcesses(t *testing.T) {
	b := newBench(t)
	release := b.hold(t)
	children := []*exec.Cmd{b.startChild(t), b.startChild(t)}
	b.held(t)
	release()
	var paths []string
	for _, child := range children {
		if err := child.Wait(); err != nil {
			t.Fatalf("%v: %s", err, child.Stderr)
		}
		paths = append(paths, strings.TrimSpace(fmt.Sprint(child.Stdout)))
	}
	if got := b.calls(t); paths[0] != paths[1] || !slices.Equal(got, []string{"main.c", "gc.c", "link", "gc.c", "link"}) {
		t.Errorf("built %v by %v", paths, got)
	}
	if got := answers(t, paths[0], 1); got["heap_min_slots"] != "600000" {
		t.Errorf("built %v", got)
	}
}

// TestFullCache: the tree used longest ago goes first, those in use stay, and
// what was removed is built again.
func TestFullCache(t *testing.T) {
	b := newBench(t)
	b.cache.MaxTrees = 3
	builder := b.open(t, nil)
	step := func(slots int) *source.Built {
		return build(t, builder, map[string]string{"HEAP_MIN_SLOTS": strconv.Itoa(slots)})
	}
	first := step(11000) // stays in use
	second := step(12000)
	second.Close()
	third := step(13000) // one too many: the second goes
	if got := b.trees(t); len(got) != 3 || exists(second.Ruby) || !exists(first.Ruby) {
		t.Errorf("after the third: %v, the second is there: %v", got, exists(second.Ruby))
	}
	fourth := step(14000) // nothing can go
	if got := b.trees(t); len(got) != 4 {
		t.Errorf("in use were base, first, third and fourth; there are %v", got)
	}
	first.Close()
	third.Close()
	fourth.Close()
	b.calls(t)
	if again := step(12000); again.Cached || !slices.Equal(b.calls(t), []string{"gc.c", "link"}) {
		t.Error("the second was not built again")
	}
	if got := b.trees(t); len(got) != 3 || exists(first.Ruby) || exists(third.Ruby) || !exists(fourth.Ruby) {
		t.Errorf("at the end: %v", got)
	}
	builder.Close()
	b.cache.MaxBytes = 1
	b.open(t, nil)
	if got := b.trees(t); len(got) != 1 { // the last is not closed
		t.Errorf("within one byte: %v", got)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestUnwritableCache: a cache that cannot be written to is an error, not a failed
// build of the setting.
func TestUnwritableCache(t *testing.T) {
	b := newBench(t)
	builder := b.open(t, nil)
	if err := os.RemoveAll(b.cache.Dir); err != nil {
		t.Fatal(err)
	}
	write(t, b.cache.Dir, "a file")
	_, err := builder.Build(t.Context(), nil)
	var failed *source.BuildError
	if err == nil || errors.As(err, &failed) || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v", err)
	}
}

// TestDamagedBuild: what was lost from a cached build is noticed and built again.
func TestDamagedBuild(t *testing.T) {
	damage := map[string]func(built *source.Built) error{
		"the interpreter is empty": func(built *source.Built) error { return os.Truncate(built.Ruby, 0) },
		"the interpreter is gone":  func(built *source.Built) error { return os.Remove(built.Ruby) },
		"it cannot be executed":    func(built *source.Built) error { return os.Chmod(built.Ruby, 0o644) },
		"an object is cut short":   func(built *source.Built) error { return os.Truncate(filepath.Join(built.Dir, "main.o"), 9) },
		"the tree is gone":         func(built *source.Built) error { return os.RemoveAll(built.Dir) },
	}
	for name, do := range damage {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			builder := b.open(t, nil)
			for _, values := range []map[string]string{nil, hand} {
				built := build(t, builder, values)
				if err := errors.Join(do(built), built.Close()); err != nil {
					t.Fatal(err)
				}
			}
			base := build(t, builder, nil)
			if err := errors.Join(do(base), base.Close(), builder.Close()); err != nil {
				t.Fatal(err)
			}
			b.calls(t)
			builder = b.open(t, nil)
			for _, values := range []map[string]string{nil, hand} {
				if got := answers(t, build(t, builder, values).Ruby, 1); got["prefix"] != "/opt/mini" {
					t.Errorf("with %v: %v", values, got)
				}
			}
			if got := b.calls(t); !slices.Equal(got, []string{"main.c", "gc.c", "link", "gc.c", "link"}) {
				t.Errorf("the compiler was called for %v", got)
			}
		})
	}
}

// TestWaitingTellsWhoHolds: the process that is waited for is named.
func TestWaitingTellsWhoHolds(t *testing.T) {
	b := newBench(t)
	release := b.hold(t)
	first := b.startChild(t)
	b.held(t)
	waits := make(chan string, 100)
	builder := b.open(t, func(e source.Event) {
		if e.Stage == source.Waiting {
			waits <- e.Text
		}
	})
	done := make(chan *source.Built, 1)
	go func() {
		built, err := builder.Build(t.Context(), hand)
		if err != nil {
			t.Error(err)
		}
		done <- built
	}()
	if text := receive(t, waits, "the second process to wait"); !strings.Contains(text, fmt.Sprintf("process %d (", first.Process.Pid)) {
		t.Errorf("waiting for %s, want process %d", text, first.Process.Pid)
	}
	release()
	receive(t, done, "the build").Close()
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
}
