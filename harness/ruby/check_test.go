package ruby_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

// texts are what people write. Each is given to every parameter, and what
// CheckValue foretells is compared with what the interpreter does.
var texts = []string{
	"600_000", "16MB", "1e6", `"500000"`, "'500000'", "010000", "0x4000", "500000 ", " 500000", "-5", "0", "0.0",
	"20000", "20000.0", "1.0", "1", "0.07", "1.5", "1.5\r", "1.5 ", "16m", "16M", "32k", "99999999999g", "99999999999999999999", "nan", "inf", ".5", "1.", "five",
}

func TestCheckForetellsWhatRubyDoes(t *testing.T) {
	eachRuby(t, func(t *testing.T, s ruby.Support) {
		for _, text := range texts {
			setting := map[string]string{}
			for _, p := range s.Parameters {
				if harmless(p, text) {
					setting[p.Name] = text
				}
			}
			verdicts, err := ruby.Prove(t.Context(), s.Interpreter, setting, ruby.Limits{})
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			for name, verdict := range verdicts {
				p, _ := s.Parameter(name)
				compare(t, p, text, verdict, ruby.CheckValue(p, text))
			}
		}
	})
}

// harmless leaves out what aborts, takes all memory, or collects at each step:
// those are for other tests.
func harmless(p ruby.Parameter, text string) bool {
	switch text {
	case "1":
		return p.Kind == ruby.Real
	case "010000", "16m", "16M":
		return p.Unit != "slots"
	case "99999999999g", "99999999999999999999": // up to 2.3 a heap grows by such a factor, and nothing is enough for it
		return p.Unit == "bytes"
	}
	return true
}

func compare(t *testing.T, p ruby.Parameter, text string, verdict ruby.Verdict, refused error) {
	t.Helper()
	// Relative bounds are those of Support.Check.
	if p.Bounds.AboveName != "" {
		return
	}
	switch {
	case refused == nil && !verdict.Taken:
		t.Errorf("%s=%q was let through, but: %s", p.Name, text, verdict.Reason)
	case refused == nil:
		if _, canonical, _ := ruby.ParseValue(p, text); canonical != verdict.Value {
			t.Errorf("%s=%q is read as %s, foretold %s", p.Name, text, verdict.Value, canonical)
		}
	case strings.Contains(refused.Error(), "read it as"):
		if !strings.Contains(refused.Error(), "read it as "+verdict.Value+";") {
			t.Errorf("%s=%q is read as %s, foretold: %v", p.Name, text, verdict.Value, refused)
		}
	case strings.Contains(refused.Error(), "overflows"), strings.Contains(refused.Error(), "plain number"):
	case verdict.Taken:
		t.Errorf("%s=%q was taken as %s, foretold: %v", p.Name, text, verdict.Value, refused)
	}
}

