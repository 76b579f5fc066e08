// Package probe reads the garbage collector's counters out of live Ruby
// processes. A small Ruby file, loaded through RUBYOPT, waits for a signal and
// then writes a report; nothing is added to the server's requests.
package probe

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

//go:embed gctune_probe.rb
var script []byte

const scriptName = "gctune_probe.rb"

// DirVariable names, to a process, the directory that its reports go to.
const DirVariable = "GCTUNE_PROBE_DIR"

// ErrBlankInPath: Ruby splits RUBYOPT at blanks and knows no quotes, so a path
// with a blank in it cannot be loaded.
var ErrBlankInPath = errors.New("the path has a blank in it")

// Install writes the Ruby file into a directory, where the reports will be
// written too, and returns its path. The server's user must be able to write
// there. The error is ErrBlankInPath, wrapped, or one of the file system.
func Install(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("install the probe: %w", err)
	}
	if strings.ContainsFunc(dir, unicode.IsSpace) {
		return "", fmt.Errorf("install the probe into %q: %w, which RUBYOPT cannot name; choose another directory", dir, ErrBlankInPath)
	}
	path := filepath.Join(dir, scriptName)
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return "", fmt.Errorf("install the probe: %w", err)
	}
	return path, nil
}

// The variables that a probe goes by besides.
const (
	// ProgramVariable names the program, as /proc/PID/exe does, whose processes are to
	// keep a log of their collections from the start. Without it all do.
	ProgramVariable = "GCTUNE_PROBE_PROGRAM"
	// AtExitVariable has each process report once more as it ends, where it is "1".
	AtExitVariable = "GCTUNE_PROBE_AT_EXIT"
)

// OwnLog returns the variables, as NAME=VALUE, by which patched Rubies before 2.1
// keep a log of their collections; others do not know them. The probe gives children
// another file.
func OwnLog(dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("name the probe's directory: %w", err)
	}
	return []string{"RUBY_GC_STATS=1", "RUBY_GC_DATA_FILE=" + filepath.Join(dir, "gc-data")}, nil
}

// Env returns the variables, as NAME=VALUE, that load an installed probe into
// a server and all Ruby processes that it starts. rubyopt is the RUBYOPT that
// the server would have had; it is kept.
func Env(dir, rubyopt string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("name the probe's directory: %w", err)
	}
	option := "-r" + filepath.Join(dir, scriptName)
	if rubyopt = strings.TrimSpace(rubyopt); rubyopt != "" {
		option = rubyopt + " " + option
	}
	return []string{"RUBYOPT=" + option, DirVariable + "=" + dir}, nil
}
