package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file that is there in full or not at all. What is no
// regular file (a device, a pipe) is written to as it is.
func writeWhole(path string, write func(io.Writer) error) error {
	target, mode, err := destination(path)
	if err != nil {
		return usagef("writing %s: %v", path, err)
	}
	if !mode.IsRegular() {
		return writeThrough(path, write)
	}
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return usagef("writing %s: %v", path, err)
	}
	defer os.Remove(file.Name()) // in vain once it is renamed
	err = errors.Join(write(file), file.Chmod(mode.Perm()), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// newFileMode is that of a file that did not exist.
const newFileMode fs.FileMode = 0o644

// destination follows symbolic links, so that what they point to is written.
func destination(path string) (string, fs.FileMode, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, newFileMode, nil
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(target)
	if err != nil { // such as a pipe behind /dev/fd, whose link names no file
		info, err = os.Stat(path)
		target = path
	}
	if err != nil {
		return "", 0, err
	}
	if info.IsDir() {
		return "", 0, errors.New("it is a directory")
	}
	return target, info.Mode(), nil
}

func writeThrough(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return usagef("writing %s: %v", path, err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
