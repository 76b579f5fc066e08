package machine_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/machine"
)

// proc makes a /proc as a kernel 6.18 on two cores wrote it, at another time each.
func proc(t *testing.T, stat, pressure string, threads map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("stat", stat+`
cpu0 687344 754692 319260 439301 1681 0 3034 1926 0 0
cpu1 664728 774023 328698 428297 4300 0 5654 1990 0 0
intr 236518211 0 0
ctxt 511523871
btime 1796011234
processes 2701941
procs_running 3
procs_blocked 0
softirq 58023612 0 20117 1 1022 3 0 5 7021 0 21377
`)
	if pressure != "" {
		write("pressure/cpu", pressure)
	}
	for path, text := range threads {
		write(path, text)
	}
	return dir
}

func moment(t *testing.T, dir string) machine.Moment {
	t.Helper()
	m, err := machine.Reader{Proc: dir}.Now([]int{41, 42}, dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// In ten seconds of two cores 12 s were busy, of which 5 s were our own: 7 of 20
// are others'. 1 of 20 was stolen. The threads ran 3 s and waited 1 s.
func TestContention(t *testing.T) {
	before := moment(t, proc(t, "cpu  1352072 1528716 647959 867598 5981 0 8688 3917 0 0",
		"some avg10=50.31 avg60=30.97 avg300=14.50 total=10373682049\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		map[string]string{"41/task/41/schedstat": "5000000000 1000000000 7\n", "41/task/43/schedstat": "9000000000 0 1\n"}))
	after := moment(t, proc(t, "cpu  1352772 1528916 648159 868198 6081 50 8738 4017 600 0",
		"some avg10=50.31 avg60=30.97 avg300=14.50 total=10373682049\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		map[string]string{"41/task/41/schedstat": "7000000000 1500000000 9\n", "42/task/42/schedstat": "1000000000 500000000 2\n"}))
	want := map[string]float64{
		machine.OtherCPU: 7.0 / 20, machine.Steal: 1.0 / 20, machine.QueueWait: 1.0 / 4, machine.Pressure: 0,
	}
	got := machine.Contention(before, after, 5)
	if len(got) != len(want) {
		t.Errorf("metrics %v, want %v", got, want)
	}
	for name, value := range want {
		if math.Abs(got[name]-value) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
}

// An old kernel has no pressure, and says nothing of threads.
func TestContentionWithoutPressure(t *testing.T) {
	dir := proc(t, "cpu  1 2 3 4 5 6 7 8 9 10", "", nil)
	if got := machine.Contention(moment(t, dir), moment(t, dir), 0); len(got) != 0 {
		t.Errorf("no time passed, and metrics are %v", got)
	}
	if _, err := (machine.Reader{Proc: t.TempDir()}).Now(nil, ""); err == nil {
		t.Error("a machine without /proc/stat was read")
	}
}

// Real programs that keep every core busy must be seen, also on a machine that was
// busy before, and one of them that waits for a core too.
func TestALoadedMachineIsSeen(t *testing.T) {
	spin := func() *exec.Cmd {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	var one *exec.Cmd
	for range 2 * runtime.NumCPU() {
		one = spin()
	}
	var r machine.Reader
	before, err := r.Now([]int{one.Process.Pid}, "")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // the length of what is measured
	after, err := r.Now([]int{one.Process.Pid}, "")
	if err != nil {
		t.Fatal(err)
	}
	got := machine.Contention(before, after, 0)
	if got[machine.OtherCPU]+got[machine.Steal] < 0.8 {
		t.Errorf("every core is busy: %v", got)
	}
	// Two programs a core: each waits half of the time, or more beside others.
	if wait, known := got[machine.QueueWait]; known && wait < 0.3 {
		t.Errorf("one of two a core waited for %v of its time", wait)
	}
	if share := got[machine.Pressure]; share != 0 && share < 0.5 {
		t.Errorf("pressure %v", share)
	}
}
