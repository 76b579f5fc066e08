package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
)

// fence is a fenced block of a document. A name after the language makes it a
// file that the document's commands find, as in "```yaml gctune.yaml".
type fence struct {
	language, name, text string
	line                 int
}

func documents(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../../README.md", "../../CONTRIBUTING.md"} {
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fences(text string) []fence {
	var found []fence
	var open *fence
	line := 0
	for scanner := bufio.NewScanner(strings.NewReader(text)); scanner.Scan(); {
		line++
		info, marks := strings.CutPrefix(scanner.Text(), "```")
		switch {
		case marks && open != nil:
			found, open = append(found, *open), nil
		case marks:
			words := append(strings.Fields(info), "", "")
			open = &fence{language: words[0], name: words[1], line: line}
		case open != nil:
			open.text += scanner.Text() + "\n"
		}
	}
	return found
}

// commands are the lines of a block, continued ones joined, without comments.
func (f fence) commands() []string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(f.text, "\\\n", " ")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// standIn is what the commands of a document tune that shows no gctune.yaml of
// its own: a program of a fifth of a second, so that budgets can be those that a
// reader needs.
const standIn = `study: blog
batch: {command: ["{ruby}", %q], work: 20}
`

const standInProgram = `kept = Array.new(10_000) { |i| "kept #{i}" }
60.times { Array.new(1_000) { |i| "row #{i}" }.join }
`

// reader is somebody who types what a document says, in a directory of their own.
type reader struct {
	t   *testing.T
	dir string
}

// newReader has the files of the document, an application for init to look at,
// and the examples; where the document has no configuration, the stand-in.
func newReader(t *testing.T, blocks []fence) reader {
	t.Helper()
	r := reader{t, t.TempDir()}
	r.write("config.ru", "run ->(env) { [200, {}, []] }\n")
	r.write("stand-in.rb", standInProgram)
	if _, err := os.Stat("../../examples"); err == nil {
		if err := os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS("../../examples")); err != nil {
			t.Fatal(err)
		}
	}
	r.putStandIn("gctune.yaml")
	examples, err := filepath.Glob(filepath.Join(r.dir, "examples/*/gctune.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		relative, _ := filepath.Rel(r.dir, path)
		r.putStandIn(relative)
	}
	for _, block := range blocks {
		if block.name != "" {
			r.write(block.name, block.text)
		}
	}
	return r
}

func (r reader) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r reader) putStandIn(name string) {
	r.t.Helper()
	r.write(name, fmt.Sprintf(standIn, filepath.Join(r.dir, "stand-in.rb")))
}

// run runs one line as bash does; it has to end well. init is run where there
// is no configuration yet, and what it writes gives way to what was there.
func (r reader) run(line string) {
	r.t.Helper()
	if strings.HasPrefix(line, "gctune init") {
		path := filepath.Join(r.dir, "gctune.yaml")
		before, err := os.ReadFile(path)
		if err != nil {
			r.t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			r.t.Fatal(err)
		}
		defer r.write("gctune.yaml", string(before))
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", line)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// TestDocumentedCommands runs every gctune line of every sh block, document by
// document and in order. A block with such a line may hold nothing that is not
// run; make lines need a target of that name.
func TestDocumentedCommands(t *testing.T) {
	makefile := readDocument(t, "Makefile")
	for _, path := range documents(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text := readDocument(t, strings.TrimPrefix(path, "../../"))
			blocks := fences(text)
			r := newReader(t, blocks)
			for _, block := range blocks {
				if block.language == "sh" {
					r.follow(block, makefile)
				}
			}
		})
	}
}

// usesProgram finds the program in a command line, wherever it stands there.
var usesProgram = regexp.MustCompile(`(^|[ /;&|])gctune +[a-z-]`)

func (r reader) follow(block fence, makefile string) {
	r.t.Helper()
	lines := block.commands()
	runs := slices.ContainsFunc(lines, usesProgram.MatchString)
	for _, line := range lines {
		target, isMake := strings.CutPrefix(line, "make ")
		switch {
		case strings.HasPrefix(line, "gctune "):
			r.run(line)
		case isMake:
			name := strings.Fields(target)[0]
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:`).MatchString(makefile) {
				r.t.Errorf("line %d: the Makefile has no target %s", block.line, name)
			}
		case runs:
			r.t.Errorf("line %d: %q is not run: begin the line with gctune, or put it into a block without gctune commands", block.line, line)
		}
	}
}

// Every flag of every command is in the section of that command.
func TestFlagsAreDocumented(t *testing.T) {
	sections := map[string]string{}
	for _, section := range strings.Split(readDocument(t, "docs/commands.md"), "\n## ") {
		name, text, _ := strings.Cut(section, "\n")
		sections[name] = text
	}
	common := sections["What all have in common"]
	var check func(section string, commands []*cli.Command)
	check = func(section string, commands []*cli.Command) {
		for _, command := range commands {
			name := section
			if name == "" {
				name = command.Name
			}
			for _, flag := range command.Flags {
				word := "`--" + flag.Names()[0] + "`"
				if !strings.Contains(sections[name]+common, word) {
					t.Errorf("docs/commands.md, section %s, does not have %s", name, word)
				}
			}
			check(name, command.Subcommands)
		}
	}
	check("", newApp(nil, nil).Commands)
}

// Every key of the configuration has its row.
func TestKeysAreDocumented(t *testing.T) {
	text := readDocument(t, "docs/configuration.md")
	for _, key := range keysOf(reflect.TypeFor[config.Config](), "") {
		if !strings.Contains(text, "| `"+key+"` |") {
			t.Errorf("docs/configuration.md has no row for %s", key)
		}
	}
}

// keysOf are the paths of the keys that hold values below a key, by the tags that
// the reader of the file goes by.
func keysOf(t reflect.Type, path string) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[config.Parameters]():
		return append([]string{path}, keysOf(t.Elem(), path+".NAME")...)
	case t.Kind() == reflect.Slice && isSection(t.Elem()):
		return append([]string{path}, keysOf(t.Elem(), path+"[]")...)
	case !isSection(t):
		return []string{path}
	}
	var keys []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" && key != "-" {
			keys = append(keys, keysOf(t.Field(i).Type, strings.TrimPrefix(path+"."+key, "."))...)
		}
	}
	return keys
}

// isSection tells a struct of keys from one that is read from a single value.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Tag.Get("yaml") != ""
	})
}

// Every module whose packages are imported has its row.
func TestDependenciesAreDocumented(t *testing.T) {
	text := readDocument(t, "docs/dependencies.md")
	required := regexp.MustCompile(`(?m)^\s*(\S+) v\S+`).FindAllStringSubmatch(readDocument(t, "go.mod"), -1)
	for _, p := range listPackages(t) {
		for _, imported := range p.imports() {
			for _, m := range required {
				if ofModule(imported, m[1]) && !strings.Contains(text, "| `"+m[1]+"` |") {
					t.Errorf("docs/dependencies.md has no row for %s, which %s imports", m[1], p.room())
				}
			}
		}
	}
}
