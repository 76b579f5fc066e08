package studies_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies"
)

// withLogs is a store whose trial 0 has three runs, the first and the last with a log.
func withLogs(t *testing.T, path string) (*studies.Store, studies.Study) {
	t.Helper()
	s := open(t, path)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	metrics := map[string]float64{"x": 1}
	err := s.Finish(t.Context(), study.ID, 0, studies.Outcome{
		State: studies.Complete, Runs: []studies.Run{{Metrics: metrics, Log: []byte("\x00first")}, {Metrics: metrics}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddRun(t.Context(), study.ID, 0, studies.Run{Metrics: metrics, Log: []byte("third")}); err != nil {
		t.Fatal(err)
	}
	return s, study
}

func logs(t *testing.T, s *studies.Store, study int64) map[int][][]byte {
	t.Helper()
	found, err := s.Logs(t.Context(), study)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestLogsAreKeptApart(t *testing.T) {
	s, study := withLogs(t, filepath.Join(t.TempDir(), "gctune.db"))
	want := map[int][][]byte{0: {[]byte("\x00first"), []byte("third")}}
	if diff := cmp.Diff(want, logs(t, s, study.ID)); diff != "" {
		t.Error(diff)
	}
	for i, run := range trials(t, s, study.ID)[0].Runs {
		if run.Log != nil {
			t.Errorf("run %d is listed with its log", i)
		}
	}
	if got := logs(t, s, create(t, s, "other").ID); len(got) != 0 {
		t.Errorf("another study has %v", got)
	}
	large := studies.Run{Log: make([]byte, 17<<20)}
	if err := s.AddRun(t.Context(), study.ID, 0, large); !errors.Is(err, studies.ErrInvalid) {
		t.Errorf("a log of 17 MiB: %v, want ErrInvalid", err)
	}
	if err := s.DeleteStudy(t.Context(), "blog", dead); err != nil {
		t.Fatal(err)
	}
	assertEmpty(t, s, "collections")
}

// A trial that is begun again begins without the logs of its runs.
func TestLogsGoWithTheirRuns(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	begin(t, s, study.ID, 0)
	outcome := studies.Outcome{State: studies.Void, Runs: []studies.Run{{Log: []byte("old")}}}
	if err := s.Finish(t.Context(), study.ID, 0, outcome); err != nil {
		t.Fatal(err)
	}
	begin(t, s, study.ID, 0)
	assertEmpty(t, s, "collections")
}

func TestLogsTravel(t *testing.T) {
	s, study := withLogs(t, filepath.Join(t.TempDir(), "gctune.db"))
	var file bytes.Buffer
	if err := s.Export(t.Context(), "blog", &file); err != nil {
		t.Fatal(err)
	}
	there := fresh(t)
	copied, err := there.Import(t.Context(), &file, "copy")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(logs(t, s, study.ID), logs(t, there, copied.ID)); diff != "" {
		t.Error(diff)
	}
}

// A file of the version before has no logs, and is read.
func TestImportOfVersion1(t *testing.T) {
	file, want, _ := exported(t)
	old := strings.Replace(string(file), `"version": 2`, `"version": 1`, 1)
	if old == string(file) || strings.Contains(old, "collections") {
		t.Fatal("that is no file of version 1")
	}
	s := fresh(t)
	study, err := s.Import(t.Context(), strings.NewReader(old), "")
	if err != nil {
		t.Fatal(err)
	}
	if got := trials(t, s, study.ID); len(got) != len(want) || got[0].Runs[0].Metrics["a_seconds"] != 0.1 {
		t.Errorf("%+v", got)
	}
}

// A store of the version before can be read as it is, and is brought up to date by the
// first who writes.
func TestStoreOfVersion1(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	s, study := withLogs(t, path)
	want := trials(t, s, study.ID)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sqlite(t, path, "DROP TABLE collections", "DELETE FROM goose_db_version WHERE version_id = 2", "PRAGMA user_version = 1")
	before := directory(t, filepath.Dir(path))

	reader, err := studies.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, trials(t, reader, study.ID)); diff != "" || len(logs(t, reader, study.ID)) != 0 {
		t.Error(diff, logs(t, reader, study.ID))
	}
	if err := reader.Export(t.Context(), "blog", &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, directory(t, filepath.Dir(path))); diff != "" {
		t.Error("reading has changed it: ", diff)
	}

	writer := open(t, path)
	if diff := cmp.Diff(want, trials(t, writer, study.ID)); diff != "" {
		t.Error(diff)
	}
	if err := writer.AddRun(t.Context(), study.ID, 0, studies.Run{Log: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	if got := logs(t, writer, study.ID); len(got[0]) != 1 || string(got[0][0]) != "new" {
		t.Errorf("%v", got)
	}
}
