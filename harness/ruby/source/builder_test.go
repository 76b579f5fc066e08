package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gctune/gctune/harness/ruby/source"
)

// TestBuild: constants and growth show in the interpreter's behaviour, a build
// after the first costs one compilation and one link, the tree stays as it was.
func TestBuild(t *testing.T) {
	b := newBench(t)
	unchanged := remember(t, b.tree.Dir)
	var stages []source.Stage
	var mu sync.Mutex
	builder := b.open(t, func(e source.Event) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(stages, e.Stage) {
			stages = append(stages, e.Stage)
		}
	})

	base := build(t, builder, nil)
	if got := b.calls(t); !slices.Equal(got, []string{"main.c", "gc.c", "link"}) || base.Cached {
		t.Errorf("the first build called %v, cached %v", got, base.Cached)
	}
	before := answers(t, base.Ruby, 600_000)
	if before["heap_min_slots"] != "10000" || before["free_min"] != "4096" || before["gc_malloc_limit"] != "16000000" {
		t.Errorf("unedited: %v", before)
	}

	edited := build(t, builder, hand)
	if got := b.calls(t); !slices.Equal(got, []string{"gc.c", "link"}) || edited.Cached {
		t.Errorf("the second build called %v, cached %v", got, edited.Cached)
	}
	after := answers(t, edited.Ruby, 600_000)
	// 600,000 objects of 100 bytes are just within the limit, and fill one heap.
	want := map[string]string{"heap_min_slots": "600000", "free_min": "100000", "gc_malloc_limit": "60000000", "heaps": "1", "slots": "600000", "collections": "0"}
	for name, value := range want {
		if after[name] != value {
			t.Errorf("edited: %s is %s, want %s", name, after[name], value)
		}
	}
	again := build(t, builder, hand)
	sameAsFound := build(t, builder, map[string]string{"HEAP_MIN_SLOTS": "10000"})
	if got := b.calls(t); len(got) > 0 || !again.Cached || again.Ruby != edited.Ruby || sameAsFound.Ruby != base.Ruby {
		t.Errorf("what was there was built again: %v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []source.Stage{source.Copying, source.Configuring, source.Building}; !slices.Equal(stages, want) {
		t.Errorf("progress %v, want %v", stages, want)
	}
	unchanged()
}

// TestFixedIncrement: the heap grows by the increment each time.
func TestFixedIncrement(t *testing.T) {
	b := newBench(t)
	built := build(t, b.open(t, nil), map[string]string{"HEAP_SLOTS_INCREMENT": "30000"})
	got := answers(t, built.Ruby, 1_000_000)
	// 125,000 stay alive: 10000, then 40000, 70000, 100000, …
	slots := map[string]string{"1": "10000", "2": "50000", "3": "120000", "4": "220000"}[got["heaps"]]
	if got["live"] != "125000" || slots == "" || got["slots"] != slots {
		t.Errorf("%s heaps of %s slots", got["heaps"], got["slots"])
	}
}

