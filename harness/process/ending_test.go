//go:build linux

package process_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/process"
)

// hardToEnd are Ruby programs that do not want to end, and how many processes
// announce themselves in each.
var hardToEnd = []struct {
	name   string
	pids   int
	script string
}{
	{"ignores the signal", 1, `announce; sleep`},
	{"forks", 4, `announce; 3.times { fork { announce; sleep } }; sleep`},
	{"changes its title", 2, `fork { Process.setproctitle("x" * 3000); announce; sleep }; $0 = "y"; announce; sleep`},
	{"daemonises below", 2, `fork { Process.setsid; fork { announce; sleep }; exit! }; announce; sleep`},
	{"daemonises and leaves", 1, `fork { Process.setsid; fork { Process.setproctitle("x" * 3000); announce; sleep }; exit! }; exit!`},
	{"daemonises without a trace", 1, `fork { Process.setsid; fork { announce; exec({}, "/bin/sleep", "100", unsetenv_others: true, in: "/dev/null") }; exit! }; exit!`},
	{"leaves zombies", 3, `2.times { fork { announce; exit! } }; announce; sleep`},
}

// announce begins these programs. None may outlive a test that is interrupted for
// long, so the endless sleep is not.
const announce = `$stdout.sync = true; trap("TERM", "IGNORE")
def announce; print "pid #{$$}\n"; end
def sleep(seconds = 100); super; end
`

func TestStopEndsEveryProcess(t *testing.T) {
	for _, c := range hardToEnd {
		t.Run(c.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, spec process.Spec) {
				spec.Grace = 50 * time.Millisecond
				tree := start(t, spec, ruby(t), "--disable=gems", "-e", announce+c.script)
				pids := announced(t, tree, c.pids)
				group := tree.Cgroup()
				stop(t, tree)
				for _, pid := range pids {
					if exists(pid) {
						t.Errorf("process %d is left", pid)
					}
				}
				if _, err := os.Stat(group); group != "" && !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the control group is left: %v", err)
				}
				if left := pidsOf(t, tree); len(left) > 0 {
					t.Errorf("Processes returns %v after the end", left)
				}
			})
		})
	}
}

// A tree whose only process forks its successor and ends cannot be ended by
// killing those seen once.
func TestStopCatchesAMovingTarget(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		spec.Grace = -1
		trail := filepath.Join(t.TempDir(), "trail")
		name := "moving" + strconv.FormatInt(time.Now().UnixNano(), 10)
		tree := start(t, spec, ruby(t), "--disable=gems", "-e", announce+
			`2000.times { File.write(ARGV[0], ".", mode: "a"); sleep 0.002; exit! if fork; Process.setsid }`, trail, name)
		await(t, "ten generations", func() bool {
			text, _ := os.ReadFile(trail)
			return len(text) >= 10
		})
		stop(t, tree)
		if found, _ := exec.Command("pgrep", "-f", name).Output(); len(found) > 0 {
			t.Errorf("left after Stop: %s", found)
		}
	})
}

func TestProcessesIncludesTheDaemonised(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		tree := start(t, spec, ruby(t), "--disable=gems", "-e", announce+
			`fork { Process.setsid; fork { announce; sleep }; exit! }; fork { announce; sleep }; announce; sleep`)
		pids := announced(t, tree, 3)
		await(t, "the daemon's parent is reaped", func() bool { return len(pidsOf(t, tree)) == 3 })
		list, err := tree.Processes()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if !slices.Contains(pids, p.PID) || !process.Alive(p.PID, p.StartTime) || process.Alive(p.PID, p.StartTime+1) {
				t.Errorf("unexpected process %v", p)
			}
			if !strings.Contains(p.Exe, "ruby") || p.Comm == "" || p.Cmdline[0] != ruby(t) {
				t.Errorf("badly described: %+v", p)
			}
		}
		if list[0].PID != tree.Leader().PID {
			t.Errorf("the first process is %v, not the leader", list[0])
		}
	})
}

func TestStopIsGentleFirst(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		spec.StopSignal = syscall.SIGQUIT
		tree := start(t, spec, "sh", "-c", `trap 'echo bye; exit 7' QUIT; echo pid $$; while :; do sleep 0.01; done`)
		announced(t, tree, 1)
		stop(t, tree)
		stop(t, tree)
		if err := tree.Kill(); err != nil {
			t.Fatal(err)
		}
		var status *process.ExitStatus
		if err := tree.ExitError(); !errors.As(err, &status) || status.Code != 7 || err.Error() != "exit status 7" {
			t.Errorf("ended with %v", tree.ExitError())
		}
		if got := tree.Tail(1); !slices.Equal(got, []string{"bye"}) {
			t.Errorf("last line %q", got)
		}
	})
}

