package export_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/studies/export"
)

// have skips a test whose reader is not on this machine.
func have(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("needs %s", program)
	}
	return path
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil || problems.Len() > 0 {
		t.Fatalf("%v: %v\n%s", cmd, err, problems.String())
	}
	return string(out)
}

// pairs reads NAME=value items that end in NUL; only the names asked for.
func pairs(items string, names []string) map[string]string {
	read := map[string]string{}
	for item := range strings.SplitSeq(strings.TrimSuffix(items, "\x00"), "\x00") {
		if name, value, ok := strings.Cut(item, "="); ok && slices.Contains(names, name) {
			read[name] = value
		}
	}
	return read
}

func TestShells(t *testing.T) {
	for _, shell := range []string{"sh", "dash", "bash"} {
		t.Run(shell, func(t *testing.T) {
			have(t, shell)
			roundTrip(t, export.Shell, func(t *testing.T, path string, names []string) map[string]string {
				// What a child process gets is what counts.
				return pairs(output(t, exec.Command(shell, "-c", `. "$0" && exec env -0`, path)), names)
			})
		})
	}
}

// Heroku's own program cannot be had here; what reads the quotes is the shell.
func TestHeroku(t *testing.T) {
	dir := t.TempDir()
	stub := "#!/bin/sh\n[ \"$1\" = config:set ] || exit 1\nshift\nprintf '%s\\0' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "heroku"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	roundTrip(t, export.Heroku, func(t *testing.T, path string, names []string) map[string]string {
		cmd := exec.Command("sh", path)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		return pairs(output(t, cmd), names)
	})
}

func readDotenv(t *testing.T, path string, _ []string) map[string]string {
	t.Helper()
	ruby := have(t, "ruby")
	if exec.Command(ruby, "-rdotenv", "-e", "").Run() != nil {
		t.Skip("needs the dotenv gem (Debian: ruby-dotenv)")
	}
	out := output(t, exec.Command(ruby, "-Ku", "-rdotenv", "-rjson", "-e",
		`puts Dotenv::Parser.call(File.binread(ARGV[0]).force_encoding("UTF-8")).to_json`, path))
	var read map[string]string
	if err := json.Unmarshal([]byte(out), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestDotenv(t *testing.T) {
	roundTrip(t, export.Dotenv, readDotenv)
}

// readDocker runs the docker program against a server that only notes
// which environment it is asked for: the program reads the file itself.
func readDocker(t *testing.T, path string, names []string) map[string]string {
	t.Helper()
	docker := have(t, "docker")
	var asked struct{ Env []string }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/containers/create") {
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusCreated)
		w.Write([]byte(`{"Id":"c0ffee","Warnings":[]}`))
	}))
	defer server.Close()
	cmd := exec.Command(docker, "create", "--env-file", path, "image")
	cmd.Env = append(os.Environ(), "DOCKER_HOST=tcp://"+server.Listener.Addr().String(), "HOME="+t.TempDir())
	output(t, cmd)
	return pairs(strings.Join(asked.Env, "\x00"), names)
}

func TestDocker(t *testing.T) {
	roundTrip(t, export.Docker, readDocker)
}

// readSystemd has systemd load a unit with the drop-in and print what it made
// of it. It refuses to do so as root.
func readSystemd(t *testing.T, path string, names []string) map[string]string {
	t.Helper()
	const systemd = "/usr/lib/systemd/systemd"
	have(t, systemd)
	dir := worldReadable(t)
	unit := "[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/bin/true\n"
	if err := os.WriteFile(filepath.Join(dir, "gctune-test.service"), []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "gctune-test.service.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gctune-test.service.d", "gctune.conf"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(systemd, "--test", "--system", "--unit=gctune-test.service")
	cmd.Env = []string{"SYSTEMD_UNIT_PATH=" + dir, "LC_ALL=C.UTF-8"}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "gctune.conf:") || !strings.Contains(string(out), "gctune-test.service") {
		t.Fatalf("%v\n%s", err, out)
	}
	items := ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if _, item, ok := strings.Cut(line, "Environment: "); ok {
			items += item + "\x00"
		}
	}
	return pairs(items, names)
}

// worldReadable is a directory that another user can read into.
func worldReadable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gctune-systemd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSystemd(t *testing.T) {
	roundTrip(t, export.Systemd, readSystemd)
}

// Every reader of such files must take the env format alike.
func TestEnv(t *testing.T) {
	readers := map[string]func(*testing.T, string, []string) map[string]string{
		"docker": readDocker, "dotenv": readDotenv,
		"sh": func(t *testing.T, path string, names []string) map[string]string {
			return pairs(output(t, exec.Command("sh", "-c", `set -a && . "$0" && exec env -0`, path)), names)
		},
	}
	for name, read := range readers {
		t.Run(name, func(t *testing.T) { roundTrip(t, export.Env, read) })
	}
}
