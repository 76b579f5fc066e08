package load_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// stalling answers over pipes, request n after service(n). Inside a synctest
// bubble time stands still but for these waits, so that latencies are exact.
func stalling(service func(n int) time.Duration) func(context.Context, string, string) (net.Conn, error) {
	taken := make(chan int, 1)
	taken <- 0
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			reader := bufio.NewReader(far)
			for {
				if _, err := http.ReadRequest(reader); err != nil {
					return
				}
				n := <-taken
				taken <- n + 1
				time.Sleep(service(n))
				if _, err := io.WriteString(far, ok); err != nil {
					return
				}
			}
		}()
		return near, nil
	}
}

// firstTakes is a server that stalls on its first request alone.
func firstTakes(d time.Duration) func(int) time.Duration {
	return func(n int) time.Duration {
		if n == 0 {
			return d
		}
		return 0
	}
}

func TestOpenLoopTimesFromTheIntendedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load.Plan{Target: "http://x", Rate: 10, Concurrency: 1, Requests: []load.Request{{Path: "/"}}}
		d := newDriver(t, p)
		d.SetDial(stalling(firstTakes(250 * time.Millisecond)))
		r, err := d.Run(context.Background(), load.Until{Requests: 10})
		if err != nil || r.Expected != 10 || !r.OpenLoop {
			t.Fatalf("%+v, %v", r, err)
		}
		// Due at 0, 100, 200, 300, … ms; answered at 250, 250, 250, 300, … ms.
		if want := (250 + 150 + 50) * time.Millisecond / 10; r.Latency.Mean != want || r.Latency.Max != 250*time.Millisecond {
			t.Errorf("mean %v, max %v; want %v, 250ms", r.Latency.Mean, r.Latency.Max, want)
		}
		if r.Wall != 900*time.Millisecond {
			t.Errorf("ten requests at 10/s took %v, want 900ms", r.Wall)
		}
		near(t, "p90", r.Latency.P90, 150*time.Millisecond)
	})
}

func TestOpenLoopDoesNotWaitForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, load.Plan{Target: "http://x", Rate: 10, Requests: []load.Request{{Path: "/"}}})
		d.SetDial(stalling(firstTakes(time.Second)))
		r, err := d.Run(context.Background(), load.Until{Duration: 500 * time.Millisecond})
		if err != nil || r.Expected != 5 || r.Connections != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		if r.Latency.Mean != time.Second/5 || r.Latency.P50 > 2*time.Microsecond {
			t.Errorf("mean %v, median %v: the stalled request must delay no other", r.Latency.Mean, r.Latency.P50)
		}
	})
}

func TestClosedLoopLatencies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, load.Plan{Target: "http://x", Requests: []load.Request{{Path: "/"}}})
		d.SetDial(stalling(func(n int) time.Duration { return time.Duration(n+1) * time.Millisecond }))
		r, err := d.Run(context.Background(), load.Until{Requests: 1000})
		if err != nil || r.Expected != 1000 || r.OpenLoop {
			t.Fatalf("%+v, %v", r, err)
		}
		if want := 1001 * time.Millisecond / 2; r.Latency.Mean != want || r.Wall != 1000*want {
			t.Errorf("mean %v, wall %v; want %v, %v", r.Latency.Mean, r.Wall, want, 1000*want)
		}
		near(t, "p50", r.Latency.P50, 500*time.Millisecond)
		near(t, "p95", r.Latency.P95, 950*time.Millisecond)
		near(t, "p99", r.Latency.P99, 990*time.Millisecond)
		if r.Latency.Max != time.Second {
			t.Errorf("max %v, want 1s", r.Latency.Max)
		}
	})
}

func TestTimeoutIsOfTheWholeRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, load.Plan{Target: "http://x", Timeout: 3 * time.Second, Requests: []load.Request{{Path: "/"}}})
		d.SetDial(stalling(firstTakes(5 * time.Second)))
		r, err := d.Run(context.Background(), load.Until{Requests: 2})
		if err != nil || r.ConnectionErrors != 1 || r.Expected != 1 || r.Latency.Max != 3*time.Second {
			t.Errorf("%+v, %v; want a timeout whose latency is 3s, and one answer", r, err)
		}
		time.Sleep(5 * time.Second) // Lets the stalled server see its client gone.
	})
}

// near allows the histogram's three digits.
func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if diff := (got - want).Abs(); diff > want/500 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
