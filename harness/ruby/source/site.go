package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// site is a folder of the cache in which a tree is being built.
type site struct {
	*Builder
	at        string // the copy of the tree
	configure []string
}

func (b *Builder) site(folder string) site {
	return site{b, filepath.Join(folder, treeName), b.tree.Configure}
}

// whole copies the user's tree, puts the content in place of the collector's
// file unless it is nil, and configures and builds everything.
func (s site) whole(ctx context.Context, content []byte) error {
	if err := s.copy(ctx, s.tree.Dir); err != nil {
		return err
	}
	if err := s.verify(ctx); err != nil {
		return err
	}
	if len(s.configure) == 0 {
		if err := s.untied(ctx); err != nil {
			return err
		}
	}
	err := s.make(ctx, s.configure, content)
	var failed *BuildError
	if errors.As(err, &failed) {
		failed.Unedited = content == nil
	}
	return err
}

// further copies a build of the same tree, edits it and lets the build command
// find what has to be made again.
func (s site) further(ctx context.Context, base string, content []byte) error {
	if err := s.copy(ctx, base); err != nil {
		return err
	}
	return s.make(ctx, nil, content)
}

// make edits the copy and runs the commands in it.
func (s site) make(ctx context.Context, configure []string, content []byte) error {
	before := s.times()
	if content != nil {
		if err := s.edit(content); err != nil {
			return err
		}
	}
	if len(configure) > 0 {
		if err := s.run(ctx, Configuring, configure); err != nil {
			return err
		}
	}
	if err := s.run(ctx, Building, s.tree.Build); err != nil {
		return err
	}
	return s.made(content != nil, before)
}

func (s site) copy(ctx context.Context, from string) error {
	s.progress(Event{Copying, from})
	return copyTree(ctx, from, s.at)
}

// verify sees that what was copied is the tree that was opened.
func (s site) verify(ctx context.Context) error {
	now, err := digest(ctx, s.at)
	if err == nil && now != s.digest {
		err = fmt.Errorf("%s: %w since it was read; start again", s.tree.Dir, ErrTreeChanged)
	}
	return err
}

// edit replaces the collector's file, which may be a link, in the copy.
func (s site) edit(content []byte) error {
	path := filepath.Join(s.at, filepath.FromSlash(s.found.File))
	info, err := os.Stat(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		err = os.WriteFile(path, content, info.Mode().Perm()|0o600)
	}
	if err != nil {
		return fmt.Errorf("edit the copy: %w", err)
	}
	return nil
}

// run runs a command in the copy. It may have changed the tree in spite of all.
func (s site) run(ctx context.Context, stage Stage, words []string) error {
	start := time.Now()
	before, err := digest(ctx, s.tree.Dir)
	if err != nil {
		return err
	}
	err = command{stage, s.tree.inCopy(words, s.at), s.at, s.tree.Env}.run(ctx, s.progress)
	if ctx.Err() != nil {
		return err
	}
	if changed := s.untouched(ctx, before, stage, words, start); changed != nil {
		return changed
	}
	return err
}

// made sees that there is an interpreter and, after an edit, that it or its
// library is not the one of before. That it is newer than the edit would say
// less: a clock can be set back, and then make finds nothing to do.
func (s site) made(edited bool, before map[string]time.Time) error {
	failed := &BuildError{Stage: Building, Command: s.tree.Build}
	info, err := os.Stat(filepath.Join(s.at, s.tree.Ruby))
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		failed.Status = "ended well, but there is no interpreter " + s.tree.Ruby + " in the tree"
		return failed
	}
	if edited && maps.Equal(before, s.times()) {
		failed.Status = fmt.Sprintf("ended well, but did not make %s again after %s was edited", s.tree.Ruby, s.found.File)
		return failed
	}
	return nil
}

// times are those of the interpreter and its shared libraries.
func (s site) times() map[string]time.Time {
	times := map[string]time.Time{}
	for _, path := range append(libraries(s.at), filepath.Join(s.at, s.tree.Ruby)) {
		if info, err := os.Stat(path); err == nil {
			times[path] = info.ModTime()
		}
	}
	return times
}

// libraries are the shared ones in which an interpreter may have its collector.
func libraries(tree string) []string {
	return entriesLike(tree, regexp.MustCompile(`^libruby.*\.so(\.|$)`))
}

// entriesLike returns the paths of a folder's entries with names of a pattern.
func entriesLike(folder string, pattern *regexp.Regexp) []string {
	entries, _ := os.ReadDir(folder) // none where there is no such folder
	var list []string
	for _, entry := range entries {
		if pattern.MatchString(entry.Name()) {
			list = append(list, filepath.Join(folder, entry.Name()))
		}
	}
	return list
}

// movable says whether a copy of the tree can be built further: not when its
// makefiles name its own path, by which a copy would change the original.
func (s site) movable(ctx context.Context) (bool, error) {
	named, err := namedIn(ctx, s.at, func(text []byte) bool { return bytes.Contains(text, []byte(s.at)) })
	return named == "", err
}

// untied refuses a tree that was configured by its absolute path, by whatever
// links that goes: building its copy would change it.
func (s site) untied(ctx context.Context) error {
	named, err := namedIn(ctx, s.at, s.tree.namesIn)
	if err == nil && named != "" {
		err = fmt.Errorf("%s in %s names the tree's own path, so that building a copy would change it: %w; give a configure command",
			named, s.tree.Dir, ErrInsideTree)
	}
	return err
}

// inert begins the makefile that Ruby's mkmf writes for an extension of another
// system. It names the tree's path and has nothing to make.
var inert = []byte("# ***DUMMY MAKEFILE***\n")

// namedIn returns a makefile of the tree whose text names a path, or "".
func namedIn(ctx context.Context, tree string, names func([]byte) bool) (string, error) {
	errFound := errors.New("found")
	named := ""
	err := walk(ctx, tree, func(n node) error {
		if n.link != "" || !makefile(n.info) {
			return nil
		}
		content, err := readFile(n.from)
		if err == nil && !bytes.HasPrefix(content, inert) && names(content) {
			named, err = n.path, errFound
		}
		return err
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return named, err
}

func makefile(info fs.FileInfo) bool {
	name := info.Name()
	return info.Mode().IsRegular() && (slices.Contains([]string{"Makefile", "makefile", "GNUmakefile", "build.ninja", "CMakeCache.txt"}, name) ||
		strings.HasSuffix(name, ".mk"))
}
