package ruby_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby"
)

const (
	railsbenchNames = `"RUBY_HEAP_MIN_SLOTS","RUBY_HEAP_FREE_MIN","RUBY_HEAP_INCREMENT","RUBY_HEAP_SLOTS_INCREMENT","RUBY_HEAP_SLOTS_GROWTH_FACTOR","RUBY_GC_MALLOC_LIMIT",`
	stockNames      = `"RUBY_GC_MALLOC_LIMIT","RUBY_HEAP_MIN_SLOTS","RUBY_FREE_MIN",`
	laterNames      = stockNames + `"RUBY_HEAP_FREE_MIN","RUBY_HEAP_SLOTS_INCREMENT","RUBY_HEAP_SLOTS_GROWTH_FACTOR",`
)

// build is how the stand-in in testdata/legacy is compiled.
type build struct {
	version, description string
	flags                []string
	shared               bool
}

func (b build) interpreter(t *testing.T) ruby.Interpreter {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "ruby")
	flags := append([]string{"-O1", `-DVERSION="` + b.version + `"`, `-DDESCRIPTION="` + b.description + `"`}, b.flags...)
	heap := "testdata/legacy/gc.c"
	if b.shared {
		library := filepath.Join(dir, "libruby-test.so.1")
		compile(t, append(flags, "-shared", "-fPIC", "-o", library, heap)...)
		heap = library
	}
	compile(t, append(flags, "-o", path, "testdata/legacy/main.c", heap)...)
	in, err := ruby.Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func compile(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

const (
	readsAll = "-DREADS=" + railsbenchNames
	texts187 = "-DTEXTS"
)

var legacyBuilds = []struct {
	name    string
	build   build
	variant string
	takes   string            // name=default, in order
	dead    map[string]string // parts of reasons
}{
	{"patched", build{"1.8.7", "ruby 1.8.7", []string{readsAll, texts187}, false}, "Railsbench patch",
		"MIN_SLOTS=10000 SLOTS_INCREMENT=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=8000000",
		map[string]string{"RUBY_FREE_MIN": "use RUBY_HEAP_FREE_MIN", "RUBY_HEAP_INCREMENT": "enlarges the list", "RUBY_GC_HEAP_INIT_SLOTS": "use RUBY_HEAP_MIN_SLOTS", "RUBY_GC_STATS": "talk"}},
	{"silent", build{"1.8.7", "ruby 1.8.7", []string{readsAll}, false}, "Railsbench patch",
		"MIN_SLOTS=10000 SLOTS_INCREMENT=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=8000000", nil},
	{"fractions", build{"1.8.7", "ruby 1.8.7", []string{readsAll, texts187, "-DFRACTIONS"}, true}, "railsexpress 1.8.7",
		"MIN_SLOTS=10000 SLOTS_INCREMENT=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=8000000", nil},
	{"enterprise", build{"1.8.7", "ruby 1.8.7 (x), MBARI 0x6770, Ruby Enterprise Edition 2012.02", []string{readsAll, texts187, "-DFRACTIONS"}, false}, "Ruby Enterprise Edition",
		"MIN_SLOTS=10000 SLOTS_INCREMENT=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=16000000", nil},
	{"one name unread", build{"1.8.7", "ruby 1.8.7", []string{`-DREADS="RUBY_HEAP_SLOTS_INCREMENT","RUBY_GC_MALLOC_LIMIT",`, `-DCONTAINS="RUBY_HEAP_MIN_SLOTS","RUBY_HEAP_FREE_MIN",`, texts187}, false}, "Railsbench patch",
		"SLOTS_INCREMENT=10000 MALLOC_LIMIT=8000000",
		map[string]string{"RUBY_HEAP_MIN_SLOTS": "contains the name, but a start with 400000 slots takes no more memory", "RUBY_HEAP_FREE_MIN": "contains the name, but does not say"}},
	{"stock 1.9.3", build{"1.9.3", "ruby 1.9.3p551", []string{"-DREADS=" + stockNames, "-DNUMBERS"}, true}, "stock 1.9.3",
		"MIN_SLOTS=10000 FREE_MIN=4096 MALLOC_LIMIT=9000000",
		map[string]string{"RUBY_HEAP_FREE_MIN": "use RUBY_FREE_MIN", "RUBY_HEAP_SLOTS_INCREMENT": "does not contain"}},
	{"early railsexpress 1.9.3", build{"1.9.3", "ruby 1.9.3p125", []string{"-DREADS=" + laterNames, "-DNUMBERS", texts187}, false}, "before p392",
		"MIN_SLOTS=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=9000000",
		map[string]string{"RUBY_HEAP_SLOTS_INCREMENT": "does not grow by it", "RUBY_HEAP_FREE_MIN": "an old name"}},
	{"railsexpress 2.0", build{"2.0.0", "ruby 2.0.0p648", []string{"-DREADS=" + laterNames, "-DNUMBERS", texts187, `-DCONTAINS="heap size        : %7lu\n",`}, false}, "2.0",
		"MIN_SLOTS=10000 SLOTS_INCREMENT=10000 SLOTS_GROWTH_FACTOR=1.8 FREE_MIN=4096 MALLOC_LIMIT=9000000", nil},
}

// Builds of one version are told apart by what they contain and do.
func TestLegacyBuildsAreToldApart(t *testing.T) {
	for _, c := range legacyBuilds {
		t.Run(c.name, func(t *testing.T) {
			s, err := ruby.Parameters(t.Context(), c.build.interpreter(t))
			if err != nil {
				t.Fatal(err)
			}
			if got := takes(s); got != c.takes || !strings.Contains(s.Variant, c.variant) {
				t.Errorf("%s takes %s, want %s: %s", s.Variant, got, c.variant, c.takes)
			}
			for name, part := range c.dead {
				if reason := deadReason(s, name); !strings.Contains(reason, part) {
					t.Errorf("%s is dead because %q, want %q", name, reason, part)
				}
			}
			searchedEndsAreTaken(t, s)
		})
	}
}

// Those that read nothing are told apart, too.
func TestUnsettableLegacyBuildsAreToldApart(t *testing.T) {
	for _, c := range []struct {
		build build
		want  string
	}{
		{build{"1.8.7", "ruby 1.8.7 (2008-08-11 patchlevel 72) [x86_64-linux]", nil, false}, "stock 1.8"},
		{build{"1.8.7", "ruby 1.8.7 (2009-2-16 mbari 8B/0x6770 on patchlevel 72) [x86_64-linux]", nil, false}, "MBARI patches, 1.8"},
		{build{"1.8.7", "ruby 1.8.7", []string{`-DCONTAINS="RUBY_HEAP_MIN_SLOTS",`}, false}, ""},
	} {
		var unsettable *ruby.UnsettableError
		s, err := ruby.Parameters(t.Context(), c.build.interpreter(t))
		if !errors.As(err, &unsettable) || s.Variant != c.want {
			t.Errorf("%s: recognised as %q, want %q (%v)", c.build.description, s.Variant, c.want, err)
		}
	}
}

// takes lists names, without their common beginnings, and defaults.
func takes(s ruby.Support) string {
	var list []string
	for _, p := range s.Parameters {
		list = append(list, strings.NewReplacer("RUBY_HEAP_", "", "RUBY_GC_", "", "RUBY_", "").Replace(p.Name)+"="+p.Default)
	}
	return strings.Join(list, " ")
}

func deadReason(s ruby.Support, name string) string {
	for _, d := range s.Dead {
		if d.Name == name {
			return d.Reason
		}
	}
	return "it is not dead"
}

func searchedEndsAreTaken(t *testing.T, s ruby.Support) {
	t.Helper()
	low, high := map[string]string{}, map[string]string{}
	for _, p := range ruby.SearchSpace(s) {
		low[p.Name], high[p.Name] = strconv.FormatFloat(p.Min, 'f', -1, 64), strconv.FormatFloat(p.Max, 'f', -1, 64)
	}
	for _, setting := range append(ruby.PublicSettings(s), low, high) {
		taken(t, s, setting)
	}
}

// 16384/40 is 409. From 2.0 on five words of eight bytes are left to malloc, and a page
// begins with five more (HEAP_SIZE, struct heaps_header): 16304/40 is 407.
func TestLegacyPagesHoldSoManySlots(t *testing.T) {
	for version, want := range map[string]int{"1.8.7": 0, "1.9.2": 0, "1.9.3": 409, "2.0.0": 407} {
		if in := (build{version, "ruby " + version, []string{"-DREADS=" + stockNames, "-DNUMBERS"}, false}).interpreter(t); in.SlotsPerPage != want {
			t.Errorf("%s: %d slots in a page, want %d", version, in.SlotsPerPage, want)
		}
	}
}

func TestLegacyBuildsThatReadNothing(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{nil, "contains none of the names"},
		{[]string{`-DCONTAINS="NOT_RUBY_HEAP_MIN_SLOTS","RUBY_HEAP_MIN_SLOTS=%s",`}, "contains none of the names"},
		{[]string{"-DCONTAINS=" + railsbenchNames}, "was not seen to read any"},
	} {
		in := build{"1.8.7", "ruby 1.8.7", c.flags, false}.interpreter(t)
		s, err := ruby.Parameters(t.Context(), in)
		var unsettable *ruby.UnsettableError
		if !errors.As(err, &unsettable) || !strings.Contains(unsettable.Reason, c.want) || !strings.Contains(unsettable.Reason, "`source:`") {
			t.Errorf("%v: %v, want *UnsettableError with %q and a way out", c.flags, err, c.want)
		}
		if reason := deadReason(s, "RUBY_HEAP_MIN_SLOTS"); !strings.Contains(reason, "contain") {
			t.Errorf("%v: RUBY_HEAP_MIN_SLOTS: %s", c.flags, reason)
		}
		if _, err := ruby.Prove(t.Context(), in, map[string]string{"RUBY_HEAP_MIN_SLOTS": "600000"}, ruby.Limits{}); !errors.As(err, &unsettable) {
			t.Errorf("%v: Prove: %v", c.flags, err)
		}
	}
}

