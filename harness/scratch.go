package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// scratchPattern names temporary files of this process: the number in them says
// whose they are once it is gone.
func scratchPattern(what string) string {
	return fmt.Sprintf("gctune-%s-%d-", what, os.Getpid())
}

// SweepScratch removes the temporary files of processes that are gone. What
// cannot be removed belongs to somebody else, and is left.
func SweepScratch() {
	files, _ := filepath.Glob(filepath.Join(os.TempDir(), "gctune-*"))
	for _, file := range files {
		fields := strings.Split(filepath.Base(file), "-")
		if len(fields) != 4 || fields[1] != "probe" && fields[1] != "metrics" {
			continue
		}
		pid, err := strconv.Atoi(fields[2])
		if err != nil {
			continue
		}
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); os.IsNotExist(err) {
			_ = os.RemoveAll(file)
		}
	}
}
