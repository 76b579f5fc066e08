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
// or one is added to a command named configure. It is installed into a private
// folder within the new one, through DESTDIR, and moved from there, so that
// neither the prefix of before nor what others put into the new one is touched.
//
// Without an install command the interpreter alone is copied to PREFIX/bin; it
// uses the library at the prefix that the tree is configured for.
//
// The errors are those of Installable and Build. A failed installation removes
// what it made.
func (b *Builder) Install(ctx context.Context, built *Built, prefix string) (string, error) {
	prefix, err := b.installable(prefix)
	if err != nil {
		return "", err
	}
	made, err := makeFolders(prefix)
	if err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	name := filepath.Join(prefix, "bin", filepath.Base(built.Ruby))
	if len(b.tree.Install) == 0 {
		err = b.copyAlone(built, name)
	} else {
		err = b.installWhole(ctx, built, prefix)
	}
	if err != nil {
		removeEmpty(made)
		return "", err
	}
	return name, nil
}

// Installable says beforehand why an installation into a folder would be
// refused: ErrPrefixInUse, ErrPrefixFixed, ErrInsideTree or ErrPrefixUnusable.
// It changes nothing.
func (b *Builder) Installable(prefix string) error {
	_, err := b.installable(prefix)
	return err
}

func (b *Builder) installable(prefix string) (string, error) {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	real, err := realParent(prefix)
	if err != nil {
		return "", fmt.Errorf("the prefix %s: %w: %w", prefix, ErrPrefixUnusable, err)
	}
	if within(b.tree.Dir, real) || within(b.cache.Dir, real) {
		return "", fmt.Errorf("the prefix %s: %w or the cache; name a folder elsewhere", prefix, ErrInsideTree)
	}
	entries, err := os.ReadDir(prefix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the prefix %s: %w: %w", prefix, ErrPrefixUnusable, err)
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("the prefix %s: %w; name a new one", prefix, ErrPrefixInUse)
	}
	if err := parentUsable(prefix); err != nil {
		return "", fmt.Errorf("the prefix %s: %w: %w", prefix, ErrPrefixUnusable, err)
	}
	if len(b.tree.Install) == 0 {
		return prefix, nil
	}
	if _, _, err := b.forPrefix(prefix, prefix); err != nil {
		return "", fmt.Errorf("install into %s: %w", prefix, err)
	}
	return prefix, nil
}

// parentUsable sees that what exists of a path is a folder.
func parentUsable(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
		return parentUsable(filepath.Dir(path))
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", path)
	}
	return err
}

// realParent resolves the links of as much of a path as exists.
func realParent(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
		return real, err
	}
	parent, err := realParent(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// makeFolders is os.MkdirAll that returns what it made, the innermost first.
func makeFolders(path string) (made []string, err error) {
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		removeEmpty(made)
		return nil, err
	}
	return made, nil
}

// removeEmpty removes folders unless something is in them.
func removeEmpty(folders []string) {
	for _, folder := range folders {
		_ = os.Remove(folder)
	}
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
	made, err := makeFolders(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := copyFile(built.Ruby, name, info); err != nil {
		removeEmpty(made)
		return fmt.Errorf("install: %w", err)
	}
	return nil
}

// installWhole builds for the prefix in a tree that is not kept, since install
// commands write into their tree.
func (b *Builder) installWhole(ctx context.Context, built *Built, prefix string) error {
	staging, err := os.MkdirTemp(prefix, ".gctune-")
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	defer os.RemoveAll(staging)
	configure, install, err := b.forPrefix(prefix, staging)
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
	return b.cache.scratch(ctx, name, b.waiting, func(folder string) error {
		s := b.site(folder)
		s.configure = configure
		if base.record.Movable && slices.Equal(configure, b.tree.Configure) {
			err = s.copy(ctx, built.Dir)
		} else {
			err = s.whole(ctx, content)
		}
		if err == nil {
			err = staged(s.at)
		}
		if err != nil {
			return err
		}
		if err := s.run(ctx, Installing, install); err != nil {
			return err
		}
		return b.moveIn(staging, prefix, filepath.Base(built.Ruby))
	})
}

// moveIn moves an installation out of its staging folder, all or nothing.
func (b *Builder) moveIn(staging, prefix, ruby string) error {
	from := filepath.Join(staging, prefix)
	failed := &BuildError{Stage: Installing, Command: b.tree.Install}
	if outside := outsideOf(staging, prefix); outside != "" {
		failed.Status = fmt.Sprintf("would write to %s, which is outside of %s; nothing was installed", outside, prefix)
		return failed
	}
	if info, err := os.Stat(filepath.Join(from, "bin", ruby)); err != nil || !info.Mode().IsRegular() {
		failed.Status = "ended well, but has installed no " + filepath.Join(prefix, "bin", ruby)
		return failed
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	for i, entry := range entries {
		if err := renameNew(filepath.Join(from, entry.Name()), filepath.Join(prefix, entry.Name())); err != nil {
			for _, moved := range entries[:i] {
				err = errors.Join(err, os.Rename(filepath.Join(prefix, moved.Name()), filepath.Join(from, moved.Name())))
			}
			return fmt.Errorf("install: %w", err)
		}
	}
	return nil
}

// renameNew renames to a name that must be free.
func renameNew(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s has come meanwhile: %w", to, ErrPrefixInUse)
	}
	return os.Rename(from, to)
}

// outsideOf returns a file of a staging folder that does not belong to the
// prefix, by its final path, or "".
func outsideOf(staging, prefix string) (outside string) {
	_ = filepath.WalkDir(staging, func(path string, entry fs.DirEntry, err error) error {
		final := "/" + strings.TrimPrefix(strings.TrimPrefix(path, staging), "/")
		switch {
		case err != nil || within(final, prefix) && entry.IsDir():
		case within(prefix, final):
			return fs.SkipDir
		case !entry.IsDir():
			outside = final
			return fs.SkipAll
		}
		return nil
	})
	return outside
}
