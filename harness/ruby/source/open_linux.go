package source

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openQuietly opens a file or folder for reading without a trace in its access
// time, where its owner or root asks. A pipe or device is refused: opening one
// could wait for ever.
func openQuietly(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOATIME|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.EPERM) {
		f, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err
	}
	return onlyPlain(f)
}
