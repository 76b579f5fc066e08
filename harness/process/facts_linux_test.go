package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/process"
)

// A real Ruby has the C library's allocator, and another one where one is loaded
// before it.
func TestAllocator(t *testing.T) {
	tree := start(t, process.Spec{}, ruby(t), "--disable=gems", "-e", `$stdout.sync = true; puts "pid #{$$}"; sleep`)
	pid := announced(t, tree, 1)[0]
	if got := process.Allocator(pid); !strings.Contains(got, "(lib") && !strings.Contains(got, "(ld-") {
		t.Errorf("a Ruby has the allocator %q", got)
	}
	if got := process.Allocator(1 << 22); got != "" {
		t.Errorf("a process that is not there has %q", got)
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to make a library of that name with")
	}
	library := filepath.Join(t.TempDir(), "libjemalloc.so.2")
	source := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(source, []byte("int nothing;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	preloaded := start(t, process.Spec{Env: append(os.Environ(), "LD_PRELOAD="+library)}, ruby(t), "--disable=gems", "-e", `$stdout.sync = true; puts "pid #{$$}"; sleep`)
	if got := process.Allocator(announced(t, preloaded, 1)[0]); got != "jemalloc (libjemalloc.so.2)" {
		t.Errorf("with a library of that name: %q", got)
	}
}

// The least of all limits holds, in either version's form.
func TestCPULimit(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	half, none := write("half", "50000 100000\n"), write("none", "max 100000\n")
	write("v1/cpu.cfs_quota_us", "150000\n")
	write("v1/cpu.cfs_period_us", "100000\n")
	write("open/cpu.cfs_quota_us", "-1\n")
	write("open/cpu.cfs_period_us", "100000\n")
	for _, c := range []struct {
		files, dirs []string
		want        float64
	}{
		{[]string{none, half}, nil, 0.5},
		{[]string{none, filepath.Join(dir, "absent")}, []string{filepath.Join(dir, "open")}, 0},
		{[]string{none}, []string{filepath.Join(dir, "open"), filepath.Join(dir, "v1")}, 1.5},
	} {
		if got := process.LeastCPU(c.files, c.dirs); got != c.want {
			t.Errorf("%v, %v: %v cores, want %v", c.files, c.dirs, got, c.want)
		}
	}
	if limit := process.CPULimit(); limit < 0 {
		t.Errorf("limit here: %v", limit)
	}
}
