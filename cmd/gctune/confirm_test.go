package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies"
)

// A confirmation that is killed has lost no pair but the one under way; the same
// command goes on with it, and ends what was left running.
func TestKilledConfirmationGoesOn(t *testing.T) {
	s := newStudy(t, "study: app\nbatch: {command: [\"{ruby}\", leaner.rb], work: 300}\n")
	program, err := os.ReadFile("testdata/programs/leaner.rb")
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, "leaner.rb"), program, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	optimize := []string{"optimize", "--budget", "2", "--seed", "5", "--confirm", "1"} // trial 1 takes less memory
	cmd, stderr := s.start(optimize...)
	eventually(t, "the third pair", func() bool { return strings.Contains(stderr.String(), "pair 3 of at most") })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	before := s.replays()
	if len(before) != 1 || len(before[0].Pairs) < 3 || before[0].Ended || before[0].Purpose != studies.Confirmation {
		t.Fatalf("kept: %+v", before)
	}
	s.output(optimize...)
	if left := s.left(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	after := s.replays()
	for _, r := range after {
		if !r.Ended || len(r.Pairs) < 6 && r.Failure == "" {
			t.Errorf("not at its end: %+v", r)
		}
	}
	if kept := after[0].Pairs[:len(before[0].Pairs)]; !cmp.Equal(kept, before[0].Pairs) {
		t.Error(cmp.Diff(before[0].Pairs, kept))
	}
	balance := 0
	for _, p := range after[0].Pairs {
		if p.BaselineFirst {
			balance++
		}
	}
	if 2*balance != len(after[0].Pairs) {
		t.Errorf("the baseline was first in %d of %d pairs", balance, len(after[0].Pairs))
	}
}

// replays reads the study's replays from its file form.
func (s study) replays() []studies.Replay {
	s.t.Helper()
	var file struct{ Replays []studies.Replay }
	if err := json.Unmarshal([]byte(s.output("studies", "copy", "--to", "-", "app")), &file); err != nil {
		s.t.Fatal(err)
	}
	return file.Replays
}
