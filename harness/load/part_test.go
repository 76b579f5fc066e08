package load_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// Parts send the sequence of one run, and joined they report as one: sums are exact,
// and percentiles are of all latencies together.
func TestPartsJoinToARun(t *testing.T) {
	var j journal
	requests := []load.Request{{Path: "/a", Weight: 2}, {Path: "/b"}}
	whole := newDriver(t, load.Plan{Target: serve(t, &j), Requests: requests})
	if _, err := whole.Run(t.Context(), load.Until{Requests: 7}); err != nil {
		t.Fatal(err)
	}
	want := j.read()
	var slow atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow.Add(1) == 6 {
			time.Sleep(30 * time.Millisecond) // the slowest answer is known, whatever the machine does
			w.WriteHeader(http.StatusTeapot)
		}
		j.ServeHTTP(w, r)
	})
	d := newDriver(t, load.Plan{Target: serve(t, handler), Requests: requests})
	var parts []load.Report
	for from := 0; from < 7; from += 3 {
		part, err := d.Part(t.Context(), from, min(3, 7-from))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	got, sent := load.Join(parts...), j.read()
	for i := range want { // hosts differ by their ports
		want[i], sent[i] = want[i][:6], sent[i][:6]
	}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q, one run sends %q", sent, want)
	}
	if got.Sent != 7 || got.Expected != 6 || got.HTTPErrors != 1 || got.Connections != 1 || got.FirstFailure == "" {
		t.Errorf("joined: %+v", got)
	}
	if got.Wall != parts[0].Wall+parts[1].Wall+parts[2].Wall {
		t.Errorf("%v on the clock: the time between parts must not count", got.Wall)
	}
	l := got.Latency
	if l.Count != 7 || l.Max != parts[1].Latency.Max || l.P99 < 30*time.Millisecond || l.P50 >= 30*time.Millisecond {
		t.Errorf("latencies: %+v", l)
	}
}

func TestPartsAreOfClosedLoops(t *testing.T) {
	d := newDriver(t, load.Plan{Target: "http://127.0.0.1:1", Requests: []load.Request{{Path: "/"}}, Rate: 5})
	if _, err := d.Part(context.Background(), 0, 1); !errors.Is(err, load.ErrPlan) {
		t.Errorf("a part of a timetable: %v", err)
	}
}
