package export_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gctune/gctune/studies/export"
)

var facts = []string{
	"throughput +4.8 % (95 % interval +3.1 to +6.4), memory +3.2 %",
	"it's \"quoted\", $HOME, `date`, A=1, $(date), 100%, \\",
	"two\nlines\rA=2\x00\x1b[31m\\",
	"export B\n\nA: 3 \xff",
}

// values are texts that one reader or another treats specially.
var values = []string{
	"", "1.5", "10000", "-1", "a b", " a", "a ", "\ta", "a\tb", "'", "''", "'a'", "it's", `"`, `"a"`, `a"b`, `'a"b'`, `\`, `\\`, `a\`, `\n`, `a\nb`,
	`'\n`, "a\nb", "\n", "a\n", "a\r", "a\rb", "$HOME", "${HOME}", "$(echo x)", "`echo x`", `\$HOME`, `'$HOME`, "%h", "100%", "%%", "#a", "a #b", "a#b",
	"a=b", "=", "a;b", "a&b|c", "*", "~", "a!b", "!a", "é–€", "\xff\xfe", "a\x1bb", "\x7f", "A=1 B=2", "[Service]", "\ufeffa", "a,b:c/d@e+f",
}

// document names its variables V0, V1 and so on.
func document(values []string) export.Document {
	d := export.Document{Setting: map[string]string{}, Facts: facts}
	for i, value := range values {
		d.Setting[fmt.Sprintf("V%d", i)] = value
	}
	return d
}

// fit are the values that a format can hold, each tried alone.
func fit(t *testing.T, f export.Format) (fit, refused []string) {
	t.Helper()
	for _, value := range values {
		_, err := export.Render(f, document([]string{value}))
		switch {
		case err == nil:
			fit = append(fit, value)
		case errors.Is(err, export.ErrValue):
			refused = append(refused, value)
		default:
			t.Fatal(err)
		}
	}
	return fit, refused
}

// roundTrip renders all values that fit, has them read, and compares.
func roundTrip(t *testing.T, f export.Format, read func(t *testing.T, path string, names []string) map[string]string) {
	t.Helper()
	fit, _ := fit(t, f)
	d := document(fit)
	data, err := export.Render(f, d)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "exported")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range fit {
		names = append(names, fmt.Sprintf("V%d", i))
	}
	if diff := cmp.Diff(d.Setting, read(t, path, names)); diff != "" {
		t.Errorf("%s\n%s", diff, data)
	}
}

func TestRender(t *testing.T) {
	d := export.Document{
		Setting: map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "1500000", "RUBY_GC_HEAP_GROWTH_FACTOR": "1.1", "X": `a "b" 5%`},
		Facts:   []string{"throughput +4.8 %", "ruby 3.1.2"},
	}
	head := "# throughput +4.8 %\n# ruby 3.1.2\n"
	want := map[export.Format]string{
		export.Shell:   "export RUBY_GC_HEAP_GROWTH_FACTOR=1.1\nexport RUBY_GC_HEAP_INIT_SLOTS=1500000\nexport X='a \"b\" 5%'\n",
		export.Dotenv:  "RUBY_GC_HEAP_GROWTH_FACTOR=1.1\nRUBY_GC_HEAP_INIT_SLOTS=1500000\nX='a \"b\" 5%'\n",
		export.Docker:  "RUBY_GC_HEAP_GROWTH_FACTOR=1.1\nRUBY_GC_HEAP_INIT_SLOTS=1500000\nX=a \"b\" 5%\n",
		export.Systemd: "[Service]\nEnvironment=\"RUBY_GC_HEAP_GROWTH_FACTOR=1.1\"\nEnvironment=\"RUBY_GC_HEAP_INIT_SLOTS=1500000\"\nEnvironment=\"X=a \\\"b\\\" 5%%\"\n",
		export.Heroku:  "heroku config:set \\\n  RUBY_GC_HEAP_GROWTH_FACTOR=1.1 \\\n  RUBY_GC_HEAP_INIT_SLOTS=1500000 \\\n  X='a \"b\" 5%'\n",
	}
	for f, text := range want {
		got, err := export.Render(f, d)
		if diff := cmp.Diff(head+text, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", f, err, diff)
		}
	}
	if _, err := export.Render(export.Env, d); !errors.Is(err, export.ErrValue) || !strings.Contains(err.Error(), "X=") {
		t.Errorf("env: %v, want ErrValue that names X", err)
	}
}

// What each format refuses, so that a lost value cannot hide as a refused one.
func TestRefusedValues(t *testing.T) {
	want := map[export.Format][]string{
		export.Shell:   nil,
		export.Heroku:  nil,
		export.Dotenv:  {`\`, `\\`, `a\`, `'a"b'`, `'\n`, "a\nb", "\n", "a\n", "a\r", "a\rb", `'$HOME`, "\xff\xfe"},
		export.Docker:  {"''", "'a'", `"a"`, `'a"b'`, "a\nb", "\n", "a\n", "a\r", "\xff\xfe"},
		export.Systemd: {"\ta", "a\tb", "a\nb", "\n", "a\n", "a\r", "a\rb", "\xff\xfe", "a\x1bb", "\x7f"},
	}
	for f, refused := range want {
		_, got := fit(t, f)
		set := func(all []string) map[string]bool {
			m := map[string]bool{}
			for _, s := range all {
				m[s] = true
			}
			return m
		}
		if diff := cmp.Diff(set(refused), set(got)); diff != "" {
			t.Errorf("%s: %s", f, diff)
		}
	}
	fitEnv, _ := fit(t, export.Env)
	if diff := cmp.Diff([]string{"", "1.5", "10000", "-1", "a,b:c/d@e+f"}, fitEnv); diff != "" {
		t.Errorf("env: %s", diff)
	}
}

func TestEveryFormat(t *testing.T) {
	for _, f := range export.Formats() {
		t.Run(string(f), func(t *testing.T) {
			if got, err := export.ParseFormat(string(f)); got != f || err != nil {
				t.Error(got, err)
			}
			for _, name := range []string{"", "A B", "A=B", "1A", "A\n", "Ä", "A-B"} {
				if _, err := export.Render(f, export.Document{Setting: map[string]string{name: "1"}}); !errors.Is(err, export.ErrName) {
					t.Errorf("name %q: %v, want ErrName", name, err)
				}
			}
			if _, err := export.Render(f, document([]string{"a\x00b"})); !errors.Is(err, export.ErrValue) {
				t.Errorf("NUL: %v, want ErrValue", err)
			}
			checkComments(t, f)
		})
	}
	if _, err := export.ParseFormat("xml"); !errors.Is(err, export.ErrFormat) || !strings.Contains(err.Error(), "systemd") {
		t.Errorf("%v, want ErrFormat that lists the formats", err)
	}
	if _, err := export.Render("xml", export.Document{}); !errors.Is(err, export.ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
}

// checkComments: without variables there is nothing but comments and, for
// systemd, a section.
func checkComments(t *testing.T, f export.Format) {
	t.Helper()
	data, err := export.Render(f, export.Document{Facts: facts})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
		if line != "[Service]" && !strings.HasPrefix(line, "#") || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\x00\x1b") {
			t.Errorf("not a comment: %q", line)
		}
	}
}
