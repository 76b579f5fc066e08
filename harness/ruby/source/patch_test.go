package source_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby/source"
)

// patchAgrees applies the patch of a setting with patch -p1 to a copy of the
// file and compares with what Rewrite gives.
func patchAgrees(t *testing.T, dir string, f *source.Found, values map[string]string) {
	t.Helper()
	original, err := os.ReadFile(filepath.Join(dir, f.File))
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Rewrite(values)
	if err != nil {
		t.Fatal(err)
	}
	diff, err := f.Patch(values)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), f.File)
	if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, copied, string(original))
	cmd := exec.Command("patch", "-p1")
	cmd.Dir = strings.TrimSuffix(copied, f.File)
	cmd.Stdin = bytes.NewReader(diff)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "fuzz") || strings.Contains(string(out), "offset") {
		t.Fatalf("patch -p1: %v\n%s\n%s", err, out, diff)
	}
	got, err := os.ReadFile(copied)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("patched: %q (%v)\nrewritten: %q", got, err, want)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestPatch(t *testing.T) {
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip("there is no patch command")
	}
	const constants = "#define HEAP_MIN_SLOTS 10000\n#define FREE_MIN 4096\n#define GC_MALLOC_LIMIT \\\n(2000000*sizeof(VALUE))\n"
	for name, content := range map[string]string{
		"plain":                   constants + growing,
		"CRLF":                    strings.ReplaceAll(constants+growing, "\n", "\r\n"),
		"Latin-1":                 "/* \xe9\xff */\n" + constants + growing,
		"no newline":              growing + strings.TrimSuffix(constants, "\n"),
		"far apart":               constants + strings.Repeat("\n", 50) + growing,
		"a blank line at the end": growing + constants + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "gc.c"), content)
			f, err := source.Scan(dir, 64)
			if err != nil {
				t.Fatal(err)
			}
			patchAgrees(t, dir, f, hand)
		})
	}
}

func TestEmptyPatch(t *testing.T) {
	f := parse(t, "#define HEAP_MIN_SLOTS 10000\n", 64)
	for _, values := range []map[string]string{nil, {"HEAP_MIN_SLOTS": "10000"}} {
		if diff, err := f.Patch(values); err != nil || len(diff) != 0 {
			t.Errorf("%v: %q (%v)", values, diff, err)
		}
	}
}
