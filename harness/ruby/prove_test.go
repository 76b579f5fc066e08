package ruby_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/ruby"
)

// Every end of every range is legal and really taken, and so are the defaults.
func TestSearchSpaceIsTaken(t *testing.T) {
	eachRuby(t, func(t *testing.T, s ruby.Support) {
		low, high, usual := map[string]string{}, map[string]string{}, map[string]string{}
		seen := map[string]bool{"": true}
		for _, p := range ruby.SearchSpace(s) {
			low[p.Name] = strconv.FormatFloat(p.Min, 'f', -1, 64)
			high[p.Name] = strconv.FormatFloat(p.Max, 'f', -1, 64)
			usual[p.Name] = p.Default
			def, err := strconv.ParseFloat(p.Default, 64)
			if err != nil || def < p.Min || def > p.Max || !seen[p.AtLeast] {
				t.Errorf("%+v: default outside, or kept above one that comes later", p)
			}
			seen[p.Name] = true
		}
		least := 11
		switch {
		case !s.Interpreter.AtLeast("2.1"): // slots, free slots and a malloc limit
			least = 3
		case !s.Interpreter.AtLeast("2.4"): // without the shares of free slots
			least = 9
		}
		if len(seen)-1 < least {
			t.Errorf("only %d parameters", len(seen)-1)
		}
		for _, setting := range []map[string]string{low, high, usual} {
			taken(t, s, setting)
		}
		for _, setting := range ruby.PublicSettings(s) {
			taken(t, s, setting)
		}
	})
}

func taken(t *testing.T, s ruby.Support, setting map[string]string) {
	t.Helper()
	if err := s.Check(setting); err != nil {
		t.Errorf("Check: %v", err)
	}
	verdicts, err := ruby.Prove(t.Context(), s.Interpreter, setting, ruby.Limits{Memory: 8 << 30})
	if err != nil {
		t.Fatalf("%v: %v", setting, err)
	}
	for name, verdict := range verdicts {
		if !verdict.Taken {
			t.Errorf("%s=%s: %s", name, setting[name], verdict.Reason)
		}
	}
}

func TestProveReportsWhatRubyIgnores(t *testing.T) {
	s := bookworm(t)
	verdicts, err := ruby.Prove(t.Context(), s.Interpreter, map[string]string{
		"RUBY_GC_HEAP_GROWTH_FACTOR": "0.07", "RUBY_GC_MALLOC_LIMIT": "16MB", "RUBY_GC_OLDMALLOC_LIMIT": "99999999999g",
		"RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO": "1.5", "RUBY_GC_HEAP_0_INIT_SLOTS": "20000", "RUBY_GC_HEAP_FREE_SLOTS": "5000",
	}, ruby.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]ruby.Verdict{
		"RUBY_GC_HEAP_GROWTH_FACTOR":        {Value: "0.07", Default: "1.8", Reason: "ignored by Ruby: must be greater than 1.0"},
		"RUBY_GC_MALLOC_LIMIT":              {Reason: `ignored by Ruby: it cannot read "16MB" as a number`},
		"RUBY_GC_OLDMALLOC_LIMIT":           {Reason: "ignored by Ruby: 99999999999g is too large"},
		"RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO": {Value: "1.5", Default: "0.65", Reason: "ignored by Ruby: must be lower than 1.0"},
		"RUBY_GC_HEAP_0_INIT_SLOTS":         {Reason: "no effect on this Ruby; read from 3.3.0 on"},
		"RUBY_GC_HEAP_FREE_SLOTS":           {Taken: true, Value: "5000", Default: "4096"},
	} {
		if verdicts[name] != want {
			t.Errorf("%s: %+v, want %+v", name, verdicts[name], want)
		}
	}
}

func TestProveReportsACrash(t *testing.T) {
	s := bookworm(t)
	for _, c := range []struct {
		slots  string
		limits ruby.Limits
		cause  ruby.Cause
		want   string
	}{
		{"5000", ruby.Limits{}, ruby.CauseAbort, "killed by SIGABRT): /usr/bin/ruby: [BUG] heap_page_allocate"},
		{"9815", ruby.Limits{}, ruby.CauseAbort, "SIGABRT"},
		{"100000000", ruby.Limits{Memory: 256 << 20}, ruby.CauseMemory, "256 MiB of memory allowed"},
		{"400000000", ruby.Limits{Memory: 16 << 30, Time: 200 * time.Millisecond}, ruby.CauseTime, "not up within 200ms"},
	} {
		_, err := ruby.Prove(t.Context(), s.Interpreter, map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": c.slots}, c.limits)
		var crash *ruby.CrashError
		if !errors.As(err, &crash) || crash.Cause != c.cause || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s slots: %v, want cause %s and %q", c.slots, err, c.cause, c.want)
		}
	}
	taken(t, s, map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "9816"})
}