// What atoi would make of a text is foretold and never let through.
func TestLegacyMisreadings(t *testing.T) {
	for _, c := range []struct {
		build build
		texts map[string]string // NAME=TEXT to part of the reason
	}{
		{build{"1.8.7", "ruby 1.8.7", []string{"-DREADS=" + railsbenchNames, "-DTEXTS"}, false}, map[string]string{
			"RUBY_HEAP_MIN_SLOTS=600_000":       "read it as 600;",
			"RUBY_GC_MALLOC_LIMIT=64M":          "read it as 64;",
			"RUBY_GC_MALLOC_LIMIT=1e7":          "read it as 1;",
			"RUBY_GC_MALLOC_LIMIT=4294967296":   "lose its upper bits",
			"RUBY_GC_MALLOC_LIMIT=7999999":      "no effect below 8000000",
			`RUBY_HEAP_FREE_MIN="4096"`:         "read it as 0;",
			"RUBY_HEAP_FREE_MIN=0":              "ignored by Ruby: must be greater than 0",
			"RUBY_HEAP_SLOTS_GROWTH_FACTOR=1.8": "read it as 1; write a whole number",
			"RUBY_FREE_MIN=5000":                "use RUBY_HEAP_FREE_MIN",
		}},
		{build{"2.0.0", "ruby 2.0.0", []string{"-DREADS=" + laterNames, "-DNUMBERS", "-DTEXTS", `-DCONTAINS="heap size        : %7lu\n",`}, false}, map[string]string{
			"RUBY_HEAP_SLOTS_INCREMENT=0":       "would take it",
			"RUBY_HEAP_SLOTS_INCREMENT=406":     "below one heap page",
			"RUBY_HEAP_SLOTS_GROWTH_FACTOR=1e0": "read it as 1; write a plain number",
			"RUBY_HEAP_SLOTS_GROWTH_FACTOR=.5":  "read it as 0.5;",
		}},
	} {
		s, err := ruby.Parameters(t.Context(), c.build.interpreter(t))
		if err != nil {
			t.Fatal(err)
		}
		for entry, want := range c.texts {
			name, text, _ := strings.Cut(entry, "=")
			var wrong *ruby.ValueError
			if err := s.Check(map[string]string{name: text}); !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, want) {
				t.Errorf("Check %s: %v, want %q", entry, err, want)
			}
			verdicts, err := ruby.Prove(t.Context(), s.Interpreter, map[string]string{name: text}, ruby.Limits{})
			if v := verdicts[name]; err != nil || v.Taken || !strings.Contains(v.Reason, want) {
				t.Errorf("Prove %s: %+v, %v, want %q", entry, v, err, want)
			}
		}
	}
}

