package source_test

import (
	"fmt"
	"io/fs"
	"syscall"
)

// kernelView is what else is known of a file: that it is the same one, and
// when it was last read (except for folders, which the tests themselves read)
// and changed in any way.
func kernelView(info fs.FileInfo) string {
	stat := info.Sys().(*syscall.Stat_t)
	if info.IsDir() {
		stat.Atim = syscall.Timespec{}
	}
	return fmt.Sprint(stat.Ino, stat.Ctim, stat.Atim)
}
