package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const filesName = "files"

// entry is what a file of a complete tree is like.
type entry struct {
	Size int64
	Mode fs.FileMode
}

// takeInventory notes the files of a tree, by which a later process sees that
// none was lost or cut short: cache folders are cleaned up, disks fill, machines
// lose power.
func takeInventory(folder string) error {
	files := map[string]entry{}
	err := walk(context.Background(), filepath.Join(folder, treeName), func(n node) error {
		if n.link == "" && n.info.Mode().IsRegular() {
			files[n.path] = entry{n.info.Size(), n.info.Mode().Perm() & 0o111}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	content, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, filesName), content, 0o666); err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	return flushed(folder)
}

// flushed has the file system of a folder write all that it holds back, in one
// call for the thousands of files of a build.
func flushed(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("finish a build: %w", err)
	}
	return nil
}

// intact is complete for a tree that is about to be used. Files that were added
// do no harm.
func intact(folder string) (record, bool) {
	r, ok := complete(folder)
	if !ok {
		return r, false
	}
	files := map[string]entry{}
	content, err := os.ReadFile(filepath.Join(folder, filesName))
	if err != nil || json.Unmarshal(content, &files) != nil {
		return r, false
	}
	for path, was := range files {
		info, err := os.Stat(filepath.Join(folder, treeName, path))
		if err != nil || !info.Mode().IsRegular() || info.Size() != was.Size || info.Mode().Perm()&0o111 != was.Mode {
			return r, false
		}
	}
	return r, true
}
