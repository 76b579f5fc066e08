//go:build linux

package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/process"
)

// helpers are the other parts that the test program plays.
var helpers = map[string]func(){
	"keeper":  keeper,
	"starved": starved,
}

// keeper starts a tree of its arguments with a marker, and waits to be killed.
func keeper() {
	spec := process.Spec{Marker: os.Args[1], NoCgroup: os.Args[2] == "no cgroup", Command: os.Args[3:], Env: os.Environ()}
	tree, err := process.Start(spec)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for printed := 0; ; time.Sleep(5 * time.Millisecond) {
		lines := tree.Tail(1000)
		for ; printed < len(lines); printed++ {
			fmt.Println(lines[printed])
		}
	}
}

// starved starts its arguments in a control group with too little memory, and
// tells what it learns.
func starved() {
	if err := os.WriteFile(os.Args[1]+"/cgroup.procs", []byte("0"), 0o644); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	tree, err := process.Start(process.Spec{Command: os.Args[2:], Env: os.Environ()})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	<-tree.Done()
	fmt.Println(tree.OOMKilled(), tree.CeilingExceeded(), tree.ExitError(), tree.Kill())
}

// helper is a command that makes the test program play a part.
func helper(part string, args ...string) *exec.Cmd {
	command := exec.Command("/proc/self/exe", args...)
	command.Env = append(os.Environ(), helperVariable+"="+part)
	return command
}

// What holds for root has to hold for an ordinary user, who can neither make
// control groups nor signal everyone.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests run as an ordinary user already")
	}
	if testing.Short() {
		t.Skip("runs other tests again")
	}
	command := exec.Command(copyOfSelf(t), "-test.v", "-test.run", "^(TestStopEndsEveryProcess|TestProcesses|TestMemory|TestCPU|TestSweep)")
	command.Env = append(os.Environ(), "HOME=/", "TMPDIR="+os.TempDir())
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	report, err := command.CombinedOutput()
	if err != nil || strings.Count(string(report), "--- PASS") < 20 {
		t.Errorf("%v\n%s", err, report)
	}
}
