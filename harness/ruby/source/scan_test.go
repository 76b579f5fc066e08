package source_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/ruby/source"
)

// hand are the values that were once set by hand.
var hand = map[string]string{"HEAP_MIN_SLOTS": "600000", "HEAP_SLOTS_INCREMENT": "600000", "FREE_MIN": "100000", "GC_MALLOC_LIMIT": "60000000"}

const growing = "void grow(void)\n{\n    heap_slots *= 1.8;\n    if (heap_slots <= 0) heap_slots = HEAP_MIN_SLOTS;\n}\n"

// TestForms edits one constant in every form that it is met in. «old» marks
// the bytes that may change; want is what stands there afterwards.
func TestForms(t *testing.T) {
	tests := []struct {
		name, marked string
		parameter    string
		value        string
		want         string
		default64    string
		default32    string
	}{
		{"plain", "#define HEAP_MIN_SLOTS «10000»\n", "HEAP_MIN_SLOTS", "600000", "600000", "10000", "10000"},
		{"tabs and blanks", "#\tdefine \t FREE_MIN\t\t «4096» \t\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"no newline at the end", "#define FREE_MIN «4096»", "FREE_MIN", "7", "7", "4096", "4096"},
		{"CRLF", "int x;\r\n#define FREE_MIN «4096»\r\nint y;\r\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"trailing comment", "#define FREE_MIN «4096» /* see /* below */\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"line comment", "#define FREE_MIN «4096» // of all\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"comments before", "/**/ # /* a\nb */ define/**/FREE_MIN/* \" */«4096»\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"comment inside", "#define GC_MALLOC_LIMIT_MIN «(16 * 1024 * 1024 /* 16MB */)»\n", "GC_MALLOC_LIMIT_MIN", "33554432", "33554432", "16777216", "16777216"},
		{"continued line", "#define FREE_MIN \\\n  «4096»\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"continued inside a word", "#define FREE\\\n_MIN «40\\\r\n96»\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"word size", "#define GC_MALLOC_LIMIT «(2000000*sizeof(VALUE))»\n", "GC_MALLOC_LIMIT", "60000000", "60000000", "16000000", "8000000"},
		{"octal, suffix, shift", "#define GC_MALLOC_LIMIT «((010UL << 20) | 0x1)»\n", "GC_MALLOC_LIMIT", "9", "9", "8388609", "8388609"},
		{"through another macro", "#define PAGE 408\n#define HEAP_MIN_SLOTS «(PAGE * 10)»\n", "HEAP_MIN_SLOTS", "9", "9", "4080", "4080"},
		{"not told by the file", "#define HEAP_MIN_SLOTS «FROM_A_HEADER»\n", "HEAP_MIN_SLOTS", "9", "9", "", ""},
		{"guard and small machines", "#ifndef GC_MALLOC_LIMIT\n#if defined(MSDOS) || defined(__human68k__)\n#define GC_MALLOC_LIMIT 200000\n#else\n#define GC_MALLOC_LIMIT «8000000»\n#endif\n#endif\n", "GC_MALLOC_LIMIT", "9", "9", "8000000", "8000000"},
		{"dead code around", "#if 0\n don't\n#define FREE_MIN 1\n#elif 1\n#define FREE_MIN «4096»\n#else\n#define FREE_MIN 3\n#endif\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"decoys", "#define HEAPS_INCREMENT 10\n#define FREE_MINIMUM 3\n/* #define FREE_MIN 2 */\nchar *s = \"\\\n#define FREE_MIN 1\";\n#define FREE_MIN «4096»\n", "FREE_MIN", "7", "7", "4096", "4096"},
		{"real", "# define GC_HEAP_GROWTH_FACTOR «1.80»\n", "GC_HEAP_GROWTH_FACTOR", "1.25", "1.25", "1.8", "1.8"},
		{"whole real", "#define GC_HEAP_GROWTH_FACTOR «1.8»\n", "GC_HEAP_GROWTH_FACTOR", "2", "2.0", "1.8", "1.8"},
		{"growth", strings.Replace(growing, "*= 1.8", "«*= 1.8»", 1), "HEAP_SLOTS_INCREMENT", "600000", "+= 600000", "", ""},
		{"growth with comments", "void f() { heap_slots /* + */ «*= /* nearly\n double */ (18 / 10.0)» ; }\n", "HEAP_SLOTS_INCREMENT", "9", "+= 9", "", ""},
		{"growth, fixed before", "void f() {\nheap_slots += 1;\nheap_slots «+= 5000»;\nif (heap_slots <= 0) heap_slots = 1;}\n", "HEAP_SLOTS_INCREMENT", "9", "+= 9", "5000", "5000"},
		{"growth by pages", "#define HEAP_OBJ_LIMIT 409\nvoid f() { size_t next_heaps_length = (size_t)(heaps_used «* 1.8»); }\n", "HEAP_SLOTS_INCREMENT", "600000", "+ 600000 / HEAP_OBJ_LIMIT", "", ""},
		{"growth by pages, fixed before", "enum { HEAP_OBJ_LIMIT = 409 };\nvoid f() { size_t next_heaps_length = heaps_used «+ 4000 / HEAP_OBJ_LIMIT»; }\n", "HEAP_SLOTS_INCREMENT", "9", "+ 9 / HEAP_OBJ_LIMIT", "4000", "4000"},
		{"Latin-1 around", "/* caf\xe9 */\n#define FREE_MIN «4096» /* \xe9 */\n", "FREE_MIN", "7", "7", "4096", "4096"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before, old, after := unmark(t, test.marked)
			for bits, want := range map[int]string{64: test.default64, 32: test.default32} {
				f := parse(t, before+old+after, bits)
				p, ok := f.Place(test.parameter)
				if !ok || p.Default != want || p.Line != 1+strings.Count(before, "\n") {
					t.Fatalf("%d bits: found %v %+v, want default %q; missing: %v", bits, ok, p, want, f.Missing)
				}
				got, err := f.Rewrite(map[string]string{test.parameter: test.value})
				if err != nil || string(got) != before+test.want+after {
					t.Errorf("%d bits: rewritten to %q (%v)", bits, got, err)
				}
			}
		})
	}
}

func unmark(t *testing.T, marked string) (before, old, after string) {
	t.Helper()
	before, rest, ok := strings.Cut(marked, "«")
	old, after, closed := strings.Cut(rest, "»")
	if !ok || !closed {
		t.Fatalf("no mark in %q", marked)
	}
	return before, old, after
}

func parse(t *testing.T, content string, bits int) *source.Found {
	t.Helper()
	f, err := source.Parse("gc.c", []byte(content), bits)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBranches: the same file has another place on another word size.
func TestBranches(t *testing.T) {
	tests := []struct {
		name, content string
		line64        int // 0: nothing is edited
		line32        int
		reason        string
	}{
		{"size of a pointer", "#if SIZEOF_VOIDP >= 8\n#define FREE_MIN 1\n#else\n#define FREE_MIN 2\n#endif\n", 2, 4, ""},
		{"model", "#ifdef __LP64__\n#define FREE_MIN 1\n#endif\n#ifndef FREE_MIN\n#define FREE_MIN 2\n#endif\n", 2, 5, ""},
		{"limits", "#if LONG_MAX > 2147483647 && !defined(MSDOS)\n#define FREE_MIN 1\n#else\n#define FREE_MIN 2\n#endif\n", 2, 4, ""},
		{"machine", "#if defined(__x86_64__) || defined(__aarch64__)\n#define FREE_MIN 1\n#elif defined(__GNUC__)\n#define FREE_MIN 2\n#endif\n", 2, 4, ""},
		{"own macro", "#define BIG (sizeof(long) == 8)\n#if BIG ? 1 : 0\n#define FREE_MIN 1\n#else\n#define FREE_MIN 2\n#endif\n", 3, 5, ""},
		{"unknown", "#ifdef SMALL_MACHINE\n#define FREE_MIN 1\n#else\n#define FREE_MIN 2\n#endif\n", 0, 0, "does not tell whether a build takes line 2 and line 4"},
		{"unknown beside known", "#if defined(SMALL) && SIZEOF_VOIDP == 4\n#define FREE_MIN 1\n#else\n#define FREE_MIN 2\n#endif\n", 4, 0, "line 2 and line 4"},
		{"unknown, set before", "#ifdef SMALL\n#define FREE_MIN 1\n#endif\n#ifndef FREE_MIN\n#define FREE_MIN 2\n#endif\n", 0, 0, "line 2 and line 5"},
		{"never", "#ifdef _WIN32\n#define FREE_MIN 1\n#endif\n", 0, 0, "only in branches"},
		{"twice", "#define FREE_MIN 1\n#undef FREE_MIN\n#define FREE_MIN 2\n", 0, 0, "line 1 and line 3"},
		{"with parameters", "#define FREE_MIN(x) (x)\n", 0, 0, "no number"},
		{"empty", "#define FREE_MIN\n", 0, 0, "no number"},
		{"no expression", "#define FREE_MIN 4096;\n", 0, 0, "no number"},
		{"absent", "int free_min;\n", 0, 0, "there is none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "machine" && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
				t.Skip("the macros of this machine are not known")
			}
			for bits, line := range map[int]int{64: test.line64, 32: test.line32} {
				f := parse(t, test.content+"#define HEAP_MIN_SLOTS 1\n", bits)
				p, ok := f.Place("FREE_MIN")
				if ok != (line > 0) || p.Line != line {
					t.Errorf("%d bits: place %v at line %d, want line %d", bits, ok, p.Line, line)
				}
				if !ok && !strings.Contains(reasonOf(f, "FREE_MIN"), test.reason) {
					t.Errorf("%d bits: reason %q, want %q in it", bits, reasonOf(f, "FREE_MIN"), test.reason)
				}
			}
		})
	}
}

func reasonOf(f *source.Found, name string) string {
	at := slices.IndexFunc(f.Missing, func(m source.Missing) bool { return m.Name == name })
	if at < 0 {
		return ""
	}
	return f.Missing[at].String()
}

func TestRefusedFiles(t *testing.T) {
	for content, want := range map[string]string{
		"#define FREE_MIN 1\n#if 1\n":            "gc.c:2: #if without #endif",
		"#define FREE_MIN 1\n#endif\n":           "gc.c:2: #endif without #if",
		"#if 1\n#else\n#else\n#endif\n":          "gc.c:3: #else after #else",
		"#define FREE_MIN 1\n\n/* to be cut off": "gc.c:3: a comment is not closed",
	} {
		_, err := source.Parse("gc.c", []byte(content), 64)
		var bad *source.SyntaxError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
	_, err := source.Parse("gc.c", []byte("int main(void) { return 0; }\n"), 64)
	var none *source.NotFoundError
	if !errors.As(err, &none) || len(none.Missing) != 4 || !strings.Contains(err.Error(), "looked in gc.c for #define HEAP_MIN_SLOTS") {
		t.Errorf("a file without constants: %v", err)
	}
	if _, err := source.Scan(t.TempDir(), 64); !errors.Is(err, source.ErrNoSource) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	const reads = "static void set_gc_parameters(%)\n{\n  char *p = getenv(\"RUBY_HEAP_MIN_SLOTS\");\n  if (p) { use(getenv (\"RUBY_GC_MALLOC_LIMIT\")); use(getenv(\"RUBY_GC_STATS\")); }\n}\nint z = getenv(\"RUBY_HEAP_AFTER\");\n"
	for _, arguments := range []string{"", "void"} {
		_, err := source.Parse("gc.c", []byte("#define FREE_MIN 1\nvoid set_gc_parameters();\n"+strings.Replace(reads, "%", arguments, 1)), 64)
		var env *source.EnvironmentError
		if !errors.As(err, &env) || env.Line != 3 || !slices.Equal(env.Variables, []string{"RUBY_HEAP_MIN_SLOTS", "RUBY_GC_MALLOC_LIMIT"}) {
			t.Errorf("(%s): %v", arguments, err)
		}
	}
	for _, decoy := range []string{
		"#define FREE_MIN 1\n/* " + reads + " */\n",
		"#define FREE_MIN 1\n#if 0\n" + reads + "#endif\n",
		"#define FREE_MIN 1\nvoid set_gc_parameters() { }\nchar *s = \"getenv(RUBY_HEAP_MIN_SLOTS)\";\n",
	} {
		if _, err := source.Parse("gc.c", []byte(decoy), 64); err != nil {
			t.Errorf("%q: %v", decoy, err)
		}
	}
}

func TestRefusedValues(t *testing.T) {
	legacy := parse(t, "#define HEAP_MIN_SLOTS 10000\n#define FREE_MIN 4096\n", 64)
	modern := parse(t, "#define GC_HEAP_GROWTH_FACTOR 1.8\n#define GC_HEAP_GROWTH_MAX_SLOTS 0\n#define GC_MALLOC_LIMIT_MIN 100\n#define GC_MALLOC_LIMIT_MAX 200\n", 64)
	tests := []struct {
		found  *source.Found
		values map[string]string
		want   string // "" is taken
	}{
		{legacy, map[string]string{"FREE_MIN": "600_000"}, "digits only"},
		{legacy, map[string]string{"FREE_MIN": "010000"}, "leading 0"},
		{legacy, map[string]string{"FREE_MIN": "1); system(\"x\""}, "digits only"},
		{legacy, map[string]string{"FREE_MIN": "1e6"}, "digits only"},
		{legacy, map[string]string{"FREE_MIN": ""}, "digits only"},
		{legacy, map[string]string{"FREE_MIN": "0"}, "greater than 0"},
		{legacy, map[string]string{"FREE_MIN": "2147483648"}, "at most 2147483647"},
		{legacy, map[string]string{"FREE_MIN": "2147483647"}, ""},
		{legacy, map[string]string{"HEAP_SLOTS_INCREMENT": "1"}, "looked in gc.c for the statement heap_slots *= FACTOR"},
		{legacy, map[string]string{"RUBY_HEAP_MIN_SLOTS": "1"}, "no parameter of this collector"},
		{modern, map[string]string{"GC_HEAP_GROWTH_FACTOR": "0.07"}, "greater than 1"},
		{modern, map[string]string{"GC_HEAP_GROWTH_FACTOR": "1"}, "greater than 1"},
		{modern, map[string]string{"GC_HEAP_GROWTH_MAX_SLOTS": "0"}, ""},
		{modern, map[string]string{"GC_MALLOC_LIMIT_MAX": "99"}, "at least GC_MALLOC_LIMIT_MIN, which is 100"},
		{modern, map[string]string{"GC_MALLOC_LIMIT_MIN": "300", "GC_MALLOC_LIMIT_MAX": "250"}, "at least GC_MALLOC_LIMIT_MIN, which is 300"},
		{modern, map[string]string{"GC_MALLOC_LIMIT_MIN": "300"}, "at most GC_MALLOC_LIMIT_MAX, which is 200"},
		{modern, map[string]string{"GC_MALLOC_LIMIT_MAX": "3000000000"}, ""},
	}
	for _, test := range tests {
		_, err := test.found.Rewrite(test.values)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.values, err, test.want)
		}
	}
}

// TestValueThatMovesABranch: a value by which the file would no longer use it.
func TestValueThatMovesABranch(t *testing.T) {
	f := parse(t, "#define HEAP_MIN_SLOTS 10000\n#if HEAP_MIN_SLOTS > 20000\n#define FREE_MIN 1\n#else\n#define FREE_MIN 4096\n#endif\n", 64)
	_, err := f.Rewrite(map[string]string{"HEAP_MIN_SLOTS": "30000", "FREE_MIN": "5000"})
	var refused *source.ValueError
	if !errors.As(err, &refused) || refused.Name != "FREE_MIN" {
		t.Errorf("got %v", err)
	}
}

// FuzzParse: no input panics, the found values change nothing, and new values
// are what the next scan finds, with all bytes outside their places kept.
func FuzzParse(f *testing.F) {
	f.Add([]byte("#ifndef GC_MALLOC_LIMIT\n#if defined(MSDOS)\n#define GC_MALLOC_LIMIT 200000\n#else\n#define GC_MALLOC_LIMIT (2000000*sizeof(VALUE))\n#endif\n#endif\n"+growing), 64)
	f.Add([]byte("#define A A+B?'\\'':~-1.5e+3/0\n#define B A\n#if A\n#elif (int)B<<70\n#define FREE_MIN/**/\\\r\n 1//\n#endif"), 32)
	f.Add([]byte("#define HEAP_OBJ_LIMIT 1\nnext_heaps_length = (size_t)(heaps_used * 1.8);set_gc_parameters(void){getenv(\"RUBY_FREE_MIN\"}"), 64)
	f.Add([]byte("#define GC_HEAP_GROWTH_FACTOR 1.8\n#define GC_HEAP_FREE_SLOTS_MIN_RATIO (20 / 100.0)\n\"\\\n'"), 64)
	f.Fuzz(func(t *testing.T, content []byte, bits int) {
		if bits != 32 {
			bits = 64
		}
		found, err := source.Parse("gc.c", content, bits)
		if err != nil {
			return
		}
		same, fresh := map[string]string{}, map[string]string{}
		for _, p := range found.Places {
			same[p.Parameter.Name] = p.Default
			fresh[p.Parameter.Name] = map[bool]string{true: "0.5", false: "70000"}[p.Parameter.Real]
		}
		if got, err := found.Rewrite(same); err != nil || string(got) != string(content) {
			t.Fatalf("the found values %v change %q to %q (%v)", same, content, got, err)
		}
		if got, err := found.Rewrite(fresh); err == nil {
			checkFresh(t, found, content, got, fresh)
		}
	})
}

func checkFresh(t *testing.T, found *source.Found, content, got []byte, fresh map[string]string) {
	t.Helper()
	again, err := source.Parse("gc.c", got, found.WordBits)
	if err != nil {
		t.Fatalf("%q was rewritten to %q: %v", content, got, err)
	}
	back := map[string]string{}
	for _, p := range again.Places {
		if want, ok := fresh[p.Parameter.Name]; ok && p.Default != want {
			t.Fatalf("%s is %q after writing %q into %q", p.Parameter.Name, p.Default, want, content)
		}
		back[p.Parameter.Name] = p.Default
	}
	if got2, err := again.Rewrite(back); err != nil || string(got2) != string(got) || !slices.Equal(slices.Sorted(maps.Keys(back)), slices.Sorted(maps.Keys(fresh))) {
		t.Fatalf("the second scan of %q found %v (%v)", got, back, err)
	}
}

// TestRealLegacySource reads a tree of 1.8.7, stock or MBARI.
func TestRealLegacySource(t *testing.T) {
	dir := os.Getenv("GCTUNE_TEST_RUBY187_SOURCE")
	if dir == "" {
		t.Skip("GCTUNE_TEST_RUBY187_SOURCE is not set to a source tree of Ruby 1.8.7")
	}
	f, err := source.Scan(dir, 64)
	var env *source.EnvironmentError
	if errors.As(err, &env) {
		if !slices.Contains(env.Variables, "RUBY_HEAP_MIN_SLOTS") {
			t.Errorf("variables of a patched tree: %v", env.Variables)
		}
		return
	}
	if err != nil || len(f.Missing) > 0 {
		t.Fatalf("missing: %v (%v)", f, err)
	}
	if p, _ := f.Place("GC_MALLOC_LIMIT"); p.Default != "8000000" && p.Default != "16000000" {
		t.Errorf("GC_MALLOC_LIMIT is said to be %s at line %d", p.Default, p.Line)
	}
	patchAgrees(t, dir, f, hand)
}

// TestRealModernSource reads a tree from 2.1 on.
func TestRealModernSource(t *testing.T) {
	dir := os.Getenv("GCTUNE_TEST_RUBY_SOURCE")
	if dir == "" {
		t.Skip("GCTUNE_TEST_RUBY_SOURCE is not set to a source tree of Ruby from 2.1 on")
	}
	f, err := source.Scan(dir, 64)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"GC_HEAP_FREE_SLOTS": "20000", "GC_HEAP_GROWTH_FACTOR": "1.25", "GC_MALLOC_LIMIT_MIN": "20000000", "GC_OLDMALLOC_LIMIT_MAX": "300000000"}
	for name := range values {
		if p, ok := f.Place(name); !ok || p.Default == "" || !p.Guarded {
			t.Errorf("%s: found %v, %+v", name, ok, p)
		}
	}
	patchAgrees(t, filepath.Clean(dir), f, values)
}