// A program that forgets its end until the next signal is reminded of it, and
// not by the stop signal, which may mean something else when it comes twice. One
// that does not know the reminder is spared it.
func TestStopNudges(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"forgetful": {`trap 'asked=$((asked + 1))' TERM; trap '[ -z "$asked" ] || { echo asked $asked; exit; }' PWR`, "asked 1"},
		"unknowing": {`trap 'echo asked; sleep 1; echo bye; exit' TERM`, "bye"},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, spec process.Spec) {
				spec.Nudge, spec.Grace = syscall.SIGPWR, 20*time.Second
				tree := start(t, spec, "sh", "-c", test.script+`; echo pid $$; while :; do sleep 0.01; done`)
				announced(t, tree, 1)
				stop(t, tree)
				if err := tree.ExitError(); err != nil || !slices.Equal(tree.Tail(1), []string{test.want}) {
					t.Errorf("ended with %v, last line %q", err, tree.Tail(1))
				}
			})
		})
	}
}

// A build of Ruby 1.8.7 with the MBARI patches, whose path the environment gives,
// loses a signal that arrives in the handler of another with a higher number.
func TestStopNudges187(t *testing.T) {
	path := os.Getenv("GCTUNE_TEST_RUBY187_MBARI")
	if path == "" {
		t.Skip("GCTUNE_TEST_RUBY187_MBARI names no build")
	}
	const script = `$stdout.sync = true
trap("TERM") { puts "bye"; exit! }
trap("PWR") { asked = $asked; $asked = true; asked or Process.kill("TERM", $$) }
puts "pid #{$$}"; Process.kill("PWR", $$); sleep 0.2 while true`
	bothWays(t, func(t *testing.T, spec process.Spec) {
		spec.Nudge, spec.StopSignal, spec.Grace = syscall.SIGPWR, syscall.SIGCONT, 20*time.Second
		tree := start(t, spec, path, "-e", script)
		announced(t, tree, 1)
		stop(t, tree)
		if got := tree.Tail(1); !slices.Equal(got, []string{"bye"}) {
			t.Errorf("ended with %v, last line %q", tree.ExitError(), got)
		}
	})
}

// A wrapper that does not pass the signal on leaves the server behind, which
// gets the signal then, and time to obey.
func TestStopPassesTheSignalToOrphans(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		tree := start(t, spec, "sh", "-c",
			`sh -c 'trap "echo bye; exit" TERM; echo pid $$; while :; do sleep 0.01; done'; :`)
		announced(t, tree, 1)
		stop(t, tree)
		if got := tree.Tail(1); !slices.Equal(got, []string{"bye"}) {
			t.Errorf("last line %q", got)
		}
	})
}

func TestKillAndContextCutTheGraceShort(t *testing.T) {
	for name, hurry := range map[string]func(*process.Tree, context.CancelFunc){
		"kill":    func(tree *process.Tree, _ context.CancelFunc) { _ = tree.Kill() },
		"context": func(_ *process.Tree, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := start(t, process.Spec{Grace: time.Hour}, "sh", "-c", `trap : TERM; echo pid $$; while :; do sleep 0.01; done`)
			announced(t, tree, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stopped := make(chan error, 1)
			go func() { stopped <- tree.Stop(ctx) }()
			hurry(tree, cancel)
			select {
			case err := <-stopped:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("Stop went on waiting for the grace")
			}
			if err := tree.ExitError(); err == nil || err.Error() != "killed by SIGKILL" {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// The tree's orphans are waited for, the children of others are not.
func TestReapingStealsNothing(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		start(t, spec, "sh", "-c", `for i in $(seq 100); do (setsid sh -c 'sleep 0 & sleep 0 &' &); done; sleep 100`)
		for i := range 60 {
			command := exec.Command("sh", "-c", "exit 3")
			command.SysProcAttr = &syscall.SysProcAttr{Setsid: i%2 == 0}
			var exit *exec.ExitError
			if err := command.Run(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
				t.Fatalf("command %d: %v", i, err)
			}
		}
	})
}

func TestExitInWords(t *testing.T) {
	for command, words := range map[string]string{
		"exit 3":                     "exit status 3",
		"ulimit -c 0; kill -ABRT $$": "killed by SIGABRT",
		"kill -KILL $$":              "killed by SIGKILL",
		"exit 137":                   "exit status 137",
	} {
		tree := start(t, process.Spec{}, "sh", "-c", command)
		waitDone(t, tree)
		if err := tree.ExitError(); err == nil || err.Error() != words {
			t.Errorf("%s: %v", command, err)
		}
	}
	tree := start(t, process.Spec{}, "true")
	waitDone(t, tree)
	if err := tree.ExitError(); err != nil {
		t.Errorf("true: %v", err)
	}
}
