//go:build linux

package process_test

import (
	"bufio"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/harness/process"
)

// The leader ends with its gctune; the worker that has written its title over
// its environment and the daemon do not.
const leftBehind = `
fork { Process.setproctitle("x" * 5000); announce; sleep }
Process.wait(fork { Process.setsid; fork { Process.setproctitle("x" * 5000); announce; sleep }; exit! })
Process.wait(fork { Process.setsid; fork { announce; sleep }; exit! })
announce; sleep`

func TestSweepAfterSIGKILL(t *testing.T) {
	for _, mode := range []string{"cgroup", "no cgroup"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			bystander := start(t, process.Spec{Marker: "other/" + marker(t)}, "sleep", "100")
			prefix := marker(t) + "/"
			pids := abandon(t, prefix+"7", mode, leftBehind, 4)
			killed, err := process.Sweep(prefix)
			if err != nil {
				t.Fatal(err)
			}
			if len(killed) < 3 { // the leader may have been the kernel's
				t.Errorf("killed %v", killed)
			}
			awaitAdopted(t, pids)
			if len(pidsOf(t, bystander)) != 1 {
				t.Error("a process of another run was killed")
			}
			if again, err := process.Sweep(prefix); len(again) > 0 || err != nil {
				t.Errorf("the second sweep found %v, %v", again, err)
			}
		})
	}
}

// abandon starts a tree below a helper that is then killed.
func abandon(t *testing.T, marker, mode, script string, n int) []int {
	t.Helper()
	keeper := helper("keeper", marker, mode, ruby(t), "--disable=gems", "-e", announce+script)
	out, err := keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for lines := bufio.NewScanner(out); len(pids) < n && lines.Scan(); {
		pid, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "pid "))
		if err != nil {
			t.Errorf("the helper says: %s", lines.Text())
		}
		pids = append(pids, pid)
	}
	if err := keeper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = keeper.Wait() // says that it was killed
	return pids
}

// A daemon without environment, session and open files is found by the exact
// marker.
func TestSweepFindsTheTraceless(t *testing.T) {
	name := marker(t)
	pids := abandon(t, name, "no cgroup", `Process.wait(fork { Process.setsid
		fork { announce; exec({}, "/bin/sleep", "100", unsetenv_others: true, in: "/dev/null") }; exit! }); announce; sleep`, 2)
	killed, err := process.Sweep(name)
	if err != nil || len(killed) == 0 {
		t.Errorf("killed %v, %v", killed, err)
	}
	awaitAdopted(t, pids)
}

// awaitAdopted waits for what a killed helper left: this program, a reaper of
// orphans, has adopted it.
func awaitAdopted(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		await(t, "the end of "+strconv.Itoa(pid), func() bool {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			return !exists(pid)
		})
	}
}

func TestSweepNeedsAMarker(t *testing.T) {
	if _, err := process.Sweep(""); err == nil {
		t.Error("no error")
	}
}

func TestOwner(t *testing.T) {
	self, err := process.Self()
	if err != nil || !process.OwnerAlive(self) {
		t.Fatalf("%v is not alive: %v", self, err)
	}
	later, rebooted := self, self
	later.StartTicks++
	rebooted.BootID = "another"
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	gone := process.Owner{PID: ended.Process.Pid, StartTicks: self.StartTicks, BootID: self.BootID}
	for _, owner := range []process.Owner{later, rebooted, gone, {}} {
		if process.OwnerAlive(owner) {
			t.Errorf("%v is said to be alive", owner)
		}
	}
}

// A process that has come between the look at all and the look at its group has
// no known session. It once stood for that of init: everything was killed.
func TestSweepSparesOthersWhenOneHasJustCome(t *testing.T) {
	machine := map[int][2]int{
		1: {0, 0}, 100: {1, 100}, 101: {100, 100}, // others
		200: {1, 200}, 201: {200, 200}, 202: {1, 200}, 203: {201, 203}, // ours
	}
	if got := process.Belonging(machine, 201, 999999); !slices.Equal(got, []int{200, 201, 202, 203}) {
		t.Errorf("of the processes, %v would be killed", got)
	}
	if got := process.Belonging(machine, 999999); len(got) > 0 {
		t.Errorf("of the processes, %v would be killed", got)
	}
}