func TestLegacyProofs(t *testing.T) {
	setting := map[string]string{"RUBY_HEAP_MIN_SLOTS": "600000", "RUBY_GC_MALLOC_LIMIT": "60000000"}
	for _, c := range []struct {
		name          string
		flags         []string
		slots, limit  string // parts of proofs
		version, says string
	}{
		{"by text", []string{"-DREADS=" + railsbenchNames, "-DTEXTS"}, "MB more memory", "repeated the text", "1.8.7", ""},
		{"by binary", []string{"-DREADS=" + railsbenchNames}, "MB more memory", "binary contains", "1.8.7", ""},
		{"by number", []string{"-DREADS=" + stockNames, "-DNUMBERS"}, "MB more memory", "", "1.9.3", "9000000"},
	} {
		in := build{c.version, "ruby", c.flags, false}.interpreter(t)
		verdicts, err := ruby.Prove(t.Context(), in, setting, ruby.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		slots, limit := verdicts["RUBY_HEAP_MIN_SLOTS"], verdicts["RUBY_GC_MALLOC_LIMIT"]
		if !slots.Taken || slots.Value != "600000" || !strings.Contains(slots.Proof, c.slots) {
			t.Errorf("%s: %+v", c.name, slots)
		}
		if !limit.Taken || limit.Value != "60000000" || !strings.Contains(limit.Proof, c.limit) || c.says != "" && limit.Default != c.says {
			t.Errorf("%s: %+v", c.name, limit)
		}
		_, err = ruby.Prove(t.Context(), in, map[string]string{"RUBY_HEAP_MIN_SLOTS": "20000000"}, ruby.Limits{Memory: 256 << 20})
		var crash *ruby.CrashError
		if !errors.As(err, &crash) || crash.Cause != ruby.CauseMemory {
			t.Errorf("%s: 800 MB of slots in 256: %v", c.name, err)
		}
	}
}

func FuzzParseLegacyEcho(f *testing.F) {
	f.Add("malloc_limit=0 (8000000)\nRUBY_HEAP_MIN_SLOTS=5x\nfree_min=-1 (4096)\nx=1 (2)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for name, said := range ruby.ParseLegacyEcho(text) {
			if !ruby.IsGCVariable(name) && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" || (said.Number == "") != (said.Usual == "") {
				t.Errorf("%q: %+v", name, said)
			}
		}
	})
}
