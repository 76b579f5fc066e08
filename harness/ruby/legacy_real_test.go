package ruby_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

// realBuild is a build of Ruby 1.8.7, stock or patched, whose path the
// environment gives.
func realBuild(t *testing.T, which string) ruby.Interpreter {
	t.Helper()
	path := os.Getenv("GCTUNE_TEST_RUBY187_" + which)
	if path == "" {
		t.Skip("GCTUNE_TEST_RUBY187_" + which + " names no build")
	}
	in, err := ruby.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if in.SlotBytes != 40 || in.SlotsPerPage != 0 || in.Version != "1.8.7" {
		t.Errorf("implausible interpreter %+v", in)
	}
	return in
}

func TestRealBuildsThatReadNothing(t *testing.T) {
	for _, which := range []string{"STOCK", "MBARI"} {
		t.Run(which, func(t *testing.T) {
			var unsettable *ruby.UnsettableError
			s, err := ruby.Parameters(t.Context(), realBuild(t, which))
			if want := map[string]string{"STOCK": "stock 1.8", "MBARI": "MBARI patches, 1.8"}[which]; s.Variant != want {
				t.Errorf("recognised as %q, want %q", s.Variant, want)
			}
			if !errors.As(err, &unsettable) || !strings.Contains(err.Error(), "contains none of the names") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestRealRailsbench(t *testing.T) {
	s, err := ruby.Parameters(t.Context(), realBuild(t, "RAILSBENCH"))
	if err != nil {
		t.Fatal(err)
	}
	if got := takes(s); got != "MIN_SLOTS=10000 SLOTS_INCREMENT=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=8000000" {
		t.Errorf("takes %s", got)
	}
	if p, _ := s.Parameter("RUBY_HEAP_SLOTS_GROWTH_FACTOR"); !p.Bounds.Whole {
		t.Error("the factor is read by atoi, and said to be a real")
	}
	if public := ruby.PublicSettings(s); len(public) != 3 || len(public[0]) != 4 {
		t.Errorf("public settings %v", public)
	}
	searchedEndsAreTaken(t, s)
	for entry, want := range map[string]string{
		"RUBY_HEAP_MIN_SLOTS=600_000": "read it as 600;", "RUBY_GC_MALLOC_LIMIT=64M": "read it as 64;", "RUBY_FREE_MIN=5000": "use RUBY_HEAP_FREE_MIN",
	} {
		name, text, _ := strings.Cut(entry, "=")
		verdicts, err := ruby.Prove(t.Context(), s.Interpreter, map[string]string{name: text}, ruby.Limits{})
		if v := verdicts[name]; err != nil || v.Taken || !strings.Contains(v.Reason, want) {
			t.Errorf("%s: %+v, %v, want %q", entry, v, err, want)
		}
	}
	var crash *ruby.CrashError
	_, err = ruby.Prove(t.Context(), s.Interpreter, map[string]string{"RUBY_HEAP_MIN_SLOTS": "2147483647"}, ruby.Limits{})
	if !errors.As(err, &crash) || crash.Cause != ruby.CauseMemory {
		t.Errorf("2147483647 slots: %v", err)
	}
}
