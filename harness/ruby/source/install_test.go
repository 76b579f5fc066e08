package source_test

import (
	"errors"
	"os"
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

	b.tree.Install = []string{"sh", "-c", "mkdir -p " + b.path("partial") + "/lib; false"}
	builder = b.open(t, nil)
	_, err := builder.Install(t.Context(), built, b.path("partial"))
	var failed *source.BuildError
	if !errors.As(err, &failed) || failed.Stage != source.Installing || exists(b.path("partial/lib")) {
		t.Errorf("a failing command: %v", err)
	}

	b.tree.Configure = []string{"sh", "configure.sh"}
	write(t, filepath.Join(b.tree.Dir, "configure.sh"), "exec ./configure\n")
	builder = b.open(t, nil)
	built = build(t, builder, nil)
	if _, err := builder.Install(t.Context(), built, b.path("fixed")); !errors.Is(err, source.ErrPrefixFixed) {
		t.Errorf("a prefix that cannot be given: %v", err)
	}
}
