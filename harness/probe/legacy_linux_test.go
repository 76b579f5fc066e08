package probe_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// Builds of Ruby 1.8.7, whose paths the environment gives, report what they
// have from a server under load, and nothing that they have not.
func TestServersOf187(t *testing.T) {
	for _, c := range []struct {
		which   string
		metrics []string
	}{
		{"STOCK", nil},
		{"MBARI", nil},
		{"RAILSBENCH", []string{"gc_count", "gc_time_seconds"}},
	} {
		t.Run(c.which, func(t *testing.T) {
			path := os.Getenv("GCTUNE_TEST_RUBY187_" + c.which)
			if path == "" {
				t.Skip("GCTUNE_TEST_RUBY187_" + c.which + " names no build")
			}
			m := loaded(t, path)
			if got := slices.Sorted(maps.Keys(m)); !slices.Equal(got, c.metrics) {
				t.Errorf("metrics %v, want %v", got, c.metrics)
			}
			if seconds, counted := m["gc_time_seconds"], m["gc_count"]; c.metrics != nil && (counted < 10 || seconds <= 0 || seconds/counted > 0.1) {
				t.Errorf("implausible under load: %v", m)
			}
		})
	}
}

// loaded measures 200 requests of a WEBrick server.
func loaded(t *testing.T, path string) map[string]float64 {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	script := strings.Replace(webrick, "2000.times", "20000.times", 1)
	if err := os.WriteFile(filepath.Join(dir, "webrick.rb"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := probed(t, dir, path, "webrick.rb")
	cmd.Dir, cmd.Env = dir, append(cmd.Env, "PORT="+port)
	launch(t, cmd)
	pid := cmd.Process.Pid
	answering(t, pid, port, 0)
	before := read(t, dir, pid)
	for range 200 {
		get(t, port)
	}
	after := read(t, dir, pid)
	d, err := probe.Between(before, after)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(after.Description, "1.8.7") || after.Environment["RUBY_GC_HEAP_FREE_SLOTS"] != "5000" {
		t.Errorf("%+v", after)
	}
	finish(t, cmd, syscall.SIGTERM)
	return probe.Metrics([]probe.Delta{d})
}
