//go:build !linux

package source

import (
	"os"
	"syscall"
)

func openQuietly(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return onlyPlain(f)
}
