package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// node is one file, folder or link of a tree.
type node struct {
	path string      // relative to the tree
	info fs.FileInfo // of what is copied
	link string      // the target, for a link that stays a link
	from string      // the file to read
}

// histories are left out of copies: they are large, and a repository that a
// copied .git leads back to could be written to by the build.
var histories = []string{".git", ".hg", ".svn", ".bzr"}

// walk visits a tree in the order of its names, each folder before what is in
// it. Sockets, pipes and devices are passed over.
func walk(ctx context.Context, root string, visit func(node) error) error {
	return walkFolder(ctx, root, "", visit)
}

func walkFolder(ctx context.Context, root, folder string, visit func(node) error) error {
	entries, err := readFolder(filepath.Join(root, folder))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if slices.Contains(histories, entry.Name()) {
			continue
		}
		n, err := nodeOf(root, filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		if n.link == "" && !n.info.IsDir() && !n.info.Mode().IsRegular() {
			continue
		}
		if err := visit(n); err != nil {
			return err
		}
		if n.link == "" && n.info.IsDir() {
			if err := walkFolder(ctx, root, n.path, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func readFolder(path string) ([]fs.DirEntry, error) {
	f, err := openQuietly(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// onlyPlain refuses what is neither a file nor a folder.
func onlyPlain(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &os.PathError{Op: "read", Path: f.Name(), Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// nodeOf looks at one path. A link must not lead out of a copy back to the
// tree, nor should a build write through one to a file elsewhere: links within
// the tree are made relative, and a file elsewhere is copied in place of the
// link to it. Links to folders elsewhere and to nothing stay.
func nodeOf(root, path string) (node, error) {
	full := filepath.Join(root, path)
	info, err := os.Lstat(full)
	if err != nil {
		return node{}, err
	}
	n := node{path: path, info: info, from: full}
	if info.Mode()&fs.ModeSymlink == 0 {
		return n, nil
	}
	if n.link, err = os.Readlink(full); err != nil {
		return node{}, err
	}
	aim := n.link
	if !filepath.IsAbs(aim) {
		aim = filepath.Join(filepath.Dir(full), aim)
		if within(root, aim) {
			return n, nil
		}
	}
	return n.outside(root, full, aim)
}

func (n node) outside(root, full, aim string) (node, error) {
	real, err := filepath.EvalSymlinks(aim)
	if err != nil {
		return n, nil //nolint:nilerr // a link to nothing stays one
	}
	if within(root, real) {
		n.link, err = filepath.Rel(filepath.Dir(full), real)
		return n, err
	}
	info, err := os.Stat(real)
	if err == nil && info.Mode().IsRegular() {
		n.info, n.link, n.from = info, "", real
		return n, nil
	}
	n.link = real
	return n, err
}

// within says whether a path is a folder or lies in it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// digest is a hash of all that a build can see of a tree: names, contents,
// links and which files can be executed. A copy has the digest of its original.
func digest(ctx context.Context, root string) (string, error) {
	sum := sha256.New()
	err := walk(ctx, root, func(n node) error {
		switch {
		case n.link != "":
			_, err := fmt.Fprintf(sum, "link %q %q\n", n.path, n.link)
			return err
		case n.info.IsDir():
			_, err := fmt.Fprintf(sum, "folder %q\n", n.path)
			return err
		}
		fmt.Fprintf(sum, "file %q %v %d\n", n.path, n.info.Mode()&0o111 != 0, n.info.Size())
		f, err := openQuietly(n.from)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(sum, f)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the source tree: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// copyTree copies a tree with its times, which tell make what is up to date.
// Each file becomes one of its own, since compilers and ar write into files in
// place; where the file system can, the kernel shares the blocks until then.
func copyTree(ctx context.Context, from, to string) error {
	var folders []node
	if err := os.MkdirAll(to, 0o777); err != nil {
		return fmt.Errorf("copy the source tree: %w", err)
	}
	err := walk(ctx, from, func(n node) error {
		target := filepath.Join(to, n.path)
		switch {
		case n.link != "":
			return os.Symlink(n.link, target)
		case n.info.IsDir():
			folders = append(folders, n)
			return os.Mkdir(target, n.info.Mode().Perm()|0o700)
		}
		return copyFile(n.from, target, n.info)
	})
	for _, n := range slices.Backward(folders) { // the times of a folder change with its contents
		if err == nil {
			err = setTime(filepath.Join(to, n.path), n.info)
		}
	}
	if err != nil {
		return fmt.Errorf("copy the source tree: %w", err)
	}
	return nil
}

func copyFile(from, to string, info fs.FileInfo) error {
	in, err := openQuietly(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return setTime(to, info)
}

func setTime(path string, info fs.FileInfo) error {
	return os.Chtimes(path, time.Time{}, info.ModTime())
}
