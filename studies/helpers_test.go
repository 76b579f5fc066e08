package studies_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"github.com/gctune/gctune/studies"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func open(t *testing.T, path string) *studies.Store {
	t.Helper()
	s, err := studies.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fresh(t *testing.T) *studies.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "gctune.db"))
}

func create(t *testing.T, s *studies.Store, name string) studies.Study {
	t.Helper()
	study, err := s.CreateStudy(t.Context(), studies.Study{Name: name, Created: noon})
	if err != nil {
		t.Fatal(err)
	}
	return study
}

func begin(t *testing.T, s *studies.Store, study int64, number int) studies.Trial {
	t.Helper()
	trial, err := s.Begin(t.Context(), study, studies.Trial{
		Number: number, Origin: "sobol", Setting: map[string]string{"A": fmt.Sprint(number)},
		Started: noon, Marker: fmt.Sprintf("marker-%d", number),
	})
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

func finish(t *testing.T, s *studies.Store, study int64, number int, metrics map[string]float64) {
	t.Helper()
	err := s.Finish(t.Context(), study, number, studies.Outcome{
		State: studies.Complete, Runs: []studies.Run{{Metrics: metrics, Seconds: 1.5, Started: noon}}, Finished: noon.Add(time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func trials(t *testing.T, s *studies.Store, study int64) []studies.Trial {
	t.Helper()
	all, err := s.Trials(t.Context(), study)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func alive(studies.Owner) bool { return true }
func dead(studies.Owner) bool  { return false }

// directory is a hash of the content of every file of a directory, by name.
func directory(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		files[e.Name()] = e.Type().String()
		if e.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	return files
}

// sqlite executes statements on a file as another program would.
func sqlite(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
}
