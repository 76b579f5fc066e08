package process

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tagPrefix begins the name of the file that marked processes have as standard
// input, as the kernel shows it.
const tagPrefix = "/memfd:gctune-run:"

// maxTag keeps within the kernel's limit of 249 bytes for such a name.
const maxTag = 200

// newTag makes the standard input of a tree: an empty file in memory whose name
// is the marker. It reads like /dev/null. A process that writes its title over
// its environment, as Puma does, is still recognised by it.
func newTag(marker string) (*os.File, error) {
	name := strings.TrimPrefix(tagPrefix, "/memfd:") + tagText(marker)
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("cannot make the standard input of the command: %w", err)
	}
	file := os.NewFile(uintptr(fd), name)
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_GROW | unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot make the standard input of the command: %w", err)
	}
	return file, nil
}

// tagText writes a marker so that it is safe in a file name. The text of a
// prefix is a prefix of the text.
func tagText(marker string) string {
	var b strings.Builder
	for i := range len(marker) {
		c := marker[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	text := b.String()
	return text[:min(len(text), maxTag)]
}

// tagOf returns the marker's text on a process's standard input.
func tagOf(pid int) (string, bool) {
	target, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "fd/0"))
	if err != nil {
		return "", false
	}
	text, found := strings.CutPrefix(target, tagPrefix)
	return strings.TrimSuffix(text, " (deleted)"), found
}

// markerOf returns the marker in a process's environment.
func markerOf(pid int) (string, bool) {
	area, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return "", false
	}
	for entry := range bytes.SplitSeq(area, []byte{0}) {
		if marker, found := bytes.CutPrefix(entry, []byte(MarkerVariable+"=")); found {
			return string(marker), true
		}
	}
	return "", false
}

// badge turns a marker into a number for setBadge.
func badge(marker string) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(marker)) // never fails
	return hash.Sum64()>>2 | 1<<61
}

// setBadge sets a limit that no kernel since Linux 2.4.25 looks at, the number of
// file locks, to a number that stands for the marker. Limits are passed on to
// every descendant, and survive what environment, session and open files do
// not: a daemon started afresh by env -i with all its files closed has its
// badge still, and so has a zombie. It may fail, below another gctune.
func setBadge(pid int, badge uint64) {
	_ = unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: badge, Max: badge}, nil)
}

// isBadge tells a badge from a limit that somebody meant as one.
func isBadge(limit uint64) bool { return limit>>61 == 1 }

// limitOf returns the limit that carries the badge, or 0 when it cannot be read.
func limitOf(pid int) uint64 {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit) != nil {
		return 0
	}
	return limit.Max
}

// marked tells whether a process has a marker, in its environment or as its
// standard input, that begins with prefix, or the badge of exactly that marker.
func marked(pid int, prefix string) bool {
	if limitOf(pid) == badge(prefix) {
		return true
	}
	if marker, ok := markerOf(pid); ok && strings.HasPrefix(marker, prefix) {
		return true
	}
	tag, ok := tagOf(pid)
	return ok && strings.HasPrefix(tag, tagText(prefix))
}
