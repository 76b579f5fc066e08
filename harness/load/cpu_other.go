//go:build !linux

package load

import "time"

// processCPU is not read on this system.
func processCPU() time.Duration { return 0 }
