package source_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby/source"
)

func TestInstall(t *testing.T) {
	tests := []struct {
		name, prefix string
		configure    []string
		install      []string
		want         string // the prefix that the installed interpreter knows
		calls        []string
	}{
		{"prefix replaced", "new", []string{"./configure", "--prefix=/opt/mini"}, []string{"make", "install"}, "PREFIX", []string{"main.c", "gc.c", "link"}},
		{"prefix added", "new", []string{"./configure"}, []string{"make", "install"}, "PREFIX", []string{"main.c", "gc.c", "link"}},
		{"prefix as it was", "new", []string{"./configure", "--prefix=PREFIX"}, []string{"make", "install"}, "PREFIX", nil},
		{"interpreter alone", "new", []string{"./configure", "--prefix=/opt/mini"}, nil, "/opt/mini", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			unchanged := remember(t, b.tree.Dir)
			prefix := b.path(test.prefix)
			for _, w := range test.configure {
				test.configure[slices.Index(test.configure, w)] = strings.ReplaceAll(w, "PREFIX", prefix)
			}
			b.tree.Configure, b.tree.Install = test.configure, test.install
			builder := b.open(t, nil)
			built := build(t, builder, hand)
			b.calls(t)
			path, err := builder.Install(t.Context(), built, prefix)
			if err != nil || path != filepath.Join(prefix, "bin", "ruby") {
				t.Fatalf("installed %s: %v", path, err)
			}
			got := answers(t, path, 1)
			if got["prefix"] != strings.ReplaceAll(test.want, "PREFIX", prefix) || got["heap_min_slots"] != "600000" {
				t.Errorf("installed: %v", got)
			}
			if calls := b.calls(t); !slices.Equal(calls, test.calls) {
				t.Errorf("the compiler was called for %v", calls)
			}
			if trees := b.trees(t); !slices.Equal(trees, []string{"base", "edited"}) || exists(filepath.Join(prefix, "lib")) != (test.install != nil) {
				t.Errorf("in the cache: %v", trees)
			}
			unchanged()
		})
	}
}

func TestRefusedInstall(t *testing.T) {
	b := newBench(t)
	b.tree.Install = []string{"make", "install"}
	builder := b.open(t, nil)
	built := build(t, builder, nil)
	used := b.path("used")
	if err := os.Mkdir(used, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(used, "precious"), "")
	if _, err := builder.Install(t.Context(), built, used); !errors.Is(err, source.ErrPrefixInUse) || !exists(filepath.Join(used, "precious")) {
		t.Errorf("a folder in use: %v", err)
	}
	if _, err := builder.Install(t.Context(), built, b.tree.Dir); !errors.Is(err, source.ErrInsideTree) {
		t.Errorf("the tree itself: %v", err)
	}
	if _, err := builder.Install(t.Context(), built, filepath.Join(b.tree.Dir, "new", "one")); !errors.Is(err, source.ErrInsideTree) || exists(filepath.Join(b.tree.Dir, "new")) {
		t.Errorf("a new folder in the tree: %v", err)
	}

	b.tree.Configure = []string{"sh", "configure.sh"}
	write(t, filepath.Join(b.tree.Dir, "configure.sh"), "exec ./configure\n")
	builder = b.open(t, nil)
	built = build(t, builder, nil)
	if _, err := builder.Install(t.Context(), built, b.path("fixed")); !errors.Is(err, source.ErrPrefixFixed) {
		t.Errorf("a prefix that cannot be given: %v", err)
	}
}

// liveTest tries to install over the interpreter in use, at the folder live.
type liveTest struct {
	name   string
	change func(t *testing.T, b *bench, live string)
	fixed  bool   // refused, rather than failed
	want   string // in the message
}

