package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Find finds a program the way that a command started in dir with env would
// (exec.LookPath would use the PATH of this process). The error is a
// *StartError that says why the program could not be started.
func Find(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if err := executable(path); err != nil {
			return "", &StartError{name, err}
		}
		return filepath.Abs(path)
	}
	var path string
	for _, entry := range env {
		if value, found := strings.CutPrefix(entry, "PATH="); found {
			path = value
		}
	}
	for _, place := range filepath.SplitList(path) {
		if !filepath.IsAbs(place) {
			place = filepath.Join(dir, place)
		}
		if found := filepath.Join(place, name); executable(found) == nil {
			return filepath.Abs(found)
		}
	}
	return "", &StartError{name, fmt.Errorf("no such program in PATH=%s; give its full path or set PATH in its environment", path)}
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case unix.Access(path, unix.X_OK) != nil:
		return fmt.Errorf("%s is not executable: chmod +x makes it so", path)
	}
	return nil
}
