package studies_test

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies"
)

func TestClaimExcludes(t *testing.T) {
	s := fresh(t)
	create(t, s, "blog")
	create(t, s, "shop")
	first := studies.Owner{PID: 41, StartTicks: 1<<63 + 7, BootID: "b", Host: "h"}
	claim, err := s.Claim(t.Context(), "blog", first, alive)
	if err != nil {
		t.Fatal(err)
	}
	second := studies.Owner{PID: 42}
	_, err = s.Claim(t.Context(), "blog", second, alive)
	var inUse *studies.InUseError
	if !errors.As(err, &inUse) || inUse.Owner != first || !strings.Contains(err.Error(), "pid 41") {
		t.Errorf("second claim: %v, want InUseError with the first owner", err)
	}
	if err := s.DeleteStudy(t.Context(), "blog", alive); !errors.As(err, &inUse) {
		t.Errorf("deletion: %v, want InUseError", err)
	}
	if _, err := s.Claim(t.Context(), "shop", second, alive); err != nil {
		t.Errorf("claim of another study: %v", err)
	}
	if _, err := s.Claim(t.Context(), "none", second, alive); !errors.Is(err, studies.ErrNotFound) {
		t.Errorf("claim of no study: %v, want ErrNotFound", err)
	}
	if err := claim.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(t.Context(), "blog", second, alive); err != nil {
		t.Errorf("claim after release: %v", err)
	}
	if err := claim.Release(t.Context()); err != nil {
		t.Errorf("second release: %v", err)
	}
	if _, err := s.Claim(t.Context(), "blog", first, alive); !errors.As(err, &inUse) {
		t.Error("a second release gave away the claim of another")
	}
}

func TestClaimOfDeadOwner(t *testing.T) {
	s := fresh(t)
	study := create(t, s, "blog")
	if _, err := s.Claim(t.Context(), "blog", studies.Owner{PID: 41}, alive); err != nil {
		t.Fatal(err)
	}
	begin(t, s, study.ID, 0)
	finish(t, s, study.ID, 0, nil)
	begin(t, s, study.ID, 1)
	claim, err := s.Claim(t.Context(), "blog", studies.Owner{PID: 42}, dead)
	if err != nil {
		t.Fatal(err)
	}
	want := studies.Trial{
		Number: 1, Origin: "sobol", Setting: map[string]string{"A": "1"}, State: studies.Interrupted, Attempts: 1,
		Reason: "gctune (pid 41) ended during this trial", Started: noon, Marker: "marker-1",
	}
	if diff := cmp.Diff([]studies.Trial{want}, claim.Interrupted); diff != "" {
		t.Error(diff)
	}
	// An owner that dies before it has swept leaves that to the next.
	claim, err = s.Claim(t.Context(), "blog", studies.Owner{PID: 43}, dead)
	if diff := cmp.Diff([]studies.Trial{want}, claim.Interrupted); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if trial := begin(t, s, study.ID, 1); trial.Attempts != 2 {
		t.Errorf("begun again with attempt %d, want 2", trial.Attempts)
	}
	if err := s.DeleteStudy(t.Context(), "blog", dead); err != nil {
		t.Error(err)
	}
}

func TestClaimsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gctune.db")
	create(t, open(t, path), "blog")
	var won atomic.Int32
	var wait sync.WaitGroup
	for pid := range 8 {
		s := open(t, path)
		wait.Go(func() {
			_, err := s.Claim(t.Context(), "blog", studies.Owner{PID: pid}, alive)
			var inUse *studies.InUseError
			switch {
			case err == nil:
				won.Add(1)
			case !errors.As(err, &inUse):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if won.Load() != 1 {
		t.Errorf("%d claims were granted, want 1", won.Load())
	}
}
