package harness_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/load"
)

// Every server that people run is measured, and all that is promised is there.
func TestServersAreMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		command   []string
		processes float64
	}{
		"puma single":  {[]string{"puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "config.ru"}, 1},
		"puma cluster": {[]string{"puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "-w", "2", "--preload", "config.ru"}, 3},
		"unicorn":      {[]string{"unicorn", "-l", "127.0.0.1:{port}", "-c", "unicorn.rb", "config.ru"}, 3},
		"webrick":      {[]string{"{ruby}", "webrick.rb", "{port}"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := measure(t, server(t, c.command...), map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "100000"})
			wantState(t, got, harness.Complete)
			for _, metric := range []string{
				"requests_per_second", "requests_per_cpu_second", "cpu_seconds_per_request", "window_seconds",
				"latency_p50_seconds", "latency_p99_seconds", "memory_pss_peak_bytes", "memory_pss_p95_bytes", "memory_pss_mean_bytes",
				"memory_rss_peak_bytes", "gc_time_seconds", "heap_slots", "driver_cpu_seconds", "start_seconds",
			} {
				if !(got.Metrics[metric] > 0) {
					t.Errorf("%s is %v", metric, got.Metrics[metric])
				}
			}
			if got.Metrics["requests"] != 200 || got.Metrics["error_share"] != 0 || got.Metrics["processes"] != c.processes {
				t.Errorf("requests %v, errors %v, processes %v", got.Metrics["requests"], got.Metrics["error_share"], got.Metrics["processes"])
			}
			if c.processes > 1 && got.Metrics["memory_pss_peak_bytes"] >= 0.9*got.Metrics["memory_rss_peak_bytes"] {
				t.Errorf("forked workers share pages: PSS %v must be well below RSS %v",
					got.Metrics["memory_pss_peak_bytes"], got.Metrics["memory_rss_peak_bytes"])
			}
		})
	}
}

// A larger heap must show: fewer collections, more memory.
func TestASettingActs(t *testing.T) {
	small := measure(t, puma(t), nil)
	large := measure(t, puma(t), map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "1000000"})
	wantState(t, small, harness.Complete)
	wantState(t, large, harness.Complete)
	if large.Metrics["gc_count"] >= small.Metrics["gc_count"] {
		t.Errorf("collections: %v with a million slots, %v with the defaults", large.Metrics["gc_count"], small.Metrics["gc_count"])
	}
	if more := large.Metrics["memory_pss_peak_bytes"] - small.Metrics["memory_pss_peak_bytes"]; more < 20e6 {
		t.Errorf("a million slots of 40 bytes took only %v bytes more", more)
	}
}

func TestTwinsAreMeasuredTogether(t *testing.T) {
	trial := harness.Trial{Setting: map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "1000000"}}
	setting, baseline, err := puma(t).RunPair(t.Context(), trial, harness.Trial{}, true)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, setting, harness.Complete)
	wantState(t, baseline, harness.Complete)
	if setting.Metrics["requests"] != 200 || baseline.Metrics["requests"] != 200 {
		t.Errorf("requests: %v and %v", setting.Metrics["requests"], baseline.Metrics["requests"])
	}
	if setting.Metrics["gc_count"] >= baseline.Metrics["gc_count"] {
		t.Errorf("the results are swapped: %v collections with a million slots, %v without", setting.Metrics["gc_count"], baseline.Metrics["gc_count"])
	}
}

// What is put off is warmed up for that much longer, on both sides.
func TestPairsBeginAtAPhase(t *testing.T) {
	trial := harness.Trial{Phase: 0.75}
	setting, baseline, err := puma(t).RunPair(t.Context(), trial, trial, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []harness.Result{setting, baseline} {
		wantState(t, side, harness.Complete)
		if m := side.Metrics; m["warmup_requests"] != 40+75 || m["requests"] != 200 {
			t.Errorf("after a warm-up of 40 requests, and three quarters of half a window of 200: %v and %v", m["warmup_requests"], m["requests"])
		}
	}
}

// A large heap is warmed up until each of its slots has been used once: a page makes
// 3,000 strings from as many numbers, and so uses 6,000 or 7,000 of a million.
func TestALargeHeapIsUsedOnceBeforeItIsMeasured(t *testing.T) {
	s := puma(t)
	s.Warmup = 0
	got := measure(t, s, map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "1000000"})
	wantState(t, got, harness.Complete)
	if w := got.Metrics["warmup_requests"]; w < 1e6/7000 || w > 480 {
		t.Errorf("a warm-up of %v requests", w)
	}
}

