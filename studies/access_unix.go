//go:build unix

package studies

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// checkWritable finds what cannot be written and why. SQLite would only say
// that it cannot open a file, and not which. Access also knows of read-only
// file systems, which bind root too.
func checkWritable(path string) error {
	for _, p := range []string{filepath.Dir(path), path} {
		err := unix.Access(p, unix.W_OK)
		if p == path && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("open store: %w: %s: %w; make it writable, or choose another file with --store", ErrReadOnly, p, err)
		}
	}
	return nil
}
