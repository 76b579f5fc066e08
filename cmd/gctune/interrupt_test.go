package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// start runs a study in the background until a server is up.
func (s study) start(args ...string) (*exec.Cmd, *lockedBuffer) {
	s.t.Helper()
	cmd, stderr := s.command(args...), &lockedBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, "a trial", func() bool { return len(s.trialsNow()) > 0 && len(s.left()) > 0 })
	return cmd, stderr
}

// trialsNow is what the store has while the study runs; nothing before there is
// a store.
func (s study) trialsNow() string {
	out, _ := s.command("trials", "--format", "json").Output()
	return string(out)
}

func exitStatus(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

func TestFirstInterruptStopsCleanly(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			s := newStudy(t, strings.Replace(server(pumaSingle), "measure: 100", "measure: 1h", 1))
			cmd, stderr := s.start("optimize", "--budget", "3")
			began := time.Now()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if status := exitStatus(t, cmd.Wait()); status != 130 {
				t.Errorf("exit status %d, want 130\n%s", status, stderr)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %s, longer than the grace of 5s allows", took)
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left running: %v", left)
			}
			if !strings.Contains(stderr.String(), "to go on: ") || !strings.Contains(stderr.String(), "optimize --budget 3") {
				t.Errorf("the resuming command is not printed:\n%s", stderr)
			}
			if trials := s.trials(); len(trials) != 1 || trials[0].State != "interrupted" {
				t.Errorf("trials: %+v", trials)
			}
		})
	}
}

// A server that ignores the signal to stop is waited for once, not twice.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	stubborn := strings.Replace(server(`sh, -c, "trap '' TERM; ruby webrick.rb {port} & wait; sleep 600"`), "grace: 5s", "grace: 10m", 1)
	s := newStudy(t, strings.Replace(stubborn, "measure: 100", "measure: 1h", 1))
	cmd, stderr := s.start("optimize", "--budget", "3")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the answer to the first interrupt", func() bool { return strings.Contains(stderr.String(), "once more") })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if status := exitStatus(t, cmd.Wait()); status != 130 {
		t.Errorf("exit status %d, want 130\n%s", status, stderr)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// An interrupted replay, and one that is killed, has lost no pair but the one under
// way: the same command goes on. Until it is at its end nobody is told of it.
func TestInterruptedReplaysGoOn(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			s := newStudy(t, server(`ruby, webrick.rb, "{port}"`))
			s.output("optimize", "--budget", "2", "--no-confirm", "--seed", "1")
			args := []string{"replay", "--trial", "1", "--pairs", "4", "--format", "json"}
			cmd, stderr := s.command(args...), &lockedBuffer{}
			cmd.Stderr = stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the second pair", func() bool { return strings.Contains(stderr.String(), "pair 2 of at most 4") })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if signal == syscall.SIGINT && (exitStatus(t, err) != 130 || !strings.Contains(stderr.String(), "2 pairs are kept; the same command goes on with them")) {
				t.Errorf("%v\n%s", err, stderr)
			}
			if shown := s.output("pareto"); strings.Contains(shown, "replayed") {
				t.Errorf("told of a replay that is not over:\n%s", shown)
			}
			cmd, again := s.command(args...), &lockedBuffer{}
			cmd.Stderr = again
			printed, err := cmd.Output()
			if err != nil || !strings.Contains(string(printed), `"pairs":4`) {
				t.Fatalf("%v: %s\n%s", err, printed, again)
			}
			if told := again.String(); !strings.Contains(told, "going on with 2 pairs of an interrupted replay") || strings.Contains(told, "pair 2 of") {
				t.Errorf("told\n%s", told)
			}
			if shown := s.output("pareto"); strings.Count(shown, "replayed    trial 1:") != 1 || len(s.replays()) != 1 {
				t.Errorf("%d replays\n%s", len(s.replays()), shown)
			}
		})
	}
}

// An interrupted comparison shows the rounds that it has finished.
func TestInterruptedComparison(t *testing.T) {
	for _, format := range []string{"json", "table"} {
		t.Run(format, func(t *testing.T) {
			s := newStudy(t, strings.Replace(server(`ruby, webrick.rb, "{port}"`), "measure: 100", "measure: 20", 1)+`compare:
  variants: [{name: one, ruby: ruby}, {name: two, ruby: ruby}]
`)
			cmd, stderr, stdout := s.command("compare", "--rounds", "1000", "--format", format), &lockedBuffer{}, &lockedBuffer{}
			cmd.Stderr, cmd.Stdout = stderr, stdout
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the second round", func() bool { return strings.Contains(stderr.String(), "round 2 of 1000") })
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if status := exitStatus(t, cmd.Wait()); status != 130 {
				t.Errorf("exit status %d, want 130", status)
			}
			want := map[string]string{"json": `"interrupted":true`, "table": "partial: 1 of 1000 rounds were finished"}[format]
			if out := stdout.String(); !strings.Contains(out, want) && !strings.Contains(out, strings.Replace(want, "1 of", "2 of", 1)) {
				t.Errorf("printed %s\n%s", out, stderr)
			}
			if !strings.Contains(stderr.String(), "interrupted: ") || len(s.left()) > 0 {
				t.Errorf("left %v\n%s", s.left(), stderr)
			}
		})
	}
}

// lockedBuffer can be read while a program writes to it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
