package harness_test

import (
	"path/filepath"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/load"
)

func measureAsNeeded(t *testing.T, s *harness.Server, l harness.Lengths) harness.Result {
	t.Helper()
	s.Warmup = 0 // until it is steady
	result, err := s.Run(t.Context(), harness.Trial{Lengths: &l, OutputPath: filepath.Join(t.TempDir(), "output.log")})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func served(r harness.Result) float64 { return r.Metrics["warmup_requests"] + r.Metrics["requests"] }

func wantEnd(t *testing.T, r harness.Result, end float64) {
	t.Helper()
	wantState(t, r, harness.Complete)
	if got, known := r.Metrics["window_end"]; !known || got != end {
		t.Errorf("window_end is %v, want %v; metrics %v", got, end, r.Metrics)
	}
}

// A window whose figures are known well enough ends, but not before the number of
// requests over which memory is compared.
func TestWindowsEndWhenPrecise(t *testing.T) {
	got := measureAsNeeded(t, puma(t), harness.Lengths{Least: 1200, Most: 4000, Error: 0.5})
	wantEnd(t, got, harness.EndedPrecise)
	m := got.Metrics
	if n := served(got); n < 1200 || n > 3000 || m["memory_requests"] < 1200 || m["memory_requests"] > n { // 1200, unless the machine is restless
		t.Errorf("%v requests, memory over %v, want 1200", n, m["memory_requests"])
	}
	if e := m["throughput_error"]; !(e > 0 && e <= 0.5) {
		t.Errorf("standard error %v", e)
	}
	if m["saved_seconds"] <= 0 || m["error_share"] != 0 {
		t.Errorf("saved %v s, errors %v", m["saved_seconds"], m["error_share"])
	}
	// The window's own figures, made of its chunks.
	if perRequest := m["latency_mean_seconds"] * m["requests"]; perRequest > m["window_seconds"] || perRequest < m["window_seconds"]/2 {
		t.Errorf("%v s of requests in a window of %v s", perRequest, m["window_seconds"])
	}
	if share, known := m["other_cpu_share"]; !known || share < 0 || share > 1 {
		t.Errorf("other programs had %v of the machine", share)
	}
	if m["gc_time_share"] <= 0 || m["gc_time_share"] >= 1 || m["latency_p99_seconds"] < m["latency_p50_seconds"] {
		t.Errorf("metrics %v", m)
	}
}

func TestWindowsEndAtTheirBound(t *testing.T) {
	got := measureAsNeeded(t, puma(t), harness.Lengths{Least: 600, Most: 1500})
	wantEnd(t, got, harness.EndedAtBound)
	if requests := got.Metrics["requests"]; requests < 1500 || got.Metrics["memory_requests"] < 600 || got.Metrics["memory_requests"] >= requests {
		t.Errorf("%v requests, memory over %v", requests, got.Metrics["memory_requests"])
	}
}

// A slow setting is not waited for until it has had as many requests as others.
func TestWindowsEndAfterTheirTime(t *testing.T) {
	got := measureAsNeeded(t, puma(t), harness.Lengths{Least: 600, Most: 1_000_000, MostSeconds: 1.5})
	wantEnd(t, got, harness.EndedAtBound)
	if m := got.Metrics; m["window_seconds"] < 1 || m["window_seconds"] > 10 || served(got) < 600 {
		t.Errorf("a window of %v s, %v requests", m["window_seconds"], served(got))
	}
}

// A beaten setting is let go at once, and its figures say over how little they are.
func TestWindowsEndWhenBeaten(t *testing.T) {
	asked := 0
	var seen map[string]float64
	got := measureAsNeeded(t, puma(t), harness.Lengths{Least: 8000, Most: 9000, Error: 0.5, Beaten: func(m map[string]float64) bool {
		asked, seen = asked+1, m
		return asked == 2
	}})
	wantEnd(t, got, harness.EndedBeaten)
	if asked != 2 || served(got) >= 7000 || got.Metrics["memory_requests"] != served(got) {
		t.Errorf("asked %d times, %v requests, memory over %v", asked, served(got), got.Metrics["memory_requests"])
	}
	for _, name := range []string{"requests_per_cpu_second", "gc_time_share", "throughput_error", "memory_pss_peak_bytes", "memory_rss_peak_bytes"} {
		if !(seen[name] > 0) {
			t.Errorf("the judge was not told %s: %v", name, seen)
		}
	}
	if peak := got.Metrics["memory_pss_peak_bytes"]; seen["memory_pss_peak_bytes"] > 1.02*peak {
		t.Errorf("the judge was told a peak of %v, which is %v", seen["memory_pss_peak_bytes"], peak)
	}
}

// The first sixty requests cost several times as much: they must not be counted. How
// many are left out beyond them is a matter of chance, but never more than half.
func TestTheWindowBeginsAfterTheChange(t *testing.T) {
	s := puma(t)
	s.Plan.Requests = []load.Request{{Method: "GET", Path: "/cold"}}
	got := measureAsNeeded(t, s, harness.Lengths{Least: 1500, Most: 2000, Error: 0.5})
	wantState(t, got, harness.Complete)
	if w, half := got.Metrics["warmup_requests"], served(got)/2; w < 50 || w > half+200 { // the checks before have had some; and a chunk
		t.Errorf("warm-up of %v requests of %v", w, 2*half)
	}
}

// A warm-up that is given is neither more nor less.
func TestAGivenWarmUpIsKept(t *testing.T) {
	s := puma(t)
	s.Warmup = 70
	got, err := s.Run(t.Context(), harness.Trial{Lengths: &harness.Lengths{Least: 900, Most: 1200, Error: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, got, harness.Complete)
	if got.Metrics["warmup_requests"] != 70 || got.Metrics["requests"] < 900 {
		t.Errorf("warm-up %v, window %v", got.Metrics["warmup_requests"], got.Metrics["requests"])
	}
}

// Workers of a cluster are all waited for and counted.
func TestClustersAreMeasuredAsNeeded(t *testing.T) {
	s := server(t, "puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "-w", "2", "--preload", "config.ru")
	s.Plan.Concurrency = 2
	got := measureAsNeeded(t, s, harness.Lengths{Least: 400, Most: 800, Error: 0.5})
	wantState(t, got, harness.Complete)
	if got.Metrics["processes"] != 3 || served(got) < 400 {
		t.Errorf("%v processes, %v requests", got.Metrics["processes"], served(got))
	}
}

// A worker that is replaced after the warm-up makes another server of it.
func TestAReplacedWorkerVoidsTheRun(t *testing.T) {
	s := server(t, "unicorn", "-l", "127.0.0.1:{port}", "-c", "unicorn.rb", "config.ru")
	s.Plan.Requests = []load.Request{{Method: "GET", Path: "/mortal"}}
	got := measureAsNeeded(t, s, harness.Lengths{Least: 2000, Most: 2000})
	wantState(t, got, harness.Void, "the server was not the same throughout")
}

// Fixed lengths stay what they were asked to be in an open loop.
func TestOpenLoopsHaveFixedLengths(t *testing.T) {
	s := puma(t)
	s.Plan.Rate = 200
	s.Window = harness.Window{Requests: 100}
	got := measureAsNeeded(t, s, harness.Lengths{Least: 400, Most: 800})
	wantState(t, got, harness.Complete)
	if _, told := got.Metrics["window_end"]; told || got.Metrics["requests"] != 100 {
		t.Errorf("metrics %v", got.Metrics)
	}
}
