package probe_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/probe"
)

const application = `run lambda { |env| 2000.times { "x" * 50 }; [200, {"content-type" => "text/plain"}, ["pid #{$$}"]] }`

const unicorn = `worker_processes 2
listen "127.0.0.1:" + ENV.fetch("PORT")
preload_app true
`

const webrick = `require "webrick"
server = WEBrick::HTTPServer.new(:Port => ENV.fetch("PORT").to_i, :BindAddress => "127.0.0.1")
server.mount_proc("/") { |_, response| 2000.times { "x" * 50 }; response.body = "pid #{$$}" }
trap("TERM") { server.shutdown }
server.start
`

// Every kind of server is asked for a report of each of its processes, under
// load, and must go on answering and end in order.
func TestServers(t *testing.T) {
	for _, server := range []struct {
		name    string
		command []string
		workers int // beside the first process
	}{
		{"puma", []string{"puma", "-b", "tcp://127.0.0.1:PORT", "-t", "2:2", "config.ru"}, 0},
		{"puma cluster", []string{"puma", "-b", "tcp://127.0.0.1:PORT", "-t", "2:2", "-w", "2", "config.ru"}, 2},
		{"puma cluster, preloaded", []string{"puma", "-b", "tcp://127.0.0.1:PORT", "-t", "2:2", "-w", "2", "--preload", "config.ru"}, 2},
		{"unicorn", []string{"unicorn", "-c", "unicorn.rb", "config.ru"}, 2},
		{"webrick", []string{"ruby", "webrick.rb"}, 0},
	} {
		t.Run(server.name, func(t *testing.T) { serve(t, server.command, server.workers) })
	}
}

func serve(t *testing.T, command []string, workers int) {
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skip(command[0] + " is not installed")
	}
	dir, port := t.TempDir(), freePort(t)
	for name, text := range map[string]string{"config.ru": application, "unicorn.rb": unicorn, "webrick.rb": webrick} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range command {
		command[i] = strings.ReplaceAll(command[i], "PORT", port)
	}
	cmd := probed(t, dir, command...)
	cmd.Dir, cmd.Env = dir, append(cmd.Env, "PORT="+port)
	// A file, since what a server prints must not depend on its reader.
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	launch(t, cmd)
	defer func() {
		if text, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("the server printed:\n%s", text)
		}
	}()
	family := append([]int{cmd.Process.Pid}, answering(t, cmd.Process.Pid, port, workers)...)

	before := reports(t, dir, family)
	for range 200 {
		get(t, port)
	}
	after := reports(t, dir, family)
	var deltas []probe.Delta
	for i := range family {
		d, err := probe.Between(before[i], after[i])
		if err != nil {
			t.Fatal(err)
		}
		if after[i].Environment["RUBY_GC_HEAP_FREE_SLOTS"] != "5000" {
			t.Errorf("process %d saw %v", family[i], after[i].Environment)
		}
		deltas = append(deltas, d)
	}
	// Some 2000 strings a request are well above 400,000 slots' worth.
	if m := probe.Metrics(deltas); m["gc_count"] < 3 || m["gc_time_seconds"] <= 0 {
		t.Errorf("metrics under load: %v", m)
	}
	get(t, port)
	finish(t, cmd, syscall.SIGTERM)
	until(t, func() (struct{}, bool) { return struct{}{}, !slices.ContainsFunc(family, alive) })
}

func reports(t *testing.T, dir string, pids []int) []probe.Report {
	t.Helper()
	var all []probe.Report
	for _, pid := range pids {
		all = append(all, read(t, dir, pid))
	}
	return all
}

// answering waits until the server answers and has all its workers, each of
// which must have answered once, and returns their process IDs. Requests come
// several at a time: the kernel may hand single ones to the same worker always.
func answering(t *testing.T, master int, port string, workers int) []int {
	t.Helper()
	seen := map[int]bool{}
	until(t, func() (struct{}, bool) {
		for _, pid := range askAtOnce(8, port) {
			seen[pid] = true
		}
		return struct{}{}, seen[master] && workers == 0 || workers > 0 && len(seen) == workers
	})
	delete(seen, master)
	return slices.Collect(maps.Keys(seen))
}

func askAtOnce(n int, port string) (pids []int) {
	answers := make(chan int, n)
	for range n {
		go func() { pid, _ := ask(port); answers <- pid }()
	}
	for range n {
		if pid := <-answers; pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

func get(t *testing.T, port string) {
	t.Helper()
	if _, ok := ask(port); !ok {
		t.Error("the server did not answer")
	}
}

// ask opens a connection of its own, so that the kernel spreads the requests.
func ask(port string) (pid int, ok bool) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	response, err := client.Get("http://127.0.0.1:" + port + "/")
	if err != nil {
		return 0, false
	}
	defer response.Body.Close()
	_, err = fmt.Fscanf(response.Body, "pid %d", &pid)
	return pid, err == nil && response.StatusCode == 200
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// start launches a command and returns its standard output.
func start(t *testing.T, cmd *exec.Cmd) io.Reader {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	launch(t, cmd)
	return bufio.NewReader(out)
}

// launch runs a command in a process group of its own, which is killed at the
// end of the test whatever happens.
func launch(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
}

// finish signals a command and waits for its end.
func finish(t *testing.T, cmd *exec.Cmd, signal syscall.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() {
		t.Errorf("%v did not end at %v", cmd.Args, signal)
		cmd.Process.Kill()
	})
	defer late.Stop()
	err := cmd.Wait()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && status.Signal() != signal || status.Exited() && status.ExitStatus() != 0 {
		t.Errorf("%v ended with %v", cmd.Args, err)
	}
}

// alive reports whether a process runs; one that only waits to be reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// until polls a condition, up to a deadline.
func until[T any](t *testing.T, condition func() (T, bool)) T {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for {
		value, done := condition()
		if done {
			return value
		}
		if time.Now().After(deadline) {
			t.Fatal("the condition did not come true in 60 s")
		}
		time.Sleep(5 * time.Millisecond)
	}
}