// parameters of Ruby 3.1.2, whatever is installed.
func bookworm(t *testing.T) ruby.Support {
	t.Helper()
	for _, in := range interpreters(t) {
		if in.Version == "3.1.2" {
			s, err := ruby.Parameters(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Skip("Ruby 3.1.2 is not installed")
	return ruby.Support{}
}

func TestCheckExplains(t *testing.T) {
	s := bookworm(t)
	for _, c := range []struct{ name, text, want string }{
		{"RUBY_GC_HEAP_GROWTH_FACTOR", "0.07", "ignored by Ruby: must be greater than 1.0"},
		{"RUBY_GC_HEAP_GROWTH_FACTOR", "1.0", "ignored by Ruby: must be greater than 1.0"},
		{"RUBY_GC_HEAP_INIT_SLOTS", "5000", "aborts at boot below 9816"},
		{"RUBY_GC_HEAP_INIT_SLOTS", "010000", "Ruby would read it as 4096; write it without the leading 0"},
		{"RUBY_GC_HEAP_INIT_SLOTS", "600_000", "Ruby would ignore it"},
		{"RUBY_GC_HEAP_0_INIT_SLOTS", "20000", "read from 3.3.0 on"},
		{"RUBY_FREE_MIN", "20000", "use RUBY_GC_HEAP_FREE_SLOTS"},
		{"RUBY_GC_HEAP_INIT_SIZE_40_SLOTS", "20000", "does not read the name"},
		{"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO", "0.2", "must be greater than 0.2, the value of RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO"},
		{"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO", "0.7", "must not be greater than 0.65"},
		{"RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO", "1.5", "must not be greater than 1.0"},
	} {
		err := s.Check(map[string]string{c.name: c.text})
		var value *ruby.ValueError
		if !errors.As(err, &value) || !strings.Contains(value.Reason, c.want) {
			t.Errorf("%s=%s: %v, want a reason with %q", c.name, c.text, err, c.want)
		}
	}
	group := map[string]string{
		"RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO": "0.5", "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO": "0.7", "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO": "0.8",
	}
	if err := s.Check(group); err != nil {
		t.Errorf("a group in order: %v", err)
	}
	if err := s.Check(map[string]string{"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO": "0"}); err != nil {
		t.Errorf("goal ratio 0: %v", err)
	}
}

func FuzzParseValue(f *testing.F) {
	for _, text := range texts {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, size bool) {
		p := ruby.Parameter{Name: "X", Kind: ruby.Real}
		if size {
			p.Kind = ruby.Size
		}
		value, canonical, err := ruby.ParseValue(p, text)
		if err != nil {
			return
		}
		again, same, err := ruby.ParseValue(p, canonical)
		if err != nil || again != value || same != canonical {
			t.Errorf("%q gives %s, which gives %s, %v", text, canonical, same, err)
		}
	})
}

// The default of 3.2.0 aborts it if it is given.
func TestADefaultThatCannotBeGiven(t *testing.T) {
	for description, want := range map[string]string{"ruby 3.2.0 (2022-12-25)": "", "ruby 3.2.1 (2023-02-08)": "10000", "ruby 3.1.2p20 (2022-04-12)": "10000"} {
		s, _ := ruby.Stated(description)
		at := slices.IndexFunc(ruby.SearchSpace(s), func(p ruby.SearchParameter) bool { return p.Name == "RUBY_GC_HEAP_INIT_SLOTS" })
		if at < 0 || ruby.SearchSpace(s)[at].Default != want {
			t.Errorf("%s: parameter %d, want the default %q", description, at, want)
		}
	}
}

// The lower bound holds for some patch releases only. A stand-in that takes
// every name is asked, so that only the catalogue's rows differ.
func TestInitSlotsAbortByPatchRelease(t *testing.T) {
	for version, below := range map[string]int{
		"2.7.8": 0, "3.0.7": 0, "3.1.0": 9816, "3.1.3": 9816, "3.1.4": 0, "3.1.7": 0, "3.2.0": 14742, "3.2.1": 0,
	} {
		path := standIn(t, version, "ruby", `env | sed -n 's/^\(RUBY_GC[A-Z_]*\)=\(.*\)/\1=\2 (default value: \2)/p' >&2`)
		in, err := ruby.Probe(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ruby.Parameters(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		var value *ruby.ValueError
		aborts := below > 0
		err = s.Check(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": strconv.Itoa(max(1, below-1))})
		if errors.As(err, &value) != aborts || aborts && !(value.Aborts && strings.Contains(value.Reason, strconv.Itoa(below))) {
			t.Errorf("below %d slots on %s: %v, want an abort: %t", below, version, err, aborts)
		}
		if err := s.Check(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": strconv.Itoa(max(1, below))}); err != nil {
			t.Errorf("%d slots on %s: %v", below, version, err)
		}
		for _, p := range ruby.SearchSpace(s) {
			if p.Name == "RUBY_GC_HEAP_INIT_SLOTS" && p.Min < float64(below) {
				t.Errorf("%s is searched from %.0f", version, p.Min)
			}
		}
	}
}
