//go:build linux

package process_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/harness/process"
)

func TestCatches(t *testing.T) {
	tree := start(t, process.Spec{}, ruby(t), "--disable=gems", "-e", announce+`trap("PWR") {}; trap("USR2", "IGNORE"); announce; sleep`)
	pid := announced(t, tree, 1)[0]
	for signal, want := range map[syscall.Signal]bool{syscall.SIGPWR: true, syscall.SIGUSR2: false, syscall.SIGWINCH: false} {
		if got, err := process.Catches(pid, signal); got != want || err != nil {
			t.Errorf("%v: %v, %v", signal, got, err)
		}
	}
	kill(t, tree)
	if _, err := process.Catches(pid, syscall.SIGPWR); !errors.Is(err, process.ErrGone) {
		t.Errorf("after the end: %v", err)
	}
}

func TestEnviron(t *testing.T) {
	env := []string{"EMPTY=", "EQUALS=a=b", "LINES=1\n2"}
	tree := start(t, process.Spec{Env: env, Marker: "run 1"}, "/bin/sh", "-c", "echo pid $$; sleep 100")
	pid := announced(t, tree, 1)[0]
	want := map[string]string{"EMPTY": "", "EQUALS": "a=b", "LINES": "1\n2", process.MarkerVariable: "run 1"}
	if got, err := process.Environ(pid); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	stop(t, tree)
	if _, err := process.Environ(pid); !errors.Is(err, process.ErrGone) {
		t.Errorf("after the end: %v", err)
	}
}

func TestParseEnviron(t *testing.T) {
	for area, want := range map[string]map[string]string{
		"":                        {},
		"A=1\x00B=2\x00":          {"A": "1", "B": "2"},
		"A=1\x00A=2\x00":          {"A": "1"},
		"A=\x00":                  {"A": ""},
		"\x00\x00\x00\x00":        nil,
		"x]\x00\x00\x00\x00":      nil,
		"a=b]\x00\x00\x00":        nil,
		"puma 5.6.5\x00PATH=/bin": nil,
	} {
		got, err := process.ParseEnviron([]byte(area))
		if want == nil && err != process.ErrEnvironOverwritten || want != nil && (err != nil || !maps.Equal(got, want)) {
			t.Errorf("%q: %v, %v", area, got, err)
		}
	}
}

func FuzzParseEnviron(f *testing.F) {
	for _, area := range []string{"", "A=1\x00B=2\x00", "\x00\x00", "x]\x00", "=\x00", "A=1"} {
		f.Add([]byte(area))
	}
	f.Fuzz(func(t *testing.T, area []byte) {
		variables, err := process.ParseEnviron(area)
		if err != nil {
			return
		}
		for name, value := range variables {
			if name == "" || !bytes.Contains(area, []byte(name+"="+value)) {
				t.Errorf("%q=%q is not in %q", name, value, area)
			}
		}
	})
}

func TestOutputKeepsBothEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	tree := start(t, process.Spec{OutputPath: path}, "sh", "-c", "echo first; echo wrong >&2; head -c 5000000 /dev/zero | tr '\\0' '\\n'; echo; echo last; printf end")
	waitDone(t, tree)
	if got := tree.Tail(2); !slices.Equal(got, []string{"last", "end"}) {
		t.Errorf("tail %q", got)
	}
	stop(t, tree)
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(kept)
	total := len("first\nwrong\n") + 5000000 + len("\nlast\nend")
	note := fmt.Sprintf("\n[gctune left out %d bytes here]\n", total-2*mb)
	if !strings.HasPrefix(text, "first\nwrong\n") || !strings.HasSuffix(text, "\nlast\nend") ||
		strings.Count(text, note) != 1 || len(text) != 2*mb+len(note) {
		t.Errorf("%d bytes are kept", len(text))
	}
}

func TestShortOutputIsKeptAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	tree := start(t, process.Spec{OutputPath: path}, "sh", "-c", "printf 'a\\n\\nb\\n'")
	waitDone(t, tree)
	stop(t, tree)
	if kept, err := os.ReadFile(path); err != nil || string(kept) != "a\n\nb\n" {
		t.Errorf("%q, %v", kept, err)
	}
	if got := tree.Tail(9); !slices.Equal(got, []string{"a", "", "b"}) {
		t.Errorf("tail %q", got)
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plain"), "")
	for name, text := range map[string]string{"nobang": "echo\n", "badbang": "#!/no/such/interpreter\n"} {
		write(t, filepath.Join(dir, name), text)
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + dir}
	for words, spec := range map[string]process.Spec{
		"it is empty":             {},
		"no such program in PATH": {Command: []string{"sh"}, Env: env},
		"there is no directory":   {Command: []string{"sh"}, Dir: dir + "/none"},
		"is not executable":       {Command: []string{"./plain"}, Dir: dir},
		"is a directory":          {Command: []string{dir}},
		"has no #! line":          {Command: []string{"nobang"}, Env: env},
		"interpreter named in":    {Command: []string{"./badbang"}, Dir: dir},
		"there is no file":        {Command: []string{"./none"}, Dir: dir},
	} {
		tree, err := process.Start(spec)
		var start *process.StartError
		if err == nil {
			t.Errorf("%v started: %v", spec.Command, tree.Kill())
		} else if !errors.As(err, &start) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v: %v", spec.Command, err)
		}
	}
	if _, err := process.Start(process.Spec{Command: []string{"/bin/true"}, OutputPath: dir + "/none/out"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("output that cannot be kept: %v", err)
	}
}

func TestStdoutCanBeApart(t *testing.T) {
	stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	tree := start(t, process.Spec{Stdout: stdout}, "sh", "-c", "echo result; echo progress >&2")
	waitDone(t, tree)
	if text, err := os.ReadFile(stdout.Name()); err != nil || string(text) != "result\n" {
		t.Errorf("%q, %v", text, err)
	}
	if got := tree.Tail(9); !slices.Equal(got, []string{"progress"}) {
		t.Errorf("tail %q", got)
	}
}

func TestStartFindsTheProgramInItsOwnPATH(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sh"), "#!/bin/sh\necho mine $*; cat; readlink /proc/self/fd/0 >&2; cut -d' ' -f6 /proc/$$/stat | sed \"s/^$$\\$/own session/\"\n")
	if err := os.Chmod(filepath.Join(dir, "sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	tree := start(t, process.Spec{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, Marker: "a/b"}, "sh", "x", "y")
	waitDone(t, tree)
	want := []string{"mine x y", "/memfd:gctune-run:a%2Fb (deleted)", "own session"}
	if got := tree.Tail(9); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPorts(t *testing.T) {
	port, err := process.FreePort()
	if err != nil || !process.PortFree(port) {
		t.Fatalf("%d, %v", port, err)
	}
	for _, host := range []string{"127.0.0.1", "0.0.0.0"} {
		tree := start(t, process.Spec{}, ruby(t), "-rsocket", "-e", announce+"s = TCPServer.new(ARGV[0], ARGV[1].to_i); announce; sleep", host, fmt.Sprint(port))
		pid := announced(t, tree, 1)[0]
		if process.PortFree(port) {
			t.Errorf("free beside a listener on %s", host)
		}
		if ports, err := process.Listening([]int{pid}); err != nil || !slices.Equal(ports, []int{port}) {
			t.Errorf("%v, %v", ports, err)
		}
		kill(t, tree)
		if ports, err := process.Listening([]int{pid}); err != nil || len(ports) > 0 {
			t.Errorf("after the end %v, %v", ports, err)
		}
	}
}

// On a kernel that gives no list of children the machine's processes are read.
func TestKinWithoutTheKernelsHelp(t *testing.T) {
	command := exec.Command("sleep", "100")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = command.Process.Kill(), command.Wait() }()
	for name, list := range map[string]func(int) []int{"kernel": process.Children, "reading": process.KinFromAll()} {
		if !slices.Contains(list(os.Getpid()), command.Process.Pid) {
			t.Errorf("%s: the child is missing", name)
		}
	}
}
