package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gctune/gctune"

// permitted are the arrows between the packages of the module. A pattern's star
// stands for one element of a path. A new package needs a row here and one in
// CONTRIBUTING.md.
var permitted = map[string][]string{
	"bench":               {"bench/*", "studies/report", "tuner/*"},
	"bench/problems":      {"tuner/*"},
	"cmd/gctune":          {"*", "*/*", "*/*/*"},
	"config":              {"objective"},
	"harness":             {"harness/*", "harness/ruby/source"},
	"harness/load":        nil,
	"harness/machine":     nil,
	"harness/probe":       nil,
	"harness/process":     nil,
	"harness/ruby":        nil,
	"harness/ruby/source": {"harness/process"},
	"harness/settle":      nil,
	"objective":           nil,
	"studies":             nil,
	"studies/export":      nil,
	"studies/report":      nil,
	"tuner":               {"harness", "objective", "studies", "tuner/*"},
	"tuner/explain":       {"tuner/gcmodel", "tuner/space"},
	"tuner/gcmodel":       nil,
	"tuner/gp":            nil,
	"tuner/importance":    {"tuner/gp"},
	"tuner/pareto":        nil,
	"tuner/sampler":       {"tuner/gp", "tuner/pareto", "tuner/space"},
	"tuner/space":         nil,
}

// confined are imports from outside that one package alone may have, since it
// keeps what they are about from all others.
var confined = map[string]string{
	"database/sql":                      "studies",
	"github.com/mattn/go-sqlite3":       "studies",
	"github.com/pressly/goose/v3":       "studies",
	"github.com/c-bata/goptuna":         "tuner/sampler",
	"github.com/goccy/go-yaml":          "config",
	"github.com/urfave/cli/v2":          "cmd/gctune",
	"github.com/schollz/progressbar/v3": "cmd/gctune",
}

// goPackage is what `go list -json` tells of a package.
type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func (p goPackage) room() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// imports are those of the package and of its tests.
func (p goPackage) imports() []string {
	return slices.Concat(p.Imports, p.TestImports, p.XTestImports)
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir, cmd.Stderr = "../..", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func TestArrowsArePermitted(t *testing.T) {
	for _, p := range listPackages(t) {
		allowed, known := permitted[p.room()]
		if !known {
			t.Errorf("package %s is not in the table of permitted imports", p.room())
			continue
		}
		for _, imported := range p.imports() {
			to, inside := strings.CutPrefix(imported, module+"/")
			if inside && to != p.room() && !matches(allowed, to) {
				t.Errorf("%s imports %s, which is not permitted (permitted: %v)", p.room(), to, allowed)
			}
		}
	}
}

func matches(patterns []string, room string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, room)
		return ok && err == nil
	})
}

func TestOutsideImportsAreConfined(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			for outside, room := range confined {
				if ofModule(imported, outside) && p.room() != room {
					t.Errorf("%s imports %s: that is for %s alone", p.room(), imported, room)
				}
			}
		}
	}
}

func ofModule(importPath, module string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// The table that people read is the one that is checked.
func TestContributingShowsPermittedArrows(t *testing.T) {
	text := readDocument(t, "CONTRIBUTING.md")
	for _, room := range slices.Sorted(maps.Keys(permitted)) {
		arrows := "nothing"
		if len(permitted[room]) > 0 {
			arrows = "`" + strings.Join(permitted[room], "`, `") + "`"
		}
		row := func(line string) bool {
			return strings.HasPrefix(line, "| `"+room+"` |") && strings.HasSuffix(line, "| "+arrows+" |")
		}
		if !slices.ContainsFunc(strings.Split(text, "\n"), row) {
			t.Errorf("CONTRIBUTING.md has no row for %s that ends in | %s |", room, arrows)
		}
	}
}
