package load_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

func TestParseRequest(t *testing.T) {
	for text, want := range map[string]load.Request{
		"GET /":                 {Method: "GET", Path: "/"},
		"  POST   /a?b=c&d=%20": {Method: "POST", Path: "/a?b=c&d=%20"},
		"HEAD //x":              {Method: "HEAD", Path: "//x"},
	} {
		got, err := load.ParseRequest(text)
		if err != nil || got.Method != want.Method || got.Path != want.Path {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, part := range map[string]string{
		"":               "METHOD /path",
		"/index":         "METHOD /path",
		"GET /a /b":      "METHOD /path",
		"get /":          "capitals",
		"GET index":      "begin with /",
		"GET http://x/":  "begin with /",
		"GET /caf\u00e9": "%C3",
		"GET /a#b":       "fragment",
		"CONNECT /":      "tunnel",
		"G\x00T /":       "capitals",
		"GET /\x7f":      "%7F",
	} {
		if _, err := load.ParseRequest(text); !errors.Is(err, load.ErrPlan) || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: error %v, want one with %q", text, err, part)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{"GET /", "POST /a?b", "GET /\r\nX: y", "é /", "GET  / ", "GET /a b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := load.ParseRequest(text)
		if err != nil {
			return
		}
		if fields := strings.Fields(text); len(fields) != 2 || r.Name() != fields[0]+" "+fields[1] {
			t.Errorf("%q was read as %q", text, r.Name())
		}
		if strings.ContainsAny(r.Name(), "\r\n\x00") || strings.Count(r.Name(), " ") != 1 {
			t.Errorf("%q would break the request line", text)
		}
	})
}

func TestPlanErrors(t *testing.T) {
	good := func() load.Plan {
		return load.Plan{Target: "http://127.0.0.1:1", Requests: []load.Request{{Path: "/"}}}
	}
	if _, err := load.New(good()); err != nil {
		t.Fatal(err)
	}
	for part, spoil := range map[string]func(*load.Plan){
		"no requests":      func(p *load.Plan) { p.Requests = nil },
		"TLS":              func(p *load.Plan) { p.Target = "https://x" },
		"http://HOST:PORT": func(p *load.Plan) { p.Target = "127.0.0.1:80" },
		"not of the form":  func(p *load.Plan) { p.Target = "http://h/base" },
		"concurrency -1":   func(p *load.Plan) { p.Concurrency = -1 },
		"rate NaN":         func(p *load.Plan) { p.Rate = math.NaN() },
		"timeout":          func(p *load.Plan) { p.Timeout = -1 },
		"weight -2":        func(p *load.Plan) { p.Requests[0].Weight = -2 },
		"weights come to":  func(p *load.Plan) { p.Requests = append(p.Requests, load.Request{Path: "/", Weight: 100_000}) },
		"status 100":       func(p *load.Plan) { p.Requests[0].Expect.Status = 100 },
		"header name":      func(p *load.Plan) { p.Headers = map[string]string{"X Y": ""} },
		"line break":       func(p *load.Plan) { p.Requests[0].Headers = map[string]string{"X": "a\r\nb"} },
		"from the body":    func(p *load.Plan) { p.Headers = map[string]string{"content-length": "3"} },
		"the same header":  func(p *load.Plan) { p.Headers = map[string]string{"Host": "a", "host": "b"} },
	} {
		p := good()
		spoil(&p)
		if _, err := load.New(p); !errors.Is(err, load.ErrPlan) || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one with %q", err, part)
		}
	}
}

func TestSequenceIsSmooth(t *testing.T) {
	// The first is the example by which nginx explains its algorithm.
	for _, c := range []struct{ weights, want []int }{
		{[]int{5, 1, 1}, []int{0, 0, 1, 0, 2, 0, 0}},
		{[]int{1, 1}, []int{0, 1}},
		{[]int{30, 10}, []int{0, 0, 1, 0}},
		{[]int{7}, []int{0}},
	} {
		got, err := load.Cycle(c.weights)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v; want %v", c.weights, got, err, c.want)
		}
	}
	weights := []int{9, 4, 12, 1, 7}
	order, err := load.Cycle(weights)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, len(weights))
	for n, i := range order {
		counts[i]++
		ideal := float64(n+1) * float64(weights[i]) / float64(len(order))
		if math.Abs(float64(counts[i])-ideal) > 1.5 {
			t.Errorf("after %d requests number %d was sent %d times, its share is %.1f", n+1, i, counts[i], ideal)
		}
	}
	if !slices.Equal(counts, weights) {
		t.Errorf("a cycle has %v, want %v", counts, weights)
	}
}

func TestPaceIsATimetable(t *testing.T) {
	if got := load.Due(50, 175); got != 3500*time.Millisecond {
		t.Errorf("request 175 at 50/s is due after %v, want 3.5s", got)
	}
	// Late in a long run the timetable must not have drifted.
	if got := load.Due(1000, 86_400_000); got != 24*time.Hour {
		t.Errorf("a day of requests at 1000/s ends after %v", got)
	}
	for _, c := range []struct {
		rate  float64
		until load.Until
		want  int
	}{
		{50, load.Until{Duration: 2 * time.Second}, 100},
		{50, load.Until{Duration: time.Millisecond}, 1},
		{0.5, load.Until{Duration: 5 * time.Second}, 3},
		{50, load.Until{Requests: 7}, 7},
		{50, load.Until{Requests: 7, Duration: time.Second}, 7},
		{50, load.Until{Requests: 70, Duration: time.Second}, 50},
	} {
		if got := load.Total(c.rate, c.until); got != c.want {
			t.Errorf("%v/s until %+v: %d requests, want %d", c.rate, c.until, got, c.want)
		}
	}
}