// Ruby 2.1 echoes otherwise, reads numbers leniently and into 32 bits. Its
// words are those of its gc.c.
func TestRuby21(t *testing.T) {
	path := standIn(t, "2.1.5", "ruby", `
for name in $(env | sed -n 's/^\(RUBY_GC[A-Z_]*\)=.*/\1/p'); do
  eval value=\$$name
  case $name in
    *_BYTES|*_RATIO|*[0-9]*) ;;
    *FACTOR) echo "$name=${value}00000 (2.000000)" >&2 ;;
    RUBY_GC_HEAP_FREE_SLOTS) [ $value -gt 0 ] && echo "$name=$value (4096)" >&2 || echo "$name=$value (4096), but ignored because lower than 0" >&2 ;;
    *) echo "$name=$value (16777216)" >&2 ;;
  esac
done`)
	in, err := ruby.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ruby.Parameters(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Parameters) != 11 {
		t.Errorf("%d parameters, want the 11 of Ruby 2.1", len(s.Parameters))
	}
	p, _ := s.Parameter("RUBY_GC_MALLOC_LIMIT_MAX")
	for text, want := range map[string]string{
		"600_000": "read it as 600;", "64M": "read it as 64;", "1e6": "read it as 1;", `"5"`: "read it as 0;", "4294967296": "2147483647",
	} {
		if err := ruby.CheckValue(p, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	factor, _ := s.Parameter("RUBY_GC_HEAP_GROWTH_FACTOR") // strtod knows base 16
	if err := ruby.CheckValue(factor, "0x10"); err == nil || !strings.Contains(err.Error(), "read it as 16;") {
		t.Errorf("0x10: %v", err)
	}
	for _, sp := range ruby.SearchSpace(s) {
		if p, _ := s.Parameter(sp.Name); ruby.CheckValue(p, strconv.FormatFloat(sp.Max, 'f', -1, 64)) != nil {
			t.Errorf("the range of %s ends at %v, which Ruby 2.1 cannot read", sp.Name, sp.Max)
		}
	}
	verdicts, err := ruby.Prove(t.Context(), in, map[string]string{"RUBY_GC_HEAP_FREE_SLOTS": "0"}, ruby.Limits{})
	want := ruby.Verdict{Value: "0", Default: "4096", Reason: "ignored by Ruby: lower than 0"}
	if err != nil || verdicts["RUBY_GC_HEAP_FREE_SLOTS"] != want {
		t.Errorf("%+v, %v; want %+v", verdicts, err, want)
	}
}

func FuzzParseEcho(f *testing.F) {
	f.Add("RUBY_GC_HEAP_FREE_SLOTS=5000 (default value: 4096)\ninvalid string for X: 1_0\nX=9g is ignored because it overflows\n")
	f.Add("A=0.070000 (default value: 1.800000) is ignored because it must be greater than 1.000000.\nB=1 (2), but ignored because lower than 3\n")
	f.Add("A=. (0)")
	f.Fuzz(func(t *testing.T, text string) {
		for name, verdict := range ruby.ParseEcho(text) {
			if name == "" || verdict.Taken != (verdict.Reason == "") || verdict.Taken && verdict.Value == "" {
				t.Errorf("%q: %+v", name, verdict)
			}
		}
	})
}

func TestScrub(t *testing.T) {
	kept, removed := ruby.Scrub([]string{"PATH=/bin", "RUBY_GC_MALLOC_LIMIT=1", "RUBY_HEAP_MIN_SLOTS=1", "RUBY_FREE_MIN=1", "RUBY_GC_LIBRARY=mmtk", "RUBYOPT=-w"})
	if strings.Join(kept, " ") != "PATH=/bin RUBYOPT=-w" || len(removed) != 4 {
		t.Errorf("kept %v, removed %v", kept, removed)
	}
}
