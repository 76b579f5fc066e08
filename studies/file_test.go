package studies_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies"
)

// exported is a study with one of everything, as a file.
func exported(t *testing.T) (file []byte, all []studies.Trial, replay studies.Replay) {
	t.Helper()
	s := fresh(t)
	study, err := s.CreateStudy(t.Context(), studies.Study{
		Name: "blog", Created: noon, Seed: 1<<63 + 1, Sampler: "tpe", Config: "study: blog\n", Definition: json.RawMessage(`{"a":[1,2]}`),
		Fingerprint: map[string]string{"ruby": "3.1.2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, study.ID, 0)
	finish(t, s, study.ID, 0, map[string]float64{"a_seconds": 0.1, "b_bytes": 1 << 60})
	begin(t, s, study.ID, 1)
	replay, err = s.SaveReplay(t.Context(), study.ID, studies.Replay{
		Trial: 0, Setting: map[string]string{"A": "0"}, Throughput: studies.Ratio{Low: 0.1, Estimate: 0.2, High: 0.3}, Created: noon,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Export(t.Context(), "blog", &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), trials(t, s, study.ID), replay
}

func TestExportThenImport(t *testing.T) {
	file, want, replay := exported(t)
	s := fresh(t)
	create(t, s, "blog")
	study, err := s.Import(t.Context(), bytes.NewReader(file), "copy")
	if err != nil {
		t.Fatal(err)
	}
	read, err := s.Study(t.Context(), "copy")
	if err != nil || read.Seed != 1<<63+1 || read.Sampler != "tpe" || read.Config != "study: blog\n" || read.Fingerprint["ruby"] != "3.1.2" {
		t.Errorf("%+v, %v", read, err)
	}
	var definition struct{ A []int }
	if err := json.Unmarshal(read.Definition, &definition); err != nil || !cmp.Equal(definition.A, []int{1, 2}) {
		t.Errorf("definition %s: %v", read.Definition, err)
	}
	for i := range want {
		want[i].Marker = "" // of the other machine
	}
	want[1].State, want[1].Reason = studies.Interrupted, "it was running when the study was written to a file"
	if diff := cmp.Diff(want, trials(t, s, study.ID)); diff != "" {
		t.Error(diff)
	}
	replays, err := s.Replays(t.Context(), study.ID)
	if len(replays) != 1 || err != nil {
		t.Fatal(replays, err)
	}
	replay.ID = replays[0].ID
	if diff := cmp.Diff(replay, replays[0]); diff != "" {
		t.Error(diff)
	}
	if trial := begin(t, s, study.ID, 1); trial.Attempts != 2 {
		t.Errorf("an imported study does not go on: %+v", trial)
	}
}

func TestImportKeepsTheName(t *testing.T) {
	file, _, _ := exported(t)
	s := fresh(t)
	study, err := s.Import(t.Context(), bytes.NewReader(file), "")
	if err != nil || study.Name != "blog" {
		t.Fatal(study, err)
	}
	if _, err := s.Import(t.Context(), bytes.NewReader(file), ""); !errors.Is(err, studies.ErrExists) {
		t.Errorf("%v, want ErrExists", err)
	}
}

func TestImportRefuses(t *testing.T) {
	file, _, _ := exported(t)
	tests := []struct {
		name, old, new string
		want           error
	}{
		{"other format", `"gctune-study"`, `"gctune-plan"`, studies.ErrInvalid},
		{"newer version", `"version": 2`, `"version": 3`, studies.ErrNewerVersion},
		{"no version", `"version": 2`, `"version": 0`, studies.ErrInvalid},
		{"unknown field", `"sampler"`, `"command": ["rm"], "sampler"`, studies.ErrInvalid},
		{"unknown state", `"complete"`, `"done"`, studies.ErrInvalid},
		{"negative number", `"number": 1`, `"number": -1`, studies.ErrInvalid},
		{"number there twice", `"number": 1`, `"number": 0`, studies.ErrInvalid},
		{"never begun", `"attempts": 1`, `"attempts": 0`, studies.ErrInvalid},
		{"metric out of range", `"a_seconds": 0.1`, `"a_seconds": 1e999`, studies.ErrInvalid},
		{"wrong type", `"a_seconds": 0.1`, `"a_seconds": "0.1"`, studies.ErrInvalid},
		{"empty metric name", `"a_seconds"`, `""`, studies.ErrInvalid},
		{"bad name", `"name": "blog"`, `"name": "b\nlog"`, studies.ErrInvalid},
		{"replay of an absent trial", `"trial": 0`, `"trial": 9`, studies.ErrInvalid},
		{"replay against an absent trial", `"trial": 0`, `"against": 9, "trial": 0`, studies.ErrInvalid},
		{"confirmation of no trial", `"trial": 0`, `"purpose": "confirmation", "trial": -1`, studies.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(string(file), test.old, test.new, 1)
			if changed == string(file) {
				t.Fatal("the case changes nothing")
			}
			refuse(t, changed, test.want)
		})
	}
	whole := string(bytes.TrimSpace(file))
	for name, content := range map[string]string{"empty": "", "yaml": "study: blog", "cut off": whole[:len(whole)-1], "more": whole + "{}"} {
		t.Run(name, func(t *testing.T) { refuse(t, content, studies.ErrInvalid) })
	}
}

// A replay of a setting given by hand has no trial, and travels.
func TestImportOfAReplayWithoutATrial(t *testing.T) {
	file, _, _ := exported(t)
	changed := strings.Replace(string(file), `"trial": 0`, `"trial": -1`, 1)
	if changed == string(file) {
		t.Fatal("the case changes nothing")
	}
	if _, err := fresh(t).Import(t.Context(), strings.NewReader(changed), ""); err != nil {
		t.Error(err)
	}
}

func refuse(t *testing.T, content string, want error) {
	t.Helper()
	s := fresh(t)
	if _, err := s.Import(t.Context(), strings.NewReader(content), ""); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
	if all, err := s.Studies(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("something of a refused file was kept: %+v, %v", all, err)
	}
}

func TestExportOfNoStudy(t *testing.T) {
	var out bytes.Buffer
	if err := fresh(t).Export(t.Context(), "none", &out); !errors.Is(err, studies.ErrNotFound) || out.Len() > 0 {
		t.Errorf("%v, want ErrNotFound and no output, not %q", err, out.String())
	}
}

// What is imported exports to the same file: nothing is lost or changed.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"format":"gctune-study","version":1,"study":{"name":"a","seed":"1","sampler":"","config":""},"trials":[],"replays":[]}`))
	f.Add([]byte(`{"format":"gctune-study","version":1,"study":{"name":"a","seed":"18446744073709551615","sampler":"s","config":"c","definition":{"x":1}},
		"trials":[{"number":0,"origin":"o","setting":{"A":"1"},"state":"complete","attempts":1,"started":"2026-03-01T12:00:00Z",
		"runs":[{"metrics":{"m":1e-300},"seconds":1,"collections":"AP8="}],"warnings":["w"]}],
		"replays":[{"trial":-1,"setting":{},"throughput":{"low":1,"estimate":1,"high":1},"memory":{"low":1,"estimate":1,"high":1},
		"throughput_verdict":"none","memory_verdict":"none"}]}`))
	path := f.TempDir() + "/gctune.db"
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := studies.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		study, err := s.Import(t.Context(), bytes.NewReader(data), "fuzzed")
		if err != nil {
			return
		}
		defer s.DeleteStudy(t.Context(), study.Name, dead)
		var first, second bytes.Buffer
		if err := s.Export(t.Context(), "fuzzed", &first); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Import(t.Context(), bytes.NewReader(first.Bytes()), "again"); err != nil {
			t.Fatal(err)
		}
		defer s.DeleteStudy(t.Context(), "again", dead)
		if err := s.Export(t.Context(), "again", &second); err != nil {
			t.Fatal(err)
		}
		if got := strings.Replace(second.String(), `"again"`, `"fuzzed"`, 1); got != first.String() {
			t.Errorf("%s\n%s", first.String(), got)
		}
	})
}

// zeros is a device without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFilesWithoutAnEnd(t *testing.T) {
	if _, err := fresh(t).Import(t.Context(), zeros{}, ""); !errors.Is(err, studies.ErrInvalid) {
		t.Errorf("%v, want ErrInvalid", err)
	}
}
