package harness_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/load"
)

func growing(warnings []string) string {
	for _, w := range warnings {
		if strings.Contains(w, "memory was not steady") {
			return w
		}
	}
	return ""
}

// modes are the lengths that a window can have: what is as long as it needs has
// memory over few requests, and its growth over the whole window.
func modes(most int) map[string]harness.Trial {
	return map[string]harness.Trial{
		"fixed":     {},
		"as needed": {Lengths: &harness.Lengths{Least: 300, Most: most}},
	}
}

// A server that keeps 20 kB of each request is named, with a slope that is what it
// keeps: 20 MB for 1000 requests, beside what it needs for the rest.
func TestALeakIsNamed(t *testing.T) {
	for name, trial := range modes(0) {
		t.Run(name, func(t *testing.T) {
			s := server(t, "puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "leak.ru")
			s.Warmup, s.Window = 200, harness.Window{Duration: 4 * time.Second}
			got, err := s.Run(t.Context(), trial)
			if err != nil {
				t.Fatal(err)
			}
			wantState(t, got, harness.Complete)
			if !regexp.MustCompile(`memory was not steady: it grew by [0-9.]+ [kM]B/s \(95 %: .*\), 2[0-9] MB per 1000 requests: the server leaks, or`).MatchString(growing(got.Warnings)) {
				t.Errorf("warnings %q", got.Warnings)
			}
			m := got.Metrics
			if slope := m["memory_growth_bytes_per_1000_requests"]; slope < 19e6 || slope > 30e6 {
				t.Errorf("slope %v, want some 20 MB", slope)
			}
			low, slope, high := m["memory_growth_low_bytes_per_second"], m["memory_growth_bytes_per_second"], m["memory_growth_high_bytes_per_second"]
			if !(0 < low && low <= slope && slope <= high) {
				t.Errorf("interval %v, %v, %v", low, slope, high)
			}
		})
	}
}

// One that keeps nothing more is not accused, and its slope is told all the same.
// Against the 200 MB that it has from the beginning it does not count that other
// Rubies start and end meanwhile, whose libraries are shared with it.
func TestASteadyServerIsNotAccused(t *testing.T) {
	for name, trial := range modes(60000) {
		t.Run(name, func(t *testing.T) {
			s := server(t, "{ruby}", "forking.rb", "{port}", "0", "200")
			s.Warmup, s.Window = 20000, harness.Window{Duration: 2500 * time.Millisecond}
			got, err := s.Run(t.Context(), trial)
			if err != nil {
				t.Fatal(err)
			}
			wantState(t, got, harness.Complete)
			if accused := growing(got.Warnings); accused != "" {
				t.Errorf("accused: %s", accused)
			}
			if _, known := got.Metrics["memory_growth_bytes_per_second"]; !known {
				t.Errorf("no slope in %v", got.Metrics)
			}
		})
	}
}

// What grew in the warm-up is not growth of the window.
func TestAWarmUpIsNoLeak(t *testing.T) {
	s := server(t, "puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "config.ru")
	s.Plan.Requests = []load.Request{{Method: "GET", Path: "/filling"}}
	got := measureAsNeeded(t, s, harness.Lengths{Least: 700, Most: 1500})
	wantState(t, got, harness.Complete)
	m := got.Metrics
	if m["warmup_requests"] < 100 {
		t.Fatalf("a warm-up of %v requests", m["warmup_requests"])
	}
	if slope := m["memory_growth_bytes_per_1000_requests"]; slope > 20e6 {
		t.Errorf("%v bytes for 1000 requests, after a warm-up that took 1 MB for each of 200", slope)
	}
}

// A worker that restarts in the window is named, and its window is not measured.
func TestARestartIsNamed(t *testing.T) {
	for name, command := range map[string][]string{
		"puma cluster": {"puma", "-b", "tcp://127.0.0.1:{port}", "-t", "1:1", "-w", "1", "ending.ru"},
		"forking":      {"{ruby}", "forking.rb", "{port}", "150"},
	} {
		t.Run(name, func(t *testing.T) {
			got := measure(t, server(t, command...), nil)
			wantState(t, got, harness.Void, "a worker restarted during the window: process ", " ended and ", " began")
		})
	}
}
