package process

import (
	"fmt"
	"os"
	"strings"
)

// Self returns the identity of this process.
func Self() (Owner, error) {
	s, err := readStat(os.Getpid())
	if err != nil {
		return Owner{}, fmt.Errorf("cannot identify this process: %w", err)
	}
	boot, err := bootID()
	if err != nil {
		return Owner{}, fmt.Errorf("cannot identify this run of the machine: %w", err)
	}
	return Owner{PID: s.pid, StartTicks: s.start, BootID: boot}, nil
}

// OwnerAlive tells whether the owner still runs, as seen from the same machine
// and the same container.
func OwnerAlive(owner Owner) bool {
	boot, err := bootID()
	return err == nil && boot == owner.BootID && Alive(owner.PID, owner.StartTicks)
}

func bootID() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text)), err
}
