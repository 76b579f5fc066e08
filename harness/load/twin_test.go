package load_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/load"
)

// twinServers are two servers that write into one journal.
func twinServers(t *testing.T, p load.Plan) (a, b *load.Driver, j *journal) {
	j = &journal{}
	drivers := [2]*load.Driver{}
	for i, name := range []string{"A", "B"} {
		p.Target = serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			j.write(name + r.URL.Path)
		}))
		drivers[i] = newDriver(t, p)
	}
	return drivers[0], drivers[1], j
}

func TestAlternateIsBalanced(t *testing.T) {
	for _, requests := range [][]load.Request{
		{{Path: "/x"}},
		{{Path: "/x"}, {Path: "/y"}},
		{{Path: "/x"}, {Path: "/y"}, {Path: "/z"}},
		{{Path: "/x", Weight: 3}, {Path: "/y"}},
	} {
		a, b, j := twinServers(t, load.Plan{Requests: requests})
		const pairs = 48
		ra, rb, err := load.Alternate(context.Background(), a, b, pairs)
		if err != nil || ra.Expected != pairs || rb.Expected != pairs || ra.Connections != 1 || rb.Connections != 1 {
			t.Fatalf("%+v\n%+v\n%v", ra, rb, err)
		}
		checkPairs(t, j.read(), pairs)
		if ra.Wall <= 0 || rb.Wall <= 0 || ra.DriverCPU != rb.DriverCPU || ra.DriverCPU <= 0 {
			t.Errorf("times: %+v %+v", ra, rb)
		}
	}
}

// checkPairs expects that each pair asks both servers for the same page, that
// each page went first to A as often as to B, and that the order changes
// within any three pairs.
func checkPairs(t *testing.T, lines []string, pairs int) {
	t.Helper()
	if len(lines) != 2*pairs {
		t.Fatalf("%d requests for %d pairs", len(lines), pairs)
	}
	lead := map[string]int{}
	firsts := ""
	for i := 0; i < len(lines); i += 2 {
		first, second := lines[i], lines[i+1]
		if first[:1] == second[:1] || first[1:] != second[1:] {
			t.Fatalf("pair %d is %s, %s", i/2, first, second)
		}
		firsts += first[:1]
		lead[first[1:]] += map[string]int{"A": 1, "B": -1}[first[:1]]
	}
	for page, sum := range lead {
		if sum != 0 {
			t.Errorf("%s went first to one server %d times more often (%s)", page, sum, firsts)
		}
	}
	if strings.Contains(firsts, "AAA") || strings.Contains(firsts, "BBB") {
		t.Errorf("first of each pair: %s", firsts)
	}
}

func TestAlternateWithWorkers(t *testing.T) {
	a, b, j := twinServers(t, load.Plan{Concurrency: 3, Requests: []load.Request{{Path: "/x"}, {Path: "/y"}}})
	ra, rb, err := load.Alternate(context.Background(), a, b, 100)
	if err != nil || ra.Expected != 100 || rb.Expected != 100 {
		t.Fatalf("%+v\n%+v\n%v", ra, rb, err)
	}
	counts := map[string]int{}
	for _, line := range j.read() {
		counts[line]++
	}
	for _, line := range []string{"A/x", "A/y", "B/x", "B/y"} {
		if counts[line] != 50 {
			t.Errorf("%s was asked for %d times, want 50", line, counts[line])
		}
	}
}

func TestAlternateEndsWithWholePairs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asked := 0
	stop := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if asked++; asked == 10 {
			cancel()
			<-r.Context().Done() // The client is gone.
		}
	})
	requests := []load.Request{{Path: "/"}}
	a := newDriver(t, load.Plan{Target: serve(t, &journal{}), Requests: requests})
	b := newDriver(t, load.Plan{Target: serve(t, stop), Requests: requests})
	ra, rb, err := load.Alternate(ctx, a, b, 1000)
	if !errors.Is(err, context.Canceled) || ra.Sent != 9 || rb.Sent != 9 {
		t.Errorf("%d and %d requests, %v; want 9 whole pairs", ra.Sent, rb.Sent, err)
	}
}

func TestAlternateRefusesUnlikeTwins(t *testing.T) {
	plan := load.Plan{Target: "http://127.0.0.1:1", Requests: []load.Request{{Path: "/"}}}
	same := newDriver(t, plan)
	paced, other, wide := plan, plan, plan
	paced.Rate = 1
	other.Requests = []load.Request{{Path: "/other"}}
	wide.Concurrency = 2
	for part, p := range map[string]load.Plan{"closed loop": paced, "same requests": other, "and concurrency": wide} {
		if _, _, err := load.Alternate(context.Background(), same, newDriver(t, p), 1); !errors.Is(err, load.ErrPlan) || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one with %q", err, part)
		}
	}
	if _, _, err := load.Alternate(context.Background(), same, same, 0); !errors.Is(err, load.ErrPlan) {
		t.Errorf("no requests: %v", err)
	}
	if _, _, err := load.Alternate(context.Background(), same, nil, 1); err == nil {
		t.Error("no second driver, and no error")
	}
}
