package harness_test

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/load"
	"github.com/gctune/gctune/harness/ruby"
)

// BenchmarkRecording measures examples/rails with the log of collections and without
// it, as twins, and reports the change of the CPU time of a request in percent with its
// standard error, over all pairs. GCTUNE_BENCH_RUBY names a Ruby from 2.0 on that
// examples/plain is measured on instead. Each pair takes half a minute:
//
//	scripts/go test -run '^$' -bench Recording -benchtime 20x ./harness
func BenchmarkRecording(b *testing.B) {
	with := example(b)
	without := *with
	without.Unrecorded = true
	var ratios []float64
	for i := 0; b.Loop(); i++ {
		var trials [2]harness.Trial
		for j := range trials {
			trials[j].OutputPath = filepath.Join(b.TempDir(), "output.log")
		}
		on, off, err := harness.RunTwins(b.Context(), with, &without, trials[0], trials[1], i%2 == 0)
		if err != nil || on.State != harness.Complete || off.State != harness.Complete {
			b.Fatal(err, on.Reason, off.Reason)
		}
		const cost = "cpu_seconds_per_request"
		ratios = append(ratios, 100*math.Log(on.Metrics[cost]/off.Metrics[cost]))
		b.Logf("pair %d: %+.2f %%", i+1, ratios[i])
	}
	mean, sd := stat.MeanStdDev(ratios, nil)
	b.ReportMetric(mean, "%cpu")
	b.ReportMetric(stat.StdErr(sd, float64(len(ratios))), "%error")
}

func example(b *testing.B) *harness.Server {
	b.Helper()
	s := &harness.Server{
		Ready:        load.Request{Method: "GET", Path: "/up"},
		ReadyTimeout: time.Minute,
		Plan:         load.Plan{Requests: []load.Request{{Method: "GET", Path: "/blog"}}, Concurrency: 1, Timeout: time.Minute},
		Window:       harness.Window{Requests: 200},
	}
	path := os.Getenv("GCTUNE_BENCH_RUBY")
	name, command := "rails", []string{"puma", "-b", "tcp://127.0.0.1:{port}"}
	s.Variables = map[string]string{"WEB_CONCURRENCY": "0", "RAILS_MAX_THREADS": "1"}
	if path != "" {
		name, command = "plain", []string{"{ruby}", "app.rb", "{port}"}
		s.Variables = map[string]string{"BLOG_POSTS": "120"}
	}
	dir, err := filepath.Abs("../examples/" + name)
	if err != nil {
		b.Fatal(err)
	}
	in, err := ruby.Probe(b.Context(), cmp.Or(path, "ruby"))
	if err != nil {
		b.Fatal(err)
	}
	s.Inherited, _ = ruby.Scrub(os.Environ())
	s.Program.Command, s.Dir, s.Interpreter = command, dir, in
	s.Stop = harness.Stop{Signal: 15, Grace: time.Minute}
	return s
}
