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
		facts := in.Fingerprint()
		if facts["ruby_description"] != in.Description || facts["ruby_allocator"] == "" {
			t.Errorf("fingerprint %v lacks description or allocator", facts)
		}
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
		if _, err := ruby.Parameters(t.Context(), in); !errors.As(err, &unsettable) {
			t.Errorf("Parameters of %s %s: %v, want *UnsettableError", c.engine, c.version, err)
		}
		if _, err := ruby.Prove(t.Context(), in, nil, ruby.Limits{}); !errors.As(err, &unsettable) {
			t.Errorf("Prove on %s %s: %v, want *UnsettableError", c.engine, c.version, err)
		}
	}
}
