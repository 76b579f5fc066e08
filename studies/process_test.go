package studies_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gctune/gctune/studies"
)

// The test binary doubles as the other process: with role set it plays that
// role on the store at the path, instead of running tests.
const role = "STUDIES_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "write":
		exit(writeForEver(os.Args[1]))
	case "claim":
		exit(claimWhenTold(os.Args[1]))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// writeForEver prints the number of each trial once it is recorded.
func writeForEver(path string) error {
	ctx := context.Background()
	s, err := studies.Open(ctx, path)
	if err != nil {
		return err
	}
	study, err := s.Study(ctx, "blog")
	if err != nil {
		return err
	}
	if _, err := s.Claim(ctx, "blog", studies.Owner{PID: os.Getpid()}, dead); err != nil {
		return err
	}
	all, err := s.Trials(ctx, study.ID)
	if err != nil {
		return err
	}
	for number := len(all); ; number++ {
		if _, err := s.Begin(ctx, study.ID, studies.Trial{Number: number}); err != nil {
			return err
		}
		outcome := studies.Outcome{State: studies.Complete, Runs: []studies.Run{{Metrics: wideMetrics(number)}}}
		if err := s.Finish(ctx, study.ID, number, outcome); err != nil {
			return err
		}
		fmt.Println(number)
	}
}

func wideMetrics(number int) map[string]float64 {
	metrics := map[string]float64{}
	for i := range 50 {
		metrics[fmt.Sprintf("m%d", i)] = float64(number)
	}
	return metrics
}

// claimWhenTold claims as soon as its standard input ends, and holds the claim
// as long as it lives.
func claimWhenTold(path string) error {
	ctx := context.Background()
	s, err := studies.Open(ctx, path)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	_, err = s.Claim(ctx, "blog", studies.Owner{PID: os.Getpid()}, alive)
	var inUse *studies.InUseError
	if errors.As(err, &inUse) {
		fmt.Println("in use")
		return nil
	}
	if err == nil {
		fmt.Println("won")
	}
	return err
}

// other is another process at work on a store.
type other struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(t *testing.T, as, path string) other {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return other{cmd, in, bufio.NewScanner(out)}
}

// line waits for the next line of the process's output.
func (o other) line(t *testing.T) string {
	t.Helper()
	if !o.out.Scan() {
		t.Fatalf("the other process ended: %v", o.out.Err())
	}
	if text := o.out.Text(); !strings.HasPrefix(text, "error:") {
		return text
	}
	t.Fatal(o.out.Text())
	return ""
}

func TestProcessesClaimAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	create(t, open(t, path), "blog")
	var others []other
	for range 4 {
		others = append(others, start(t, "claim", path))
	}
	for _, o := range others {
		o.line(t)
	}
	for _, o := range others {
		o.in.Close()
	}
	won := 0
	for _, o := range others {
		if o.line(t) == "won" {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d processes won, want 1", won)
	}
}

// A writer that is killed at any moment leaves every trial that it reported,
// at most one that was running, and a study that goes on.
func TestKilledWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	s := open(t, path)
	study := create(t, s, "blog")
	if err := s.Close(); err != nil { // so that the killed process is the last one out
		t.Fatal(err)
	}
	reported := map[int]bool{}
	for round := range 6 {
		writer := start(t, "write", path)
		for range 3 + round {
			note(t, reported, writer.line(t))
		}
		writer.Process.Kill()
		for writer.out.Scan() {
			note(t, reported, writer.out.Text())
		}
		writer.Wait()
		checkAfterKill(t, path, study.ID, reported, writer.Process.Pid)
	}
}

func note(t *testing.T, reported map[int]bool, line string) {
	t.Helper()
	number, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	reported[number] = true
}

func checkAfterKill(t *testing.T, path string, study int64, reported map[int]bool, pid int) {
	t.Helper()
	s, err := studies.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Claim(t.Context(), "blog", studies.Owner{PID: 1}, dead); err != nil {
		t.Fatal(err)
	}
	reason := fmt.Sprintf("gctune (pid %d) ended during this trial", pid)
	found, interrupted := 0, 0
	for _, trial := range trials(t, s, study) {
		whole := trial.State == studies.Complete && len(trial.Runs) == 1 && len(trial.Runs[0].Metrics) == 50
		none := trial.State == studies.Interrupted && len(trial.Runs) == 0
		if !whole && (reported[trial.Number] || !none) {
			t.Errorf("not whole: %+v", trial)
		}
		if reported[trial.Number] {
			found++
		}
		if trial.Reason == reason {
			interrupted++
		}
	}
	if found != len(reported) || interrupted > 1 {
		t.Errorf("of %d reported trials %d are there; %d were interrupted by one kill", len(reported), found, interrupted)
	}
}