func TestServersThatDoNotWork(t *testing.T) {
	setting := map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "100000"}
	quick := func(s *harness.Server, path string) *harness.Server {
		s.ReadyTimeout = 2 * time.Second
		s.Plan.Requests = []load.Request{{Method: "GET", Path: path}}
		return s
	}
	shell := func(script string) *harness.Server { return quick(server(t, "sh", "-c", script), "/page") }
	for name, c := range map[string]struct {
		server  *harness.Server
		setting map[string]string
		state   harness.State
		reason  []string
	}{
		"no such program":   {quick(server(t, "no-such-program"), "/page"), nil, harness.Failed, []string{"no-such-program", "PATH"}},
		"not executable":    {quick(server(t, "./unicorn.rb"), "/page"), nil, harness.Failed, []string{"not executable"}},
		"exits at once":     {shell("echo no database; exit 3"), nil, harness.Failed, []string{"exited with status 3 before it was ready", "no database"}},
		"with a setting":    {shell("echo no database; exit 3"), setting, harness.Infeasible, []string{"exited with status 3"}},
		"never ready":       {shell("echo waiting for godot; sleep 60"), nil, harness.Failed, []string{"not ready within 2s", "waiting for godot"}},
		"another Ruby":      {shell("exec python3 -m http.server --bind 127.0.0.1 $PORT"), nil, harness.Failed, []string{"none of the program's processes runs"}},
		"drops the setting": {shell("exec env -i PATH=$PATH ruby webrick.rb $PORT"), setting, harness.Void, []string{"RUBY_GC_HEAP_INIT_SLOTS was lost on the way"}},
		"changes it":        {shell("RUBY_GC_HEAP_INIT_SLOTS=7000 exec env RUBY_GC_HEAP_INIT_SLOTS=70000 ruby webrick.rb $PORT"), setting, harness.Void, []string{`arrived as "70000"`}},
		"sets its own":      {shell("export RUBY_GC_HEAP_FREE_SLOTS=9000; exec ruby webrick.rb $PORT"), nil, harness.Void, []string{"RUBY_GC_HEAP_FREE_SLOTS=9000 is set"}},
		"a missing page":    {quick(puma(t), "/nowhere"), nil, harness.Failed, []string{"GET /nowhere", "404"}},
		"a failing page":    {quick(puma(t), "/broken"), nil, harness.Failed, []string{"GET /broken", "500"}},
		"a redirect":        {quick(puma(t), "/moved"), nil, harness.Failed, []string{"GET /moved", "301", "/login"}},
		"only wrong ones":   {quick(puma(t), "/broken"), setting, harness.Infeasible, []string{"no answer was the expected one", "500"}},
		"dies under load":   {quick(puma(t), "/die"), setting, harness.Infeasible, []string{"killed by SIGKILL"}},
		"an ignored value":  {quick(puma(t), "/page"), map[string]string{"RUBY_GC_HEAP_GROWTH_FACTOR": "0.07"}, harness.Infeasible, []string{"RUBY_GC_HEAP_GROWTH_FACTOR=0.07", "greater than 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.server.Variables = map[string]string{"PORT": "{port}"}
			if c.reason[0] == "none of the program's processes runs" {
				c.server.Ready.Path = "/config.ru"
			}
			wantState(t, measure(t, c.server, c.setting), c.state, c.reason...)
		})
	}
}

func TestAnInterruptedRunLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	s := puma(t)
	s.Window = harness.Window{Duration: time.Hour}
	s.Warmup = 10
	finished := make(chan error)
	go func() {
		_, err := s.Run(ctx, harness.Trial{Marker: "gctune-test-interrupt"})
		finished <- err
	}()
	waitForMarker(t, "gctune-test-interrupt")
	cancel(why)
	if err := <-finished; !errors.Is(err, why) {
		t.Errorf("got %v, want the cause", err)
	}
	if left := marked(t, "gctune-test-interrupt"); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// A pair that fails says which of the two it was.
