package source

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/gctune/gctune/harness/process"
)

// command is one of the user's, run without a shell.
type command struct {
	stage Stage
	words []string
	dir   string
	env   []string
}

// tailLines is how much of a failed command's output is kept.
const tailLines = 40

// run runs a command to its end, and ends what it has left running, daemons
// included. A failure is *BuildError; when the context ends, all are killed and
// the context's error is returned. What a killed gctune leaves is found by the
// marker.
func (c command) run(ctx context.Context, progress func(Event)) error {
	progress(Event{c.stage, strings.Join(c.words, " ")})
	marker, err := process.OnceMarker()
	if err != nil {
		return fmt.Errorf("%s: %w", c.stage, err)
	}
	failed := &BuildError{Stage: c.stage, Command: c.words}
	tree, err := process.Start(process.Spec{
		Command: c.words, Dir: c.dir, Env: append(slices.Clone(c.env), "PWD="+c.dir),
		Marker: marker + "build-" + strings.ToLower(rand.Text()[:10]),
	})
	if err != nil {
		failed.Status, failed.cause = err.Error(), err
		return failed
	}
	select {
	case <-tree.Done():
	case <-ctx.Done():
	}
	err = tree.ExitError()
	if killed := tree.Kill(); killed != nil {
		return fmt.Errorf("%s: %s: %w", c.stage, strings.Join(c.words, " "), killed)
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", c.stage, ctx.Err())
	case err == nil:
		return nil
	}
	failed.Status, failed.Lines, failed.cause = err.Error(), lastLines(tree.Tail(2*tailLines)), err
	return failed
}

// longestLine bounds what is kept of one line.
const longestLine = 2000

// lastLines are those that say something.
func lastLines(all []string) []string {
	var lines []string
	for _, line := range all {
		line = strings.TrimRight(line[:min(len(line), longestLine)], "\r \t")
		if line != "" {
			lines = append(lines, strings.ToValidUTF8(line, "?"))
		}
	}
	return lines[max(0, len(lines)-tailLines):]
}

// leaking are variables that would reach the interpreter that a build runs, or
// tie it to a make or a Ruby that gctune was started from.
var leaking = []string{"RUBYOPT", "RUBYLIB", "RUBY_FREE_MIN", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "BUNDLE_BIN_PATH",
	"DESTDIR", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PWD", "OLDPWD"}

// environment for commands. Git must not search for a repository above the
// copy, where it could find that of an application.
func environment(env []string, cacheDir string) []string {
	inMake := lookup(env, "MAKELEVEL") != ""
	kept := []string{"GIT_CEILING_DIRECTORIES=" + cacheDir}
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case slices.Contains(leaking, name), strings.HasPrefix(name, "RUBY_GC_"), strings.HasPrefix(name, "RUBY_HEAP_"):
		case name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_CEILING_DIRECTORIES":
		case name == "MAKEFLAGS" && inMake: // the other make's job server
		default:
			kept = append(kept, entry)
		}
	}
	return kept
}
