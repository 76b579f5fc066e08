// Package export writes a setting in the form that a deployment reads, one
// file a format.
//
// Every reader has quoting rules of its own. A value that its rules cannot
// hold, or that versions of the reader take differently, is refused and never
// written approximately.
package export

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Format names a form of a setting.
type Format string

// The formats.
const (
	// Env is NAME=value lines without any quoting, which every reader of such
	// files takes alike.
	Env Format = "env"
	// Dotenv is a .env file for the dotenv gem and foreman.
	Dotenv Format = "dotenv"
	// Shell is a script for a POSIX shell to source.
	Shell Format = "shell"
	// Systemd is a drop-in for a unit, as `systemctl edit` takes it.
	Systemd Format = "systemd"
	// Docker is a file for `docker run --env-file`.
	Docker Format = "docker"
	// Heroku is a `heroku config:set` command.
	Heroku Format = "heroku"
)

// Errors of Render and ParseFormat.
var (
	// ErrFormat: there is no such format.
	ErrFormat = errors.New("unknown format")
	// ErrName: a name that no environment variable can have.
	ErrName = errors.New("not a name of an environment variable")
	// ErrValue: a value that the format cannot hold.
	ErrValue = errors.New("value cannot be written in this format")
)

// Document is what is exported.
type Document struct {
	// Setting holds the environment variables. It may be empty: that is the
	// interpreter's own defaults.
	Setting map[string]string
	// Facts go into comments on their own lines: what was measured, with
	// which interpreter, when, in which study.
	Facts []string
}

// renderer writes a document whose names and values have been checked.
type renderer func(Document) (string, error)

func renderers() map[Format]renderer {
	return map[Format]renderer{
		Env: renderEnv, Dotenv: renderDotenv, Shell: renderShell,
		Systemd: renderSystemd, Docker: renderDocker, Heroku: renderHeroku,
	}
}

// Formats returns the names of all formats, sorted.
func Formats() []Format {
	return slices.Sorted(maps.Keys(renderers()))
}

// ParseFormat returns the format of that name, or an ErrFormat that lists them.
func ParseFormat(name string) (Format, error) {
	if _, ok := renderers()[Format(name)]; ok {
		return Format(name), nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("%w %q: use one of %s", ErrFormat, name, strings.Join(names, ", "))
}

// Render returns the document in a format, variables sorted by name.
func Render(f Format, d Document) ([]byte, error) {
	render, ok := renderers()[f]
	if !ok {
		_, err := ParseFormat(string(f))
		return nil, err
	}
	if err := check(d.Setting); err != nil {
		return nil, fmt.Errorf("export as %s: %w", f, err)
	}
	text, err := render(d)
	if err != nil {
		return nil, fmt.Errorf("export as %s: %w", f, err)
	}
	return []byte(comments(d.Facts) + text), nil
}

// The portable set of names, see POSIX.1-2024, section 8.1.
var name = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]*\z`)

func check(setting map[string]string) error {
	for _, n := range slices.Sorted(maps.Keys(setting)) {
		value := setting[n]
		if !name.MatchString(n) {
			return fmt.Errorf("%w: %q", ErrName, n)
		}
		if strings.ContainsRune(value, 0) {
			return unfit(n, value, "no environment can hold a NUL byte")
		}
	}
	return nil
}

func unfit(name, value, why string) error {
	return fmt.Errorf("%w: %s=%q: %s", ErrValue, name, value, why)
}

// comments puts each fact on lines of its own: several readers take a comment
// behind a value as part of it.
func comments(facts []string) string {
	var out strings.Builder
	for _, fact := range facts {
		for line := range strings.Lines(strings.ToValidUTF8(fact, "\uFFFD")) {
			out.WriteString(strings.TrimRight("# "+strings.Map(printable, line), ` \`) + "\n")
		}
	}
	return out.String()
}

// printable keeps a fact from ending its comment: some readers end lines at a
// carriage return.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// lines writes the setting with a line for each variable.
func lines(setting map[string]string, line func(name, value string) (string, error)) (string, error) {
	var out strings.Builder
	for _, n := range slices.Sorted(maps.Keys(setting)) {
		text, err := line(n, setting[n])
		if err != nil {
			return "", err
		}
		out.WriteString(text + "\n")
	}
	return out.String(), nil
}