func TestTwinsThatDoNotWorkAreToldApart(t *testing.T) {
	s := server(t, "sh", "-c", `[ -z "$RUBY_GC_HEAP_INIT_SLOTS" ] || exit 3; exec ruby webrick.rb $PORT`)
	s.Variables = map[string]string{"PORT": "{port}"}
	trial := harness.Trial{Setting: map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "100000"}}
	for _, baselineFirst := range []bool{true, false} {
		setting, baseline, err := s.RunPair(t.Context(), trial, harness.Trial{}, baselineFirst)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, setting, harness.Infeasible, "exited with status 3")
		if baseline.State != "" {
			t.Errorf("the baseline is not at fault, and has state %s: %s", baseline.State, baseline.Reason)
		}
	}
}

// Two servers at once have half of the memory each. What needs more says so, and
// works alone: at its start, where it allocates, and also when it grows later.
func TestTwinsThatLackMemorySaySo(t *testing.T) {
	slots := harness.Trial{Setting: map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "5000000"}} // 200 MB
	s := puma(t)
	s.MemoryCeiling = 360e6
	setting, baseline, err := s.RunPair(t.Context(), slots, harness.Trial{}, false)
	if err != nil || setting.State != harness.Infeasible || !setting.LackedMemory || baseline.LackedMemory {
		t.Errorf("%+v, %+v, %v", setting, baseline, err)
	}
	wantState(t, measure(t, s, slots.Setting), harness.Complete)

	grows := server(t, "sh", "-c", `[ -z "$RUBY_GC_HEAP_FREE_SLOTS" ] || export RUBYOPT="$RUBYOPT -r$PWD/grow.rb"; exec ruby webrick.rb $PORT`)
	grows.Dir = t.TempDir()
	if err := os.CopyFS(grows.Dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(grows.Dir, "grow.rb"), []byte(`$kept = "x" * 200_000_000`), 0o644); err != nil {
		t.Fatal(err)
	}
	grows.Variables = map[string]string{"PORT": "{port}"}
	grows.MemoryCeiling = 360e6
	trial := harness.Trial{Setting: map[string]string{"RUBY_GC_HEAP_FREE_SLOTS": "10000"}}
	setting, _, err = grows.RunPair(t.Context(), trial, harness.Trial{}, true)
	if err != nil || !setting.LackedMemory || !strings.Contains(setting.Reason, "memory") {
		t.Errorf("%+v, %v", setting, err)
	}
}

// A program that drops RUBYOPT has no probe: it is measured all the same, is not
// hurt by the probe's signal, and the missing counts are said.
func TestServersWithoutTheProbeAreMeasured(t *testing.T) {
	got := measure(t, server(t, "env", "-u", "RUBYOPT", "puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "config.ru"), nil)
	wantState(t, got, harness.Complete)
	if _, counted := got.Metrics["gc_count"]; counted || got.Metrics["requests_per_cpu_second"] == 0 {
		t.Errorf("metrics: %v", got.Metrics)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "no process answered the probe") {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

// A server that goes silent must not hold a study up until every request has timed
// out; what it last printed is in the reason.
func TestAServerThatStopsAnsweringIsGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("patience takes a minute")
	}
	t.Parallel()
	s := server(t, "{ruby}", "-rsocket", "-e", `
s = TCPServer.new("127.0.0.1", ARGV[0].to_i); n = 0; $stderr.puts "up"
loop { Thread.new(s.accept) { |c| while c.gets; next unless $_ == "\r\n"; sleep if (n += 1) > 60; c.write "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"; end } }`, "{port}")
	s.Plan.Timeout = time.Second
	s.Window = harness.Window{Requests: 5000}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	got, err := s.Run(ctx, harness.Trial{Setting: map[string]string{"RUBY_GC_HEAP_FREE_SLOTS": "10000"}})
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, got, harness.Infeasible, "stopped answering")
}