// TestKeptBetweenProcesses: another Builder, as of a later process, finds what
// the first has built; a changed tree, command or compiler is another build.
func TestKeptBetweenProcesses(t *testing.T) {
	b := newBench(t)
	build(t, b.open(t, nil), hand)
	b.calls(t)
	if built := build(t, b.open(t, nil), hand); !built.Cached || len(b.calls(t)) > 0 {
		t.Error("the second Builder built again")
	}
	for name, change := range map[string]func(){
		"command":  func() { b.tree.Build = []string{"make", "ruby"} },
		"compiler": func() { b.tree.Env = append(b.tree.Env, "CFLAGS=-O2") },
		"tree": func() {
			write(t, filepath.Join(b.tree.Dir, "gc.h"), readAll(t, filepath.Join(b.tree.Dir, "gc.h"))+"\n")
		},
	} {
		change()
		if built := build(t, b.open(t, nil), hand); built.Cached || !slices.Contains(b.calls(t), "main.c") {
			t.Errorf("another %s was not built anew", name)
		}
	}
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestFailedBuild: the compiler's lines are in the error, nothing stays, and
// other values still build.
func TestFailedBuild(t *testing.T) {
	b := newBench(t)
	unchanged := remember(t, b.tree.Dir)
	builder := b.open(t, nil)
	_, err := builder.Build(t.Context(), map[string]string{"HEAP_MIN_SLOTS": "6000000"})
	var failed *source.BuildError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	lines := strings.Join(failed.Lines, "\n")
	if failed.Unedited || failed.Stage != source.Building || failed.Status != "exit status 2" || !strings.Contains(lines, "gc.c:") || !strings.Contains(lines, "too_large_a_heap") {
		t.Errorf("%+v", failed)
	}
	if got := b.trees(t); !slices.Equal(got, []string{"base"}) {
		t.Errorf("left in the cache: %v", got)
	}
	build(t, builder, hand)
	unchanged()
}

func TestFailedCommands(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*source.Tree)
		values   map[string]string
		unedited bool
		want     string
	}{
		{"configure", func(s *source.Tree) { s.Configure = append(s.Configure, "--with-magic") }, nil, true, "configure: ./configure --prefix=/opt/mini --with-magic: exit status 1\nconfigure: unknown option"},
		{"no such command", func(s *source.Tree) { s.Build = []string{"no-such-make"} }, nil, true, "no-such-make"},
		{"no interpreter", func(s *source.Tree) { s.Build = []string{"make", "gc.o"} }, nil, true, "there is no interpreter ruby in the tree"},
		{"killed", func(s *source.Tree) { s.Build = []string{"sh", "-c", "echo enough; kill -KILL $$"} }, nil, true, "killed by SIGKILL\nenough"},
		{"not built again", func(s *source.Tree) { s.Build = []string{"sh", "-c", "test -e ruby || make"} }, hand, false, "did not make ruby again after gc.c was edited"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			test.change(&b.tree)
			_, err := b.open(t, nil).Build(t.Context(), test.values)
			var failed *source.BuildError
			if !errors.As(err, &failed) || failed.Unedited != test.unedited || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestCancelledBuild: the compiler, a grandchild, is gone when Build returns.
func TestCancelledBuild(t *testing.T) {
	b := newBench(t)
	builder := b.open(t, nil)
	release := b.hold(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := builder.Build(ctx, hand)
		done <- err
	}()
	compiler := b.held(t)
	cancel()
	if err := receive(t, done, "the build to end"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the compiler to be gone", func() bool { return gone(compiler) })
	release()
	if got := b.trees(t); len(got) > 0 {
		t.Errorf("left in the cache: %v", got)
	}
	build(t, builder, hand)
}

// gone: an orphan is a zombie until init reaps it.
func gone(pid int) bool {
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || stat(pid)[0] == "Z"
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	parent, err := strconv.Atoi(stat(pid)[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// stat is the state and the parent of a process.
func stat(pid int) []string {
	content, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, after, _ := strings.Cut(string(content), ") ")
	return append(strings.Fields(after), "", "")
}

// TestNotMovable: a makefile that names its own folder is never built further
// in a copy, where it would change the original.
func TestNotMovable(t *testing.T) {
	b := newBench(t)
	in := filepath.Join(b.tree.Dir, "Makefile.in")
	write(t, in, strings.ReplaceAll(readAll(t, in), "-c $<", "-c @here@/$<"))
	configure := filepath.Join(b.tree.Dir, "configure")
	write(t, configure, readAll(t, configure)+"sed -i \"s|@here@|$PWD|\" Makefile\n")
	builder := b.open(t, nil)
	base := build(t, builder, nil)
	edited := build(t, builder, hand)
	if got := answers(t, edited.Ruby, 1); got["heap_min_slots"] != "600000" {
		t.Errorf("edited: %v", got)
	}
	if got := answers(t, base.Ruby, 1); got["heap_min_slots"] != "10000" {
		t.Errorf("the base was changed: %v", got)
	}
}

// TestInertMakefile: Ruby writes one that names its own folder and makes nothing,
// for an extension of Windows. It is no reason to build the whole tree again.
func TestInertMakefile(t *testing.T) {
	b := newBench(t)
	configure := filepath.Join(b.tree.Dir, "configure")
	write(t, configure, readAll(t, configure)+`mkdir -p ext/win32
echo "# ***DUMMY MAKEFILE***" > ext/win32/Makefile
echo "topdir = $PWD" >> ext/win32/Makefile
`)
	builder := b.open(t, nil)
	build(t, builder, nil)
	b.calls(t)
	build(t, builder, hand)
	if got := b.calls(t); !slices.Equal(got, []string{"gc.c", "link"}) {
		t.Errorf("the second build called %v", got)
	}
}

func TestChangedTree(t *testing.T) {
	b := newBench(t)
	builder := b.open(t, nil)
	write(t, filepath.Join(b.tree.Dir, "new.c"), "")
	if _, err := builder.Build(t.Context(), nil); !errors.Is(err, source.ErrTreeChanged) {
		t.Errorf("got %v", err)
	}
}

func TestRefusedSetups(t *testing.T) {
	b := newBench(t)
	b.tree.Env = append(b.tree.Env, "CFLAGS=-O1 -DGC_MALLOC_LIMIT=5")
	_, err := b.open(t, nil).Build(t.Context(), hand)
	var refused *source.ValueError
	if !errors.As(err, &refused) || refused.Name != "GC_MALLOC_LIMIT" || !strings.Contains(err.Error(), "overrides gc.c") {
		t.Errorf("an overriding flag: %v", err)
	}
	unchanged := remember(t, b.tree.Dir)
	inside := source.Cache{Dir: filepath.Join(b.tree.Dir, "cache", "builds")}
	if _, err := source.Open(t.Context(), b.tree, inside, nil); !errors.Is(err, source.ErrInsideTree) {
		t.Errorf("a cache in the tree: %v", err)
	}
	unchanged()
}

// TestTreeWithoutConstants can be built as it is, and says why no more.
func TestTreeWithoutConstants(t *testing.T) {
	b := newBench(t)
	gc := filepath.Join(b.tree.Dir, "gc.c")
	write(t, gc, readAll(t, gc)+"static void set_gc_parameters(void) { char *p = getenv(\"RUBY_HEAP_MIN_SLOTS\"); if (p) heap_slots = atoi(p); }\nvoid use(void) { set_gc_parameters(); }\n")
	builder := b.open(t, nil)
	build(t, builder, nil)
	_, err := builder.Build(t.Context(), hand)
	var env *source.EnvironmentError
	if !errors.As(err, &env) {
		t.Errorf("got %v", err)
	}
}

// TestCleanEnvironment: settings of the caller's shell reach no build step.
func TestCleanEnvironment(t *testing.T) {
	b := newBench(t)
	b.tree.Env = append(b.tree.Env, "RUBY_GC_MALLOC_LIMIT=1", "RUBY_HEAP_MIN_SLOTS=1", "RUBYOPT=-w", "DESTDIR=/nowhere", "KEPT=1")
	b.tree.Build = []string{"sh", "-c", "env > seen; make"}
	built := build(t, b.open(t, nil), nil)
	seen := readAll(t, filepath.Join(built.Dir, "seen"))
	for _, name := range []string{"RUBY_GC_MALLOC_LIMIT", "RUBY_HEAP_MIN_SLOTS", "RUBYOPT", "DESTDIR"} {
		if strings.Contains(seen, name+"=") {
			t.Errorf("%s has reached the build", name)
		}
	}
	if !strings.Contains(seen, "KEPT=1\n") || !strings.Contains(seen, "PWD="+built.Dir+"\n") {
		t.Errorf("missing in the build's environment:\n%s", seen)
	}
}
