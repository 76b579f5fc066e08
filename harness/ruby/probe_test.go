package ruby_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

func TestProbeSaysWhatIsWrongWithAPath(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(plain, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		"/no/such/ruby":         ruby.ErrNotFound,
		"ruby-of-no-known-line": ruby.ErrNotFound,
		plain:                   ruby.ErrNotExecutable,
		"/bin/true":             ruby.ErrNotRuby,
		"/bin/echo":             ruby.ErrNotRuby,
		"/bin/sh":               ruby.ErrNotRuby,
		filepath.Dir(plain):     ruby.ErrNotExecutable,
		"/usr/bin/yes":          ruby.ErrNotRuby,
	} {
		_, err := ruby.Probe(t.Context(), path)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Probe(%s) = %v, want %v with the path", path, err, want)
		}
	}
}

func TestProbeIgnoresTheShellsVariables(t *testing.T) {
	t.Setenv("RUBYOPT", "-rno_such_library")
	t.Setenv("RUBY_GC_HEAP_INIT_SLOTS", "20000")
	for _, in := range interpreters(t) {
		if !strings.Contains(in.Description, in.Version) || in.Line() != in.Version[:3] || !filepath.IsAbs(in.Path) {
			t.Errorf("implausible interpreter %+v", in)
		}
		if in.Engine == "ruby" && in.AtLeast("2.1") && (in.SlotsPerPage < 400 || in.SlotBytes < 40) {
			t.Errorf("%s: pages of %d slots of %d bytes", in.Version, in.SlotsPerPage, in.SlotBytes)
		}
		facts := in.Fingerprint()
		if facts["ruby_description"] != in.Description || facts["ruby_allocator"] == "" {
			t.Errorf("fingerprint %v lacks description or allocator", facts)
		}
	}
}

// An interpreter that needs folders has them at every launch, before those that
// the shell names; the shell's own library folders stay out.
func TestProbeGivesWhatIsNeeded(t *testing.T) {
	t.Setenv("LD_LIBRARY_PATH", "/shell")
	t.Setenv("RUBYLIB", "/shell")
	path := standIn(t, "3.1.2", "ruby", `echo "RUBY_GC_HEAP_INIT_SLOTS=20000 (default value: 10000)" >&2`)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const needs = "#!/bin/sh\n[ \"$LD_LIBRARY_PATH $RUBYLIB\" = \"/tree:/shell /tree/lib\" ] || exit 1\n"
	if err := os.WriteFile(path, append([]byte(needs), text...), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := ruby.Probe(t.Context(), path); !errors.Is(err, ruby.ErrNotRuby) {
		t.Errorf("without: %v", err)
	}
	in, err := ruby.Probe(t.Context(), path, "LD_LIBRARY_PATH=/tree", "RUBYLIB=/tree/lib")
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := ruby.Prove(t.Context(), in, map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "20000"}, ruby.Limits{})
	if err != nil || !verdicts["RUBY_GC_HEAP_INIT_SLOTS"].Taken {
		t.Errorf("%v, %v", verdicts, err)
	}
	variables := map[string]string{"RUBYLIB": "/own"}
	if in.Prepend(variables); variables["RUBYLIB"] != "/tree/lib:/own" || variables["LD_LIBRARY_PATH"] != "/tree" {
		t.Errorf("a program gets %v", variables)
	}
}

func TestUnsettableInterpretersAreTyped(t *testing.T) {
	for _, c := range []struct{ version, engine, family string }{
		{"1.8.7", "ruby", "legacy"}, {"1.9.3", "ruby", "legacy"}, {"2.0.0", "ruby", "legacy"}, {"3.1.4", "jruby", "foreign"},
	} {
		in, err := ruby.Probe(t.Context(), standIn(t, c.version, c.engine, ""))
		if err != nil {
			t.Fatal(err)
		}
		if in.Family() != c.family {
			t.Errorf("%s %s is of family %s, want %s", c.engine, c.version, in.Family(), c.family)
		}
		var unsettable *ruby.UnsettableError
		s, err := ruby.Parameters(t.Context(), in)
		if !errors.As(err, &unsettable) {
			t.Errorf("Parameters of %s %s: %v, want *UnsettableError", c.engine, c.version, err)
		}
		if want := map[string]string{"legacy": "stock " + in.Line()}[c.family]; s.Variant != want {
			t.Errorf("%s %s is recognised as %q, want %q", c.engine, c.version, s.Variant, want)
		}
		if _, err := ruby.Prove(t.Context(), in, nil, ruby.Limits{}); !errors.As(err, &unsettable) {
			t.Errorf("Prove on %s %s: %v, want *UnsettableError", c.engine, c.version, err)
		}
	}
}
