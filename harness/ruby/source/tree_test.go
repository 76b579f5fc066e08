package source_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/ruby/source"
)

// TestCopyTree: what a build sees is the same, what could lead it out of the
// copy is not there.
func TestCopyTree(t *testing.T) {
	from, to, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "copy"), t.TempDir()
	write(t, filepath.Join(elsewhere, "config.guess"), "guess\n")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(from, "sub", ".git"), 0o777))
	write(t, filepath.Join(from, "sub", ".git", "HEAD"), "ref\n")
	write(t, filepath.Join(from, "sub", "a.c"), "int a;\n")
	write(t, filepath.Join(from, "run"), "#!/bin/sh\n")
	must(os.Chmod(filepath.Join(from, "run"), 0o555))
	for name, target := range map[string]string{
		"relative": "sub/a.c", "absolute": filepath.Join(from, "sub", "a.c"), "folder": "sub",
		"guess": filepath.Join(elsewhere, "config.guess"), "nothing": "no/such/file", "outside": elsewhere,
	} {
		must(os.Symlink(target, filepath.Join(from, name)))
	}
	moment := time.Date(2009, 3, 4, 5, 6, 7, 123456789, time.UTC)
	for _, name := range []string{"sub/a.c", "run", "sub"} {
		must(os.Chtimes(filepath.Join(from, name), moment, moment))
	}
	must(source.CopyTree(t.Context(), from, to))

	for name, want := range map[string]string{"relative": "sub/a.c", "absolute": "sub/a.c", "folder": "sub", "nothing": "no/such/file", "outside": elsewhere} {
		if got, err := os.Readlink(filepath.Join(to, name)); err != nil || got != want {
			t.Errorf("link %s leads to %s (%v), want %s", name, got, err, want)
		}
	}
	if info, err := os.Lstat(filepath.Join(to, "guess")); err != nil || !info.Mode().IsRegular() || readAll(t, filepath.Join(to, "guess")) != "guess\n" {
		t.Errorf("a link to a file elsewhere became %v (%v)", info, err)
	}
	for _, name := range []string{"sub/a.c", "run", "sub"} {
		was, err := os.Stat(filepath.Join(from, name))
		must(err)
		is, err := os.Stat(filepath.Join(to, name))
		if os.SameFile(was, is) {
			t.Errorf("%s is one file with its original", name)
		}
		if err != nil || !is.ModTime().Equal(was.ModTime()) || is.Mode() != was.Mode() {
			t.Errorf("%s is %v, %v (%v); was %v, %v", name, is.ModTime(), is.Mode(), err, was.ModTime(), was.Mode())
		}
	}
	if exists(filepath.Join(to, "sub", ".git")) {
		t.Error("the history was copied")
	}
	sameDigest(t, from, to)
}

func sameDigest(t *testing.T, from, to string) {
	t.Helper()
	digest := func(dir string) string {
		sum, err := source.Digest(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	before := digest(from)
	if digest(to) != before {
		t.Error("the copy has another digest")
	}
	write(t, filepath.Join(to, "sub", "a.c"), "int b;\n")
	if digest(to) == before {
		t.Error("another content has the same digest")
	}
}
