package ruby

import (
	"strings"

	"golang.org/x/mod/semver"
)

// Interpreter is what a launch of a Ruby said about itself.
type Interpreter struct {
	// Path is the absolute path that was launched. Symbolic links are kept,
	// since version managers dispatch on the name they are called by.
	Path string
	// Executable is the file that a process of the interpreter executes, links
	// resolved; empty when it does not know.
	Executable string
	// Library is the shared library that holds the interpreter; empty when it is
	// all in the executable, or not known.
	Library     string
	Engine      string // "ruby" for CRuby, "jruby", "truffleruby", …
	Version     string // RUBY_VERSION, such as "3.1.2"
	Patchlevel  string // RUBY_PATCHLEVEL; "-1" for development builds
	Description string // RUBY_DESCRIPTION, or its equivalent before 1.8.7
	Platform    string // such as "x86_64-linux-gnu"

	JITs          []string // just-in-time compilers built in, such as "YJIT"
	JITEnabled    []string // those that are on without any option
	Allocator     string   // "jemalloc", "tcmalloc", "mimalloc", "glibc", "musl"; "" when unknown
	Collector     string   // name of the loaded collector; "" where there is only one
	SlotsPerPage  int      // slots of the smallest size in one heap page; 0 when unknown
	SlotBytes     int      // size of the smallest slot in bytes; 0 when unknown
	Heaps         int      // heaps (size pools); 1 before there were several
	ConfigureArgs string   // arguments of the build's configure; "" when unknown

	// Bare is set when it found no library of its own: it is not installed where
	// it was configured for.
	Bare bool
	// Needs are lists of folders that each launch must be given, as
	// NAME=FOLDER:FOLDER.
	Needs []string
}

// Prepend puts the interpreter's needs before the folders that an environment
// has already under the same names.
func (in Interpreter) Prepend(environment map[string]string) {
	for _, entry := range in.Needs {
		name, folders, _ := strings.Cut(entry, "=")
		if before := environment[name]; before != "" {
			folders += ":" + before
		}
		environment[name] = folders
	}
}

// Line is the release line, such as "3.1".
func (in Interpreter) Line() string {
	return strings.TrimPrefix(semver.MajorMinor("v"+in.Version), "v")
}

// AtLeast reports whether the version is the given one or a later one.
func (in Interpreter) AtLeast(version string) bool {
	return semver.Compare("v"+in.Version, "v"+version) >= 0
}

// Family names the way in which this interpreter's collector is set.
func (in Interpreter) Family() string { return familyOf(in).name() }

// Fingerprint holds the facts that a measurement depends on. Two runs with
// different fingerprints must not be compared without saying so.
func (in Interpreter) Fingerprint() map[string]string {
	facts := map[string]string{
		"ruby_engine":      in.Engine,
		"ruby_version":     in.Version,
		"ruby_patchlevel":  in.Patchlevel,
		"ruby_description": in.Description,
		"ruby_platform":    in.Platform,
		"ruby_path":        in.Path,
		"ruby_executable":  in.Executable,
		"ruby_jit":         strings.Join(in.JITEnabled, ","),
		"ruby_allocator":   in.Allocator,
		"ruby_collector":   in.Collector,
		"ruby_configure":   in.ConfigureArgs,
	}
	for name, value := range facts {
		if value == "" {
			delete(facts, name)
		}
	}
	return facts
}
