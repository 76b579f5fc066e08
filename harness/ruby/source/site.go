package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// site is a folder of the cache in which a tree is being built.
type site struct {
	*Builder
	at        string // the copy of the tree
	lock      *os.File
	configure []string
}

func (b *Builder) site(folder string, lock *os.File) site {
	return site{b, filepath.Join(folder, treeName), lock, b.tree.Configure}
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
	if content != nil {
		if _, err := s.edit(content); err != nil {
			return err
		}
	}
	if len(s.configure) == 0 {
		if err := s.untied(ctx); err != nil {
			return err
		}
	}
	return s.commands(ctx, content == nil)
}

func (s site) commands(ctx context.Context, unedited bool) error {
	err := error(nil)
	if len(s.configure) > 0 {
		err = s.run(ctx, Configuring, s.configure)
	}
	if err == nil {
		err = s.run(ctx, Building, s.tree.Build)
	}
	if err == nil {
		err = s.made(time.Time{})
	}
	var failed *BuildError
	if errors.As(err, &failed) {
		failed.Unedited = unedited
	}
	return err
}

// further copies a build of the same tree, edits it and lets the build command
// find what has to be made again.
func (s site) further(ctx context.Context, base string, content []byte) error {
	if err := s.copy(ctx, base); err != nil {
		return err
	}
	edited, err := s.edit(content)
	if err != nil {
		return err
	}
	if err := s.run(ctx, Building, s.tree.Build); err != nil {
		return err
	}
	return s.made(edited)
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

// edit replaces the collector's file and returns its new time.
func (s site) edit(content []byte) (time.Time, error) {
	path := filepath.Join(s.at, filepath.FromSlash(s.found.File))
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, fmt.Errorf("edit the copy: %w", err)
	}
	if err := os.Remove(path); err != nil { // it may be a link
		return time.Time{}, fmt.Errorf("edit the copy: %w", err)
	}
	if err := os.WriteFile(path, content, info.Mode().Perm()|0o600); err != nil {
		return time.Time{}, fmt.Errorf("edit the copy: %w", err)
	}
	info, err = os.Stat(path)
	if err != nil {
		return time.Time{}, fmt.Errorf("edit the copy: %w", err)
	}
	return info.ModTime(), nil
}

func (s site) run(ctx context.Context, stage Stage, words []string) error {
	words = slices.Clone(words)
	for i, w := range words {
		if w == s.tree.Dir || strings.HasPrefix(w, s.tree.Dir+"/") {
			words[i] = s.at + strings.TrimPrefix(w, s.tree.Dir)
		}
	}
	return command{stage, words, s.at, s.tree.Env, s.lock}.run(ctx, s.progress)
}

// made sees that the build command has made the interpreter, and made it after
// the given time.
func (s site) made(after time.Time) error {
	name, words := s.tree.Ruby, s.tree.Build
	info, err := os.Stat(filepath.Join(s.at, name))
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return &BuildError{Stage: Building, Command: words, Status: "ended well, but there is no interpreter " + name + " in the tree"}
	}
	for _, path := range append(libraries(s.at), filepath.Join(s.at, name)) {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Before(after) {
			return nil
		}
	}
	return &BuildError{Stage: Building, Command: words, Status: fmt.Sprintf("ended well, but did not make %s again after %s was edited", name, s.found.File)}
}

// libraries are the shared ones in which an interpreter may have its collector.
func libraries(tree string) []string {
	list, _ := filepath.Glob(filepath.Join(tree, "libruby*.so*")) // the pattern is sound
	return list
}

// movable says whether a copy of the tree can be built further: not when its
// makefiles name its own path, by which a copy would change the original.
func (s site) movable(ctx context.Context) (bool, error) {
	named, err := namedIn(ctx, s.at, s.at)
	return named == "", err
}

// untied refuses a tree that was configured by its absolute path: building its
// copy would change it.
func (s site) untied(ctx context.Context) error {
	named, err := namedIn(ctx, s.at, s.tree.Dir)
	if err == nil && named != "" {
		err = fmt.Errorf("%s in %s names the tree's own path, so that building a copy would change it: %w; give a configure command",
			named, s.tree.Dir, ErrInsideTree)
	}
	return err
}

// namedIn returns a makefile of the tree that holds the path, or "".
func namedIn(ctx context.Context, tree, path string) (string, error) {
	errFound := errors.New("found")
	named := ""
	err := walk(ctx, tree, func(n node) error {
		if n.link != "" || !makefile(n.info) {
			return nil
		}
		content, err := os.ReadFile(n.from)
		if err == nil && bytes.Contains(content, []byte(path)) {
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
