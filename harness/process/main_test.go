//go:build linux

package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/process"
)

// helperVariable makes the test program play another part: see helpers.
const helperVariable = "GCTUNE_TEST_HELPER"

func TestMain(m *testing.M) {
	if helper, found := helpers[os.Getenv(helperVariable)]; found {
		helper()
		return
	}
	code := m.Run()
	if left := childrenLeft(); left != "" && code == 0 {
		fmt.Println("children of the test program are left, dead or alive:\n" + left)
		code = 1
	}
	os.Exit(code)
}

func childrenLeft() string {
	ps := exec.Command("ps", "-o", "pid=,stat=,args=", "--ppid", strconv.Itoa(os.Getpid()))
	listed, _ := ps.Output()
	var left []string
	for line := range strings.Lines(string(listed)) {
		if !strings.HasPrefix(strings.TrimSpace(line), strconv.Itoa(ps.Process.Pid)+" ") {
			left = append(left, line)
		}
	}
	return strings.Join(left, "")
}

// bothWays runs a test with and without a control group.
func bothWays(t *testing.T, test func(t *testing.T, spec process.Spec)) {
	for name, without := range map[string]bool{"cgroup": false, "no cgroup": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, process.Spec{NoCgroup: without, Env: os.Environ(), Marker: marker(t)})
		})
	}
}

// marker is unique, and stays so when the tests run again.
func marker(t *testing.T) string {
	return fmt.Sprintf("test/%s/%d/%d", t.Name(), os.Getpid(), time.Now().UnixNano())
}

func start(t *testing.T, spec process.Spec, command ...string) *process.Tree {
	t.Helper()
	spec.Command = command
	if spec.Env == nil {
		spec.Env = os.Environ()
	}
	tree, err := process.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Kill(); err != nil {
			t.Error(err)
		}
	})
	return tree
}

func ruby(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("ruby")
	if err != nil {
		t.Skip("there is no ruby on PATH")
	}
	return path
}

func needGem(t *testing.T, name string) {
	t.Helper()
	if exec.Command(ruby(t), "-e", "gem ARGV[0]", name).Run() != nil {
		t.Skipf("the gem %s is not installed", name)
	}
}

// await polls until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("did not happen in 20 s: " + what)
		}
	}
}

// announced waits for n lines "pid N" in the output and returns the numbers.
func announced(t *testing.T, tree *process.Tree, n int) []int {
	t.Helper()
	var pids []int
	await(t, fmt.Sprintf("%d processes announce themselves", n), func() bool {
		pids = nil
		for _, line := range tree.Tail(1000) {
			if text, found := strings.CutPrefix(line, "pid "); found {
				pid, _ := strconv.Atoi(text)
				pids = append(pids, pid)
			}
		}
		return len(pids) >= n
	})
	return pids
}

// exists is true for a zombie, too.
func exists(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

func pidsOf(t *testing.T, tree *process.Tree) []int {
	t.Helper()
	list, err := tree.Processes()
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, p := range list {
		pids = append(pids, p.PID)
	}
	return pids
}

func waitDone(t *testing.T, tree *process.Tree) {
	t.Helper()
	select {
	case <-tree.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the leader did not end in 20 s")
	}
}

func stop(t *testing.T, tree *process.Tree) {
	t.Helper()
	if err := tree.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func kill(t *testing.T, tree *process.Tree) {
	t.Helper()
	if err := tree.Kill(); err != nil {
		t.Fatal(err)
	}
}

// copyOfSelf puts the test program where every user may run it.
func copyOfSelf(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gctune-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "process.test")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
