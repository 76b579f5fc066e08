//go:build linux

package process_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/harness/process"
)

const rackup = `run lambda { |env| [200, {"Content-Type" => "text/plain"}, ["ok"]] }`

// servers start with %d for the port. A daemon's output goes to the file log,
// and bye is what is found at the end of the output or of that file after a
// graceful end.
var servers = []struct {
	name, gem   string
	command     []string
	config      string
	processes   int
	overwritten bool // the leader's environment
	daemon      bool
	bye         string
}{
	{"puma single", "puma", []string{"puma", "-C", "config.rb"}, "bind 'tcp://127.0.0.1:%d'", 1, false, false, "Gracefully"},
	{"puma preloaded", "puma", []string{"puma", "-C", "config.rb"}, "bind 'tcp://127.0.0.1:%d'; workers 2; preload_app!", 3, true, false, "Gracefully"},
	{"puma cluster", "puma", []string{"puma", "-C", "config.rb"}, "bind 'tcp://127.0.0.1:%d'; workers 2", 3, true, false, "Gracefully"},
	{"unicorn", "unicorn", []string{"unicorn", "-c", "config.rb"}, "listen '127.0.0.1:%d'; worker_processes 2", 3, false, false, "master complete"},
	{"unicorn daemonised", "unicorn", []string{"unicorn", "-D", "-c", "config.rb"}, "listen '127.0.0.1:%d'; worker_processes 2; stderr_path 'log'", 3, false, true, "master complete"},
	{"webrick", "webrick", []string{"ruby", "-rwebrick", "config.rb"},
		"s = WEBrick::HTTPServer.new(Port: %d, BindAddress: '127.0.0.1'); trap('TERM') { s.stop }; s.start", 1, false, false, "going to shutdown"},
}

func TestServers(t *testing.T) {
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			needGem(t, server.gem)
			bothWays(t, func(t *testing.T, spec process.Spec) {
				port, err := process.FreePort()
				if err != nil {
					t.Fatal(err)
				}
				spec.Dir = t.TempDir()
				if server.overwritten { // Puma's title holds the directory, and overflows
					spec.Dir = filepath.Join(spec.Dir, strings.Repeat("application", 10))
					if err := os.Mkdir(spec.Dir, 0o755); err != nil {
						t.Fatal(err)
					}
				}
				write(t, filepath.Join(spec.Dir, "config.ru"), rackup)
				write(t, filepath.Join(spec.Dir, "config.rb"), fmt.Sprintf(server.config, port))
				tree := start(t, spec, server.command...)
				if server.daemon {
					waitDone(t, tree)
				}
				var pids []int
				await(t, "the server listens", func() bool {
					pids = pidsOf(t, tree)
					ports, err := process.Listening(pids)
					return err == nil && slices.Equal(ports, []int{port}) && len(pids) == server.processes
				})
				if process.PortFree(port) {
					t.Error("the port is said to be free")
				}
				checkEnviron(t, pids[0], spec.Marker, server.overwritten)
				checkCatches(t, pids[0])
				stop(t, tree)
				if !process.PortFree(port) {
					t.Error("the port is not free after Stop")
				}
				log, _ := os.ReadFile(filepath.Join(spec.Dir, "log"))
				if all := strings.Join(tree.Tail(100), "\n") + string(log); !strings.Contains(all, server.bye) {
					t.Errorf("no %q in:\n%s", server.bye, all)
				}
			})
		})
	}
}

func checkEnviron(t *testing.T, pid int, marker string, overwritten bool) {
	t.Helper()
	if overwritten {
		await(t, "the title is set", func() bool {
			_, err := process.Environ(pid)
			return errors.Is(err, process.ErrEnvironOverwritten)
		})
		return
	}
	if env, err := process.Environ(pid); err != nil || env[process.MarkerVariable] != marker || env["PATH"] != os.Getenv("PATH") {
		t.Errorf("environment %v, %v", env, err)
	}
}

func checkCatches(t *testing.T, pid int) {
	t.Helper()
	await(t, "the server catches SIGTERM", func() bool {
		caught, err := process.Catches(pid, syscall.SIGTERM)
		return err == nil && caught
	})
	if caught, err := process.Catches(pid, syscall.SIGPWR); caught || err != nil {
		t.Errorf("SIGPWR caught: %v, %v", caught, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
