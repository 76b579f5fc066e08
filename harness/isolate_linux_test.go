package harness_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/process"
)

// coresOf are the lists of cores of all threads of a process, as the kernel has them.
func coresOf(t *testing.T, pid string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/" + pid + "/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	var lists []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:\t")
		list, _, _ := strings.Cut(rest, "\n")
		lists = append(lists, list)
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// While a server is measured, its threads and this process's have cores of their
// own; afterwards this process has all of its cores back, also after a pair.
func TestServerAndDriverAreIsolated(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("there is one core only")
	}
	cores := process.Cores()
	s := puma(t)
	s.Isolation = harness.Isolation{Driver: cores[len(cores)-1:], Server: cores[:1]}
	s.Window = harness.Window{Duration: time.Second}
	before := coresOf(t, "self")
	first := strconv.Itoa(cores[0])
	const marker = "gctune-test-isolation"
	finished := make(chan error)
	go func() {
		_, err := s.Run(t.Context(), harness.Trial{Marker: marker})
		finished <- err
	}()
	waitForMarker(t, marker)
	var ofServer, ofDriver []string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if pids := marked(t, marker); len(pids) > 0 {
			ofServer = coresOf(t, filepath.Base(pids[0]))
		}
		ofDriver = coresOf(t, "self")
		if len(ofServer) == 1 && ofServer[0] == first && len(ofDriver) == 1 && ofDriver[0] != before[0] {
			break
		}
	}
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ofServer, []string{first}) || slices.Equal(ofDriver, before) {
		t.Errorf("the server's threads had %v, the driver's %v", ofServer, ofDriver)
	}
	if _, _, err := s.RunPair(t.Context(), harness.Trial{}, harness.Trial{}, true); err != nil {
		t.Fatal(err)
	}
	if after := coresOf(t, "self"); !slices.Equal(after, before) {
		t.Errorf("this process had %v before, and has %v", before, after)
	}
}
