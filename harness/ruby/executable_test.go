package ruby_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

// A Ruby that was moved still reports the path that it was built for; its
// processes are recognised by the file that they really execute.
func TestProbeFindsTheRealExecutable(t *testing.T) {
	in, err := ruby.Probe(t.Context(), "ruby")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(in.Executable)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	moved, link := filepath.Join(dir, "moved"), filepath.Join(dir, "ruby")
	if err := os.WriteFile(moved, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, link); err != nil {
		t.Fatal(err)
	}
	got, err := ruby.Probe(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	if got.Executable != moved || got.Path != link {
		t.Errorf("executable %s of path %s, want %s of %s", got.Executable, got.Path, moved, link)
	}
}
