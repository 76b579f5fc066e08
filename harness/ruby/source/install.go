package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Install makes a built interpreter for use in a folder that is absent or
// empty, and returns the interpreter's path there.
//
// With an install command the whole interpreter is installed. An interpreter
// knows its library by the prefix that it was configured for, so the tree is
// built once more for this one: the configure command's --prefix is replaced,
// or one is added to a command named configure. Without a configure command,
// make is given prefix=PREFIX; other commands give ErrPrefixFixed.
//
// Without an install command the interpreter alone is copied to PREFIX/bin; it
// uses the library at the prefix that the tree is configured for.
//
// The errors are ErrPrefixInUse, ErrPrefixFixed, ErrInsideTree and those of
// Build. What a failed installation has left in the folder is removed.
func (b *Builder) Install(ctx context.Context, built *Built, prefix string) (string, error) {
	prefix, err := b.freePrefix(prefix)
	if err != nil {
		return "", err
	}
	name := filepath.Join(prefix, "bin", filepath.Base(built.Ruby))
	if len(b.tree.Install) == 0 {
		err = b.copyAlone(built, name)
	} else {
		err = b.installWhole(ctx, built, prefix)
	}
	if err == nil {
		_, err = os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = &BuildError{Stage: Installing, Command: b.tree.Install, Status: "ended well, but there is no " + name}
		}
	}
	if err != nil {
		return "", errors.Join(err, empty(prefix))
	}
	return name, nil
}

func (b *Builder) freePrefix(prefix string) (string, error) {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	real, err := realParent(prefix)
	if err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	if within(b.tree.Dir, real) || within(b.cache.Dir, real) {
		return "", fmt.Errorf("the prefix %s: %w or the cache; name a folder elsewhere", prefix, ErrInsideTree)
	}
	if err := os.MkdirAll(prefix, 0o777); err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	entries, err := os.ReadDir(prefix)
	if err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("the prefix %s: %w; name a new one", prefix, ErrPrefixInUse)
	}
	return prefix, nil
}

// realParent resolves the links of as much of a path as exists.
func realParent(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
		return real, err
	}
	return realParent(filepath.Dir(path))
}

// empty removes what is in a folder.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
	}
	return err
}

func (b *Builder) copyAlone(built *Built, name string) error {
	if len(libraries(built.Dir)) > 0 {
		return fmt.Errorf("%s needs the shared library that was built with it: %w; give an install command", built.Ruby, ErrPrefixFixed)
	}
	b.progress(Event{Installing, name})
	info, err := os.Stat(built.Ruby)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := copyFile(built.Ruby, name, info); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}

// installWhole builds for the prefix in a tree that is not kept, since install
// commands write into their tree.
func (b *Builder) installWhole(ctx context.Context, built *Built, prefix string) error {
	configure, install, err := b.forPrefix(prefix)
	if err != nil {
		return err
	}
	content, err := b.edited(built.Values)
	if err != nil {
		return err
	}
	base, _, err := b.openBase(ctx)
	if err != nil {
		return err
	}
	name, err := keyOf("installed", b.baseName, prefix, built.Values)
	if err != nil {
		return err
	}
	return b.cache.scratch(ctx, name, b.waiting, func(folder string, lock *os.File) error {
		s := b.site(folder, lock)
		s.configure = configure
		if base.record.Movable && slices.Equal(configure, b.tree.Configure) {
			err = s.copy(ctx, built.Dir)
		} else {
			err = s.whole(ctx, content)
		}
		if err != nil {
			return err
		}
		return s.run(ctx, Installing, install)
	})
}

// forPrefix returns the configure and install commands for a prefix.
func (b *Builder) forPrefix(prefix string) (configure, install []string, err error) {
	configure, install = slices.Clone(b.tree.Configure), slices.Clone(b.tree.Install)
	for i, w := range configure {
		if strings.HasPrefix(w, "--prefix=") {
			configure[i] = "--prefix=" + prefix
			return configure, install, nil
		}
		if w == "--prefix" && i+1 < len(configure) {
			configure[i+1] = prefix
			return configure, install, nil
		}
	}
	named := func(words []string, names ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, filepath.Base(w)) })
	}
	switch {
	case named(configure, "configure"):
		return append(configure, "--prefix="+prefix), install, nil
	case len(configure) == 0 && named(install[:1], "make", "gmake"):
		return configure, append(install, "prefix="+prefix), nil
	}
	return nil, nil, fmt.Errorf("install into %s: %w by these commands; write --prefix=FOLDER into the configure command", prefix, ErrPrefixFixed)
}