func liveTests() []liveTest {
	makefile := func(t *testing.T, b *bench, old, new string) {
		in := filepath.Join(b.tree.Dir, "Makefile.in")
		write(t, in, strings.ReplaceAll(readAll(t, in), old, new))
	}
	return []liveTest{
		{"configured already", func(t *testing.T, b *bench, live string) {
			cmd := exec.Command("./configure", "--prefix="+live)
			cmd.Dir = b.tree.Dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			b.tree.Configure = nil
		}, true, "source.configure"},
		{"a prefix in the install command", func(t *testing.T, b *bench, live string) {
			b.tree.Install = append(b.tree.Install, "prefix="+live)
		}, true, "says where to install"},
		{"no make", func(t *testing.T, b *bench, live string) {
			b.tree.Install = []string{"sh", "-c", "make install"}
		}, true, "does not call make"},
		{"a folder of its own", func(t *testing.T, b *bench, live string) {
			configure := filepath.Join(b.tree.Dir, "configure")
			write(t, configure, strings.ReplaceAll(readAll(t, configure), "--enable-shared)", "--bindir=*) ;;\n    --enable-shared)"))
			b.tree.Configure = []string{"./configure", "--prefix=/opt/mini", "--bindir=" + live}
		}, true, "--bindir="},
		{"a shell that drops the prefix", func(t *testing.T, b *bench, live string) {
			b.tree.Configure = []string{"sh", "-c", "./configure --prefix=" + live, "--prefix=" + live}
		}, false, "outside of"},
		{"makefiles that ignore the prefix", func(t *testing.T, b *bench, live string) {
			makefile(t, b, "prefix = @prefix@", "prefix = "+live)
		}, false, "outside of"},
		{"makefiles without it", func(t *testing.T, b *bench, live string) {
			makefile(t, b, "prefix = @prefix@", "prefix = "+live)
			makefile(t, b, "$(DESTDIR)", "")
		}, true, "DESTDIR"},
	}
}

// TestConfiguredPrefix: whatever the commands are, the prefix that the tree is
// configured for is never written to, since the interpreter in use is there.
func TestConfiguredPrefix(t *testing.T) {
	for _, test := range liveTests() {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			live := b.path("live")
			write(t, filepath.Join(mkdir(t, live, "bin"), "ruby"), "in use")
			write(t, filepath.Join(mkdir(t, live, "lib"), "mini.rb"), "in use")
			unchanged := remember(t, live)
			b.tree.Install = []string{"make", "install"}
			b.tree.Configure = []string{"./configure", "--prefix=" + live}
			test.change(t, b, live)
			builder := b.open(t, nil)
			_, err := builder.Install(t.Context(), build(t, builder, hand), b.path("new"))
			if errors.Is(err, source.ErrPrefixFixed) != test.fixed || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			unchanged()
			if exists(b.path("new")) {
				t.Error("the new folder was left behind")
			}
		})
	}
}

// TestFailedInstallKeepsOthersFiles: what somebody else puts into the folder
// meanwhile is not the installation's to remove or replace.
func TestFailedInstallKeepsOthersFiles(t *testing.T) {
	for name, end := range map[string]string{"the command fails": "false", "a name is taken": "true"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			prefix := b.path("new")
			in := filepath.Join(b.tree.Dir, "Makefile.in")
			write(t, in, readAll(t, in)+"\tmkdir "+prefix+"/lib && echo precious > "+prefix+"/lib/file && "+end+"\n")
			b.tree.Install = []string{"make", "install"}
			builder := b.open(t, nil)
			built := build(t, builder, hand)
			if _, err := builder.Install(t.Context(), built, prefix); err == nil {
				t.Error("the installation did not fail")
			}
			entries, err := os.ReadDir(prefix)
			if err != nil || len(entries) != 1 || readAll(t, filepath.Join(prefix, "lib", "file")) != "precious\n" {
				t.Errorf("in the folder: %v (%v)", entries, err)
			}
		})
	}
}

func mkdir(t *testing.T, elements ...string) string {
	t.Helper()
	folder := filepath.Join(elements...)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}
