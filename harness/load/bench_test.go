//go:build unix

package load_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// BenchmarkCPUPerRequest compares what sending costs the sender, in CPU
// milliseconds per request over one keep-alive connection, with ab and wrk on
// the same server, in turns. GCTUNE_BENCH_URL names another server than a
// tiny page on Puma. The time per operation is that of a whole round.
func BenchmarkCPUPerRequest(b *testing.B) {
	url := os.Getenv("GCTUNE_BENCH_URL")
	if url == "" {
		url = startServer(b, puma) + "/"
	}
	tools := []tool{ours(b, url), {"ab", ab}, {"wrk", wrk}}
	cpu, sent := make([]time.Duration, len(tools)), make([]int, len(tools))
	for b.Loop() {
		for i, tool := range tools {
			c, n := tool.run(b, url)
			cpu[i] += c
			sent[i] += n
		}
	}
	first := 0.0
	for i, tool := range tools {
		if sent[i] == 0 {
			continue
		}
		ms := cpu[i].Seconds() * 1000 / float64(sent[i])
		b.ReportMetric(ms, tool.name+"-cpu-ms/req")
		if i == 0 {
			first = ms
			continue
		}
		b.ReportMetric(first/ms, "ours/"+tool.name)
	}
}

// tool sends requests to a URL and says what CPU it used and how many it sent
// (0: it is not there).
type tool struct {
	name string
	run  func(b *testing.B, url string) (time.Duration, int)
}

const benchRequests = 3000

func ours(b *testing.B, url string) tool {
	b.Helper()
	parts := regexp.MustCompile(`^(http://[^/]+)(/.*)$`).FindStringSubmatch(url)
	if parts == nil {
		b.Fatalf("%q is not of the form http://HOST:PORT/PATH", url)
	}
	d, err := load.New(load.Plan{Target: parts[1], Requests: []load.Request{{Path: parts[2]}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Close)
	return tool{"ours", func(b *testing.B, _ string) (time.Duration, int) {
		r, err := d.Run(context.Background(), load.Until{Requests: benchRequests})
		if err != nil || r.Expected != r.Sent {
			b.Fatalf("%v, %v", r, err)
		}
		return r.DriverCPU, r.Sent
	}}
}

func ab(b *testing.B, url string) (time.Duration, int) {
	return other(b, `Complete requests:\s+(\d+)`, "ab", "-q", "-k", "-c", "1", "-n", strconv.Itoa(benchRequests), url)
}

func wrk(b *testing.B, url string) (time.Duration, int) {
	return other(b, `(\d+) requests in`, "wrk", "-t", "1", "-c", "1", "-d", "1s", url)
}

// other runs a program and finds the number of requests in what it prints.
func other(b *testing.B, count string, name string, arguments ...string) (time.Duration, int) {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		return 0, 0
	}
	cmd := exec.Command(name, arguments...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%s: %v\n%s", name, err, output)
	}
	found := regexp.MustCompile(count).FindSubmatch(output)
	if found == nil {
		b.Fatalf("%s does not say how many requests it sent:\n%s", name, output)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), n
}
