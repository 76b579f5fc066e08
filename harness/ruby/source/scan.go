package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// collectors are the files that a collector's constants live in, the newest
// home first: from 3.4 on gc.c is there too but holds none of them.
var collectors = []string{"gc/default/default.c", "gc/default.c", "gc.c"}

// Place is where a parameter stands in a file.
type Place struct {
	Parameter Parameter
	File      string // relative to the tree
	Line      int
	Text      string // the value or the growth statement, as written
	Guarded   bool   // inside an #ifndef of its own: a compiler flag can override it
	// Default is the value in canonical decimal text. It is empty for an
	// expression that the file alone does not tell the value of, and for a
	// growth statement that multiplies.
	Default string

	start, end int
	write      func(value string) string
}

// Found is what one file offers to set.
type Found struct {
	Dir      string // of the tree; empty for Parse
	File     string // relative to the tree
	WordBits int    // of the build that the branches were chosen for
	Places   []Place
	Missing  []Missing

	content []byte
}

// Scan finds the constants of the collector in a source tree, for a build with
// pointers of 32 or 64 bits. The errors are ErrNoSource, *EnvironmentError for
// a tree that is set through the environment, *SyntaxError, and *NotFoundError
// when not one of the parameters can be edited.
func Scan(dir string, wordBits int) (*Found, error) {
	for _, file := range collectors {
		content, err := readFile(filepath.Join(dir, filepath.FromSlash(file)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("scan the source tree: %w", err)
		}
		found, err := Parse(file, content, wordBits)
		if found != nil {
			found.Dir = dir
		}
		return found, err
	}
	return nil, fmt.Errorf("%s: %w: there is no %s; name the folder of an unpacked Ruby source",
		dir, ErrNoSource, strings.Join(collectors, ", no "))
}

// Parse is Scan for the content of one file.
func Parse(file string, content []byte, wordBits int) (*Found, error) {
	u, bad := preprocess(content, wordBits/8)
	if bad != nil {
		return nil, &SyntaxError{file, lineOf(content, bad.at), bad.reason + "; is the file complete?"}
	}
	if at, names := railsbench(u.code); len(names) > 0 {
		return nil, &EnvironmentError{file, lineOf(content, at), names}
	}
	f := &Found{File: file, WordBits: wordBits, content: content}
	for _, p := range parametersOf(u) {
		if p.Name == increment {
			f.findGrowth(u, p)
		} else {
			f.findConstant(u, p)
		}
	}
	if len(f.Places) == 0 {
		return nil, &NotFoundError{f.Missing}
	}
	return f, nil
}

// Place returns the place of a parameter.
func (f *Found) Place(name string) (Place, bool) {
	at := slices.IndexFunc(f.Places, func(p Place) bool { return p.Parameter.Name == name })
	if at < 0 {
		return Place{}, false
	}
	return f.Places[at], true
}

// parametersOf chooses by what the file defines, since releases overlap.
func parametersOf(u unit) []Parameter {
	for _, p := range modernParameters {
		if slices.ContainsFunc(u.defines, func(d define) bool { return d.name == p.Name }) {
			return modernParameters
		}
	}
	return legacyParameters
}

func (f *Found) findConstant(u unit, p Parameter) {
	var there []define
	for _, d := range u.defines {
		if d.name == p.Name && d.taken != never {
			there = append(there, d)
		}
	}
	if reason := f.whyNot(u, p.Name, there); reason != "" {
		f.Missing = append(f.Missing, Missing{p.Name, f.File, "#define " + p.Name, reason})
		return
	}
	d := there[0]
	value, ok := u.macros.evaluate(d.body, 0)
	if !ok {
		f.Missing = append(f.Missing, Missing{p.Name, f.File, "#define " + p.Name,
			fmt.Sprintf("line %d defines no number", lineOf(f.content, d.start))})
		return
	}
	f.add(Place{Parameter: p, Default: canonical(value, p.Real), Guarded: d.guarded,
		start: d.body[0].start, end: d.body[len(d.body)-1].end,
		write: func(value string) string { return literal(value, p.Real) }})
}

// whyNot says why a parameter cannot be edited, or "".
func (f *Found) whyNot(u unit, name string, there []define) string {
	lines := linesOf(f.content, there)
	switch {
	case len(there) == 0 && slices.ContainsFunc(u.defines, func(d define) bool { return d.name == name }):
		return fmt.Sprintf("it is defined only in branches that a %d-bit build does not take", f.WordBits)
	case len(there) == 0:
		return "there is none"
	case slices.ContainsFunc(there, func(d define) bool { return d.taken == perhaps }):
		return fmt.Sprintf("the file alone does not tell whether a build takes %s", lines)
	case len(there) > 1:
		return "it is defined more than once, on " + lines
	case there[0].call || len(there[0].body) == 0:
		return lines + " defines no number"
	}
	return ""
}

func (f *Found) add(p Place) {
	p.File, p.Line = f.File, lineOf(f.content, p.start)
	if p.Text == "" {
		p.Text = string(f.content[p.start:p.end])
	}
	f.Places = append(f.Places, p)
}

func lineOf(content []byte, at int) int { return 1 + bytes.Count(content[:at], []byte("\n")) }

func linesOf(content []byte, there []define) string {
	var lines []string
	for _, d := range there {
		lines = append(lines, fmt.Sprint("line ", lineOf(content, d.start)))
	}
	return strings.Join(lines, " and ")
}

func readFile(path string) ([]byte, error) {
	f, err := openQuietly(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	_, err = content.ReadFrom(f)
	return content.Bytes(), err
}
