//go:build !linux

package probe

import (
	"errors"
	"syscall"
)

// Signal has no equivalent outside Linux.
const Signal = syscall.Signal(0)

// Ask needs Linux.
func Ask(int) error { return errors.New("asking the probe for a report needs Linux") }
