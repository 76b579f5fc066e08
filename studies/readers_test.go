package studies_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/gctune/gctune/studies"
)

// The state before a write is what readers see until it is committed; none of
// the two waits for the other. A wait would take the whole busy timeout, since
// nobody here gives way.
func TestReadersAndWriterDoNotWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	s := open(t, path)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	began := time.Now()

	other := open(t, path)
	write, _ := studies.Pools(other)
	writing, err := write.Begin() // takes the write lock and keeps it
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writing.Exec("UPDATE trials SET state = 'void'"); err != nil {
		t.Fatal(err)
	}
	dashboard, err := studies.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal("open for reading during a write:", err)
	}
	defer dashboard.Close()
	for _, reader := range []*studies.Store{s, dashboard} {
		if all := trials(t, reader, study.ID); all[0].State != studies.Running {
			t.Errorf("a reader sees what is not committed: %+v", all)
		}
	}

	_, read := studies.Pools(dashboard)
	reading, err := read.Begin()
	if err != nil {
		t.Fatal(err)
	}
	state := func() (state studies.State) {
		if err := reading.QueryRow("SELECT state FROM trials").Scan(&state); err != nil {
			t.Fatal(err)
		}
		return state
	}
	before := state()
	if err := writing.Commit(); err != nil {
		t.Fatal("commit while a reader reads:", err)
	}
	if after := state(); before != studies.Running || after != studies.Running {
		t.Errorf("a reader saw %s, then %s: not one state of the store", before, after)
	}
	reading.Rollback()
	if all := trials(t, dashboard, study.ID); all[0].State != studies.Void {
		t.Errorf("a reader does not see what is committed: %+v", all)
	}
	if waited := time.Since(began); waited > 8*time.Second {
		t.Errorf("it took %v: somebody waited for the busy timeout", waited)
	}
}

// A dashboard that polls hard during a study neither fails nor makes it fail.
func TestReadersDuringManyWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	create(t, open(t, path), "blog")
	writer := start(t, "write", path)
	writer.line(t)
	for seen := 0; seen < 40; {
		dashboard, err := studies.OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		study, err := dashboard.Study(t.Context(), "blog")
		if err != nil {
			t.Fatal(err)
		}
		all := trials(t, dashboard, study.ID)
		for _, trial := range all {
			if trial.State == studies.Complete && len(trial.Runs[0].Metrics) != 50 {
				t.Fatalf("half a trial: %+v", trial)
			}
		}
		seen = len(all)
		if err := dashboard.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
