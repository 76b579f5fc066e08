package process

import (
	"path/filepath"
	"strings"

	"github.com/prometheus/procfs"
)

// Allocator names the memory allocator that is loaded into a process, with the file
// that it is in, such as "jemalloc (libjemalloc.so.2)". It is "" where that cannot be
// read, and for a program that contains its allocator.
func Allocator(pid int) string {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return ""
	}
	maps, err := proc.ProcMaps()
	if err != nil {
		return ""
	}
	var files []string
	for _, m := range maps {
		files = append(files, m.Pathname)
	}
	return allocatorAmong(files)
}

// allocators are looked for in this order: one that is loaded stands before the C
// library's.
var allocators = []struct{ name, begin string }{
	{"jemalloc", "libjemalloc"}, {"tcmalloc", "libtcmalloc"}, {"mimalloc", "libmimalloc"},
	{"musl", "ld-musl-"}, {"glibc", "libc.so."}, {"glibc", "libc-2."},
}

func allocatorAmong(files []string) string {
	for _, a := range allocators {
		for _, file := range files {
			if base := filepath.Base(file); strings.HasPrefix(base, a.begin) {
				return a.name + " (" + strings.TrimSuffix(base, " (deleted)") + ")"
			}
		}
	}
	return ""
}
