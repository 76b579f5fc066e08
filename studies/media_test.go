//go:build linux

package studies_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/studies"
)

// mount mounts something at dir until the test ends, where that is allowed.
func mount(t *testing.T, source, dir, kind string, flags uintptr, data string) {
	t.Helper()
	err := syscall.Mount(source, dir, kind, flags, data)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("needs the right to mount")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// protect makes dir read-only, for root too.
func protect(t *testing.T, dir string) {
	t.Helper()
	mount(t, dir, dir, "", syscall.MS_BIND, "")
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gctune.db")
	s := open(t, path)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	finish(t, s, study.ID, 0, map[string]float64{"requests": 12})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	protect(t, dir)
	if _, err := studies.Open(t.Context(), path); !errors.Is(err, studies.ErrReadOnly) {
		t.Errorf("Open: %v, want ErrReadOnly", err)
	}
	if _, err := studies.Open(t.Context(), filepath.Join(dir, "new.db")); !errors.Is(err, studies.ErrReadOnly) {
		t.Errorf("Open of a new store: %v, want ErrReadOnly", err)
	}
	r, err := studies.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if all := trials(t, r, study.ID); len(all) != 1 || all[0].Runs[0].Metrics["requests"] != 12 {
		t.Errorf("read %v", all)
	}
}

// A crash leaves commits in the -wal file. From media that take no index of it
// they cannot be read, and a stale answer would be worse than none.
func TestUnfinishedWritesOnReadOnlyFileSystem(t *testing.T) {
	from := filepath.Join(t.TempDir(), "gctune.db")
	create(t, open(t, from), "blog")
	dir := t.TempDir()
	path := filepath.Join(dir, "gctune.db")
	copyFile(t, from, path)
	copyFile(t, from+"-wal", path+"-wal")
	protect(t, dir)
	_, err := studies.OpenReadOnly(t.Context(), path)
	if !errors.Is(err, studies.ErrReadOnly) || !strings.Contains(err.Error(), "-wal") {
		t.Errorf("%v, want ErrReadOnly that names the -wal file", err)
	}
}

func TestReadOnlyToThisUser(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permission bits do not bind root")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "gctune.db")
	open(t, path).Close()
	for _, protected := range []string{path, dir} {
		if err := os.Chmod(protected, 0o555); err != nil {
			t.Fatal(err)
		}
		if _, err := studies.Open(t.Context(), path); !errors.Is(err, studies.ErrReadOnly) {
			t.Errorf("Open: %v, want ErrReadOnly", err)
		}
		r, err := studies.OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if err := os.Chmod(protected, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=1m")
	path := filepath.Join(dir, "gctune.db")
	s := open(t, path)
	study := create(t, s, "blog")
	recorded, err := fill(t, s, study.ID)
	if !errors.Is(err, studies.ErrDiskFull) {
		t.Fatalf("%v, want ErrDiskFull", err)
	}
	t.Log(err)
	if recorded == 0 {
		t.Fatal("nothing was recorded")
	}
	check := func(when string, s *studies.Store) {
		complete := 0
		for _, trial := range trials(t, s, study.ID) {
			if trial.State == studies.Complete && len(trial.Runs) == 1 && len(trial.Runs[0].Metrics) == 100 {
				complete++
			}
		}
		if complete != recorded {
			t.Errorf("%s: %d trials are there, %d were recorded", when, complete, recorded)
		}
	}
	check("disk full", s)
	s.Close() // may fail to fold the -wal file, which then stays
	r, err := studies.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	check("opened for reading", r)
	r.Close()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	check("with room again", s)
	begin(t, s, study.ID, recorded+1)
	finish(t, s, study.ID, recorded+1, manyMetrics())
}

// fill records trials until one is refused.
func fill(t *testing.T, s *studies.Store, study int64) (recorded int, err error) {
	for number := range 10000 {
		if _, err := s.Begin(t.Context(), study, studies.Trial{Number: number}); err != nil {
			return number, err
		}
		outcome := studies.Outcome{State: studies.Complete, Runs: []studies.Run{{Metrics: manyMetrics()}}}
		if err := s.Finish(t.Context(), study, number, outcome); err != nil {
			return number, err
		}
	}
	return 10000, nil
}

func manyMetrics() map[string]float64 {
	metrics := map[string]float64{}
	for i := range 100 {
		metrics[fmt.Sprintf("metric_%d_seconds", i)] = float64(i)
	}
	return metrics
}
