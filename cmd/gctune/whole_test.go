package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func writeText(path, text string) error {
	return writeWhole(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func wantFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, text)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Perm() != mode {
		t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), mode)
	}
}

func TestWriteWholeKeepsWhatTheFileIs(t *testing.T) {
	dir := t.TempDir()
	secret, link := filepath.Join(dir, "secret"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(secret, []byte("old"), 0o600), os.Symlink("secret", link)); err != nil {
		t.Fatal(err)
	}
	if err := writeText(link, "new"); err != nil {
		t.Fatal(err)
	}
	wantFile(t, secret, "new", 0o600)
	if target, err := os.Readlink(link); err != nil || target != "secret" {
		t.Errorf("the link is gone: %q, %v", target, err)
	}
	fresh := filepath.Join(dir, "fresh")
	if err := writeText(fresh, "x"); err != nil {
		t.Fatal(err)
	}
	wantFile(t, fresh, "x", 0o644)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteWholeLosesNothingOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := writeWhole(path, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	wantFile(t, path, "old", 0o644)
}

func TestWriteWholeGoesThroughAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(path)
		read <- string(text)
	}()
	if err := writeText(path, "through"); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "through" {
		t.Errorf("read %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v, %v", info.Mode(), err)
	}
}
