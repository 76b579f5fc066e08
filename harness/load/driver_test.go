package load_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// journal is a server that writes down what it was asked.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) write(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

// read takes what was written so far.
func (j *journal) read() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

func (j *journal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	j.write(fmt.Sprintf("%s %s host=%s x=%s body=%s", r.Method, r.RequestURI, r.Host, r.Header.Get("X-Test"), body))
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestRunSendsTheSamePlainSequence(t *testing.T) {
	var j journal
	d := newDriver(t, load.Plan{
		Target:  serve(t, &j),
		Headers: map[string]string{"host": "example.test", "x-test": "all"},
		Requests: []load.Request{
			{Path: "/a?q=1&r=%2F|", Weight: 2},
			{Method: "POST", Path: "/b", Body: "k=v", Headers: map[string]string{"X-Test": "one"}},
		},
	})
	a := "GET /a?q=1&r=%2F| host=example.test x=all body="
	want := []string{a, "POST /b host=example.test x=one body=k=v", a, a}
	for run := range 2 {
		r, err := d.Run(context.Background(), load.Until{Requests: 4})
		if err != nil || r.Sent != 4 || r.Expected != 4 {
			t.Fatalf("%+v, %v", r, err)
		}
		if got := j.read(); !slices.Equal(got, want) {
			t.Errorf("run %d sent\n%s\nwant\n%s", run, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if r.Connections != 1-run {
			t.Errorf("run %d made %d connections, want %d", run, r.Connections, 1-run)
		}
		if r.Wall <= 0 || r.DriverCPU <= 0 || r.Latency.Count != 4 || r.Latency.P50 <= 0 || r.Latency.Max > r.Wall {
			t.Errorf("run %d: figures %+v", run, r)
		}
	}
}

func TestConcurrencyIsReachedAndKept(t *testing.T) {
	const users = 4
	var inside, most atomic.Int32
	all := make(chan struct{})
	d := newDriver(t, load.Plan{Concurrency: users, Requests: []load.Request{{Path: "/"}},
		Target: serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if now := inside.Add(1); now > most.Load() {
				most.Store(now)
				if now == users {
					close(all)
				}
			}
			<-all // Nobody is answered before all have asked.
			inside.Add(-1)
		}))})
	r, err := d.Run(context.Background(), load.Until{Requests: 40})
	if err != nil || r.Expected != 40 || r.Connections != users || most.Load() != users {
		t.Errorf("%+v, %v; at most %d at once", r, err, most.Load())
	}
}

func TestRunUntilDuration(t *testing.T) {
	var j journal
	d := newDriver(t, load.Plan{Target: serve(t, &j), Concurrency: 2, Requests: []load.Request{{Path: "/"}}})
	r, err := d.Run(context.Background(), load.Until{Duration: 50 * time.Millisecond})
	if err != nil || r.Wall < 50*time.Millisecond || r.Sent == 0 || r.Sent != len(j.read()) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, until := range []load.Until{{}, {Requests: -1}, {Duration: -1}} {
		if _, err := d.Run(context.Background(), until); !errors.Is(err, load.ErrPlan) {
			t.Errorf("until %+v: %v", until, err)
		}
	}
}

// closingServer is a server that tells of each connection's end.
func closingServer(t *testing.T) (*httptest.Server, chan struct{}) {
	closed := make(chan struct{}, 9)
	s := httptest.NewUnstartedServer(&journal{})
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, closed
}

// TestServerClosesIdleConnection: an idle connection that the server closed
// between two runs is no failure; that is how servers treat idle connections.
func TestServerClosesIdleConnection(t *testing.T) {
	s, closed := closingServer(t)
	d := newDriver(t, load.Plan{Target: s.URL, Requests: []load.Request{{Path: "/"}}})
	for run := range 3 {
		r, err := d.Run(context.Background(), load.Until{Requests: 5})
		if err != nil || r.Expected != 5 || r.Connections != 1 {
			t.Errorf("run %d: %v, %d connections, %v", run, r, r.Connections, err)
		}
		s.CloseClientConnections()
		<-closed
	}
}

func TestCloseClosesIdleConnections(t *testing.T) {
	s, closed := closingServer(t)
	d := newDriver(t, load.Plan{Target: s.URL, Concurrency: 3, Requests: []load.Request{{Path: "/"}}})
	r, err := d.Run(context.Background(), load.Until{Requests: 60})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	for range r.Connections {
		<-closed
	}
	if _, err := d.One(context.Background(), 0); !errors.Is(err, load.ErrClosed) {
		t.Errorf("a closed driver says %v", err)
	}
	if _, err := d.Run(context.Background(), load.Until{Requests: 1}); !errors.Is(err, load.ErrClosed) {
		t.Errorf("a closed driver says %v", err)
	}
}

// TestContextInterrupts: the requests that were under way are not counted.
func TestContextInterrupts(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 1000} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			release := make(chan struct{})
			var served atomic.Int32
			target := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				if served.Add(1) > 10 {
					cancel()
					<-release
				}
			}))
			t.Cleanup(func() { close(release) })
			d := newDriver(t, load.Plan{Target: target, Rate: rate, Concurrency: 1, Timeout: time.Hour, Requests: []load.Request{{Path: "/"}}})
			r, err := d.Run(ctx, load.Until{Requests: 1000})
			if !errors.Is(err, context.Canceled) || r.Sent != 10 || r.Expected != 10 || r.FirstFailure != "" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestFailuresAreCountedByClass(t *testing.T) {
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/500":
			w.WriteHeader(500)
		case "/cut":
			panic(http.ErrAbortHandler)
		}
	}))
	d := newDriver(t, load.Plan{Target: target, Requests: []load.Request{
		{Path: "/"}, {Path: "/500"}, {Path: "/cut"}, {Path: "/500", Expect: load.Expect{Status: 500}}}})
	r, err := d.Run(context.Background(), load.Until{Requests: 40})
	if err != nil || r.Sent != 40 || r.Expected != 20 || r.HTTPErrors != 10 || r.ConnectionErrors != 10 {
		t.Errorf("%+v, %v", r, err)
	}
	if r.FirstFailure != "GET /500: 500 Internal Server Error" || r.Latency.Count != 30 {
		t.Errorf("first failure %q, %d latencies", r.FirstFailure, r.Latency.Count)
	}
	m := r.Metrics()
	if m["error_share"] != 0.5 || m["requests"] != 40 || m["connection_errors"] != 10 || m["http_errors"] != 10 {
		t.Errorf("metrics %v", m)
	}
	if got, want := m["requests_per_second"]*m["window_seconds"], 20.0; got < want-1e-6 || got > want+1e-6 {
		t.Errorf("throughput counts %v answers, want the %v expected ones", got, want)
	}
}
