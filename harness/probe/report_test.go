package probe_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

const sample = `pid 41
ruby ruby 2.1.5p273 [x86_64-linux]
clock profiler
gc_time_seconds 0.25
gc_count 12
stat.minor_gc_count 9
stat.major_gc_count 3
stat.heap_live_slot 1000
stat.heap_free_slot 200
stat.heap_final_slot 4
stat.heap_used 3
stat.total_allocated_object 50000
stat.oldmalloc_limit 16777216
heap.1.heap_eden_slots 7
info.major_by nofree
env.RUBY_GC_HEAP_INIT_SLOTS a%0Ab%2525
end 1
`

func TestParse(t *testing.T) {
	r, err := probe.Parse(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	if r.PID != 41 || r.Count != 12 || r.Minor != 9 || r.Major != 3 || r.Seconds != 0.25 || !r.HasTime() {
		t.Errorf("counters: %+v", r)
	}
	// gc.c of 2.1, objspace_free_slot: slots - (live - final) are free.
	if r.LiveSlots != 1000 || r.Slots != 1196 || r.Heaps[1]["heap_eden_slots"] != 7 {
		t.Errorf("slots: %+v", r)
	}
	for name, want := range map[string]float64{
		"heap_available_slots": 1196, "heap_allocated_pages": 3, "total_allocated_objects": 50000, "oldmalloc_increase_bytes_limit": 16777216,
	} {
		if r.Stat[name] != want {
			t.Errorf("%s is %v, want %v", name, r.Stat[name], want)
		}
	}
	if _, both := r.Stat["heap_used"]; both {
		t.Error("a name of 2.1 is left beside that of later ones")
	}
	if r.Info["major_by"] != "nofree" || r.Environment["RUBY_GC_HEAP_INIT_SLOTS"] != "a\nb%25" {
		t.Errorf("texts: %+v", r)
	}
	cut := strings.TrimSuffix(sample, "end 1\n")
	if _, err := probe.Parse(strings.NewReader(cut)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a report cut short: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("pid -1\nend 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := probe.Parse(strings.NewReader(text)); err == nil && r.PID <= 0 {
			t.Errorf("accepted without a process: %+v", r)
		}
	})
}

func TestBetween(t *testing.T) {
	before := probe.Report{PID: 1, Counted: true, Generational: true, Clock: "total_time", Count: 10, Minor: 8, Major: 2, Seconds: 1, Stat: map[string]float64{"total_allocated_objects": 100}}
	after := probe.Report{PID: 1, Counted: true, Generational: true, Clock: "total_time", Count: 15, Minor: 12, Major: 3, Seconds: 1.5, LiveSlots: 7, Slots: 9, Stat: map[string]float64{"total_allocated_objects": 160}}
	d, err := probe.Between(before, after)
	want := probe.Delta{Counted: true, Generational: true, Count: 5, Minor: 4, Major: 1, Seconds: 0.5, HasTime: true, Allocated: 60, LiveSlots: 7, Slots: 9}
	if err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("%+v, %v; want %+v", d, err, want)
	}
	if m := probe.Metrics([]probe.Delta{d, d}); m["gc_count"] != 10 || m["gc_time_seconds"] != 1 || m["heap_slots"] != 18 {
		t.Errorf("metrics of two workers: %v", m)
	}
	clockless, uncounted := probe.Delta{Counted: true, Count: 1}, probe.Delta{HasTime: true, Seconds: 1}
	if m := probe.Metrics([]probe.Delta{d, clockless}); m["gc_count"] != 6 || hasKey(m, "gc_time_seconds") || hasKey(m, "gc_minor_count") {
		t.Errorf("metrics with a worker that has no clock: %v", m)
	}
	if m := probe.Metrics([]probe.Delta{uncounted}); len(m) != 1 || m["gc_time_seconds"] != 1 {
		t.Errorf("metrics of a worker that only has a clock: %v", m)
	}
	if _, err := probe.Between(after, before); !errors.Is(err, probe.ErrRestarted) {
		t.Errorf("counters going backwards: %v", err)
	}
	after.PID = 2
	if _, err := probe.Between(before, after); !errors.Is(err, probe.ErrRestarted) {
		t.Errorf("two processes: %v", err)
	}
}

func hasKey(m map[string]float64, key string) bool {
	_, ok := m[key]
	return ok
}

func TestInstallAndEnv(t *testing.T) {
	blank := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(blank, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := probe.Install(blank); !errors.Is(err, probe.ErrBlankInPath) {
		t.Errorf("a directory with a blank: %v", err)
	}
	env, err := probe.Env("/x", "-W0 -rbundler/setup")
	if want := "RUBYOPT=-W0 -rbundler/setup -r/x/gctune_probe.rb GCTUNE_PROBE_DIR=/x"; err != nil || strings.Join(env, " ") != want {
		t.Errorf("%q, %v; want %q", env, err, want)
	}
}
