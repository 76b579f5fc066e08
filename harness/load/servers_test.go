//go:build unix

package load_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// rackup is a page with a body in chunks, a plain one, and a redirect.
const rackup = `run ->(env) do
  case env["PATH_INFO"]
  when "/chunks" then [200, {"content-type" => "text/plain"}, Enumerator.new { |y| 500.times { |i| y << "part #{i}, " } }]
  when "/away" then [302, {"location" => "/"}, []]
  when "/echo" then [200, {"content-type" => "text/plain"}, [env["HTTP_HOST"] + " " + env["rack.input"].read]]
  else [200, {"content-type" => "text/html"}, ["<html><body>hello world</body></html>"]]
  end
end
`

const webrick = `require "webrick"
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ARGV[0].to_i, AccessLog: [])
trap("TERM") { server.shutdown }
server.mount_proc("/") { |_, answer| answer.body = "hello world" }
server.start
`

// startServer runs a real server on a free port until the test ends.
func startServer(t testing.TB, command func(port string) []string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"config.ru": rackup, "webrick.rb": webrick} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	words := command(port)
	if _, err := exec.LookPath(words[0]); err != nil {
		t.Skipf("%s is not installed", words[0])
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	target := "http://127.0.0.1:" + port
	await(t, target, words[0])
	return target
}

func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// await polls until the server answers.
func await(t testing.TB, target, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		o, err := load.Get(ctx, target, load.Request{Path: "/"}, time.Minute)
		if err != nil {
			t.Fatalf("%s does not answer: %v", name, err)
		}
		if o.Class == load.Expected {
			return
		}
		<-tick.C
	}
}

func puma(port string) []string {
	return []string{"puma", "-q", "-b", "tcp://127.0.0.1:" + port, "-t", "1:1", "config.ru"}
}

func TestRackServers(t *testing.T) {
	for name, c := range map[string]struct {
		command func(port string) []string
		keeps   bool
	}{
		"puma":    {puma, true},
		"unicorn": {func(port string) []string { return []string{"unicorn", "-l", "127.0.0.1:" + port, "config.ru"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := load.Plan{
				Target:  startServer(t, c.command),
				Headers: map[string]string{"Host": "shop.test"},
				Requests: []load.Request{
					{Path: "/", Expect: load.Expect{Contains: "hello"}, Weight: 2},
					{Path: "/chunks", Expect: load.Expect{Contains: "part 77, part 78, "}},
					{Method: "POST", Path: "/echo", Body: "a=b", Expect: load.Expect{Contains: "shop.test a=b"}},
					{Path: "/away", Expect: load.Expect{Status: 302}},
					{Method: "HEAD", Path: "/"},
				}}
			if err := load.Check(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			sendAll(t, p, 120, c.keeps)
		})
	}
}

func TestWEBrick(t *testing.T) {
	target := startServer(t, func(port string) []string { return []string{"ruby", "webrick.rb", port} })
	// Few requests: on a kept connection WEBrick leaves each answer to the
	// client's delayed acknowledgement, some 40 ms, as it does for any client.
	sendAll(t, load.Plan{Target: target, Requests: []load.Request{{Path: "/", Expect: load.Expect{Contains: "hello"}}}}, 12, true)
}

// sendAll expects every answer to be right, in both loops, and connections
// to be kept where the server keeps them.
func sendAll(t *testing.T, p load.Plan, requests int, keeps bool) {
	t.Helper()
	for _, rate := range []float64{0, 400} {
		p.Rate, p.Concurrency = rate, 1
		r, err := newDriver(t, p).Run(context.Background(), load.Until{Requests: requests})
		if err != nil || r.Expected != requests {
			t.Errorf("rate %v: %v, %v", rate, r, err)
		}
		if keeps && r.Connections > 2 || !keeps && r.Connections != requests {
			t.Errorf("rate %v: %d connections for %d requests", rate, r.Connections, requests)
		}
	}
}
