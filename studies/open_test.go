package studies_test

import (
	"database/sql"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gctune/gctune/studies"
)

// Whatever is refused must stay as it was, down to the files beside it.
func TestRefusedFilesAreNotTouched(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"text", text("study: blog\nruby: ruby\n"), studies.ErrNotAStore},
		{"long text", text(strings.Repeat("study: blog\n", 5000)), studies.ErrNotAStore},
		{"one byte", text("x"), studies.ErrNotAStore},
		{"magic, then noise", text("SQLite format 3\x00" + strings.Repeat("\xa5", 8176)), studies.ErrNotAStore},
		{"truncated header", text("SQLite format 3\x00\x10\x00"), studies.ErrNotAStore},
		{"database of another program", func(t *testing.T, path string) {
			sqlite(t, path, "CREATE TABLE studies (id)", "INSERT INTO studies VALUES (1)")
		}, studies.ErrNotAStore},
		{"database of another program in WAL mode", func(t *testing.T, path string) {
			sqlite(t, path, "PRAGMA journal_mode = WAL", "PRAGMA application_id = 77", "CREATE TABLE studies (id)")
		}, studies.ErrNotAStore},
		{"newer version", func(t *testing.T, path string) {
			open(t, path).Close()
			sqlite(t, path, "PRAGMA user_version = 99")
		}, studies.ErrNewerVersion},
		{"directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, studies.ErrNotAStore},
		{"pipe", func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}, studies.ErrNotAStore},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "gctune.db")
			test.make(t, path)
			before := directory(t, dir)
			if _, err := studies.Open(t.Context(), path); !errors.Is(err, test.want) {
				t.Errorf("Open: %v, want %v", err, test.want)
			}
			if _, err := studies.OpenReadOnly(t.Context(), path); !errors.Is(err, test.want) {
				t.Errorf("OpenReadOnly: %v, want %v", err, test.want)
			}
			if after := directory(t, dir); !maps.Equal(before, after) {
				t.Errorf("files were %v, are %v", before, after)
			}
		})
	}
}

func text(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that is killed leaves its last commits in the -wal file alone: the
// version that counts may stand there and not in the header.
func TestNewerVersionInTheWALIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gctune.db")
	s := open(t, path)
	write, _ := studies.Pools(s)
	if _, err := write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(t.TempDir(), "gctune.db")
	for _, suffix := range []string{"", "-wal"} {
		copyFile(t, path+suffix, crashed+suffix)
	}
	before := directory(t, filepath.Dir(crashed))
	if _, err := studies.Open(t.Context(), crashed); !errors.Is(err, studies.ErrNewerVersion) {
		t.Errorf("Open: %v, want ErrNewerVersion", err)
	}
	after := directory(t, filepath.Dir(crashed))
	delete(after, "gctune.db-shm") // an index of the -wal file, made anew by every reader
	if !maps.Equal(before, after) {
		t.Errorf("files were %v, are %v", before, after)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenCreates(t *testing.T) {
	for _, name := range []string{"gctune.db", "a b?mode=ro#x%41&.db", ":memory:", "ünï.db", "file:x"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			s := open(t, path)
			create(t, s, "blog")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if files := directory(t, dir); len(files) != 1 || files[name] == "" {
				t.Errorf("a closed store is %v, want the one file", files)
			}
			if _, err := open(t, path).Study(t.Context(), "blog"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	text("")(t, path)
	if _, err := studies.OpenReadOnly(t.Context(), path); !errors.Is(err, studies.ErrNotAStore) {
		t.Errorf("OpenReadOnly: %v, want ErrNotAStore", err)
	}
	create(t, open(t, path), "blog")
}

func TestOpenMissing(t *testing.T) {
	dir := t.TempDir()
	if _, err := studies.OpenReadOnly(t.Context(), filepath.Join(dir, "gctune.db")); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("OpenReadOnly: %v, want ErrNotFound", err)
	}
	if _, err := studies.Open(t.Context(), filepath.Join(dir, "no", "gctune.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open: %v, want os.ErrNotExist", err)
	}
	if files := directory(t, dir); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := studies.Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// Every connection of a pool needs the pragmas, not only the first.
func TestPragmasOnEveryConnection(t *testing.T) {
	write, read := studies.Pools(fresh(t))
	check := func(db *sql.DB, connections int, want map[string]string) {
		for range connections {
			conn, err := db.Conn(t.Context()) // kept open, so that the next is another
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for pragma, value := range want {
				var got string
				if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
					t.Errorf("%s is %q, want %q; %v", pragma, got, value, err)
				}
			}
		}
	}
	check(write, 1, map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"})
	check(read, 3, map[string]string{"journal_mode": "wal", "query_only": "1", "foreign_keys": "1", "busy_timeout": "10000"})
}

func TestVersionOfHeaderAndMigrationsAgree(t *testing.T) {
	_, read := studies.Pools(fresh(t))
	want, err := studies.LatestVersion()
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"PRAGMA user_version", "SELECT max(version_id) FROM goose_db_version"} {
		var got int
		if err := read.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, want %d; %v", query, got, want, err)
		}
	}
}

func TestReadOnlyStoreTakesNoWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	create(t, open(t, path), "blog")
	s, err := studies.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.CreateStudy(t.Context(), studies.Study{Name: "other"}); !errors.Is(err, studies.ErrReadOnly) {
		t.Errorf("CreateStudy: %v, want ErrReadOnly", err)
	}
	_, read := studies.Pools(s)
	if _, err := read.Exec("DELETE FROM studies"); err == nil {
		t.Error("the reading connections take writes")
	}
}

func TestOlderVersionIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	open(t, path).Close()
	sqlite(t, path, "PRAGMA user_version = 0")
	if _, err := studies.OpenReadOnly(t.Context(), path); !errors.Is(err, studies.ErrOlderVersion) {
		t.Errorf("%v, want ErrOlderVersion", err)
	}
}
