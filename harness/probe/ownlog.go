package probe

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// ownCollections reads what a patched Ruby before 2.1 has written itself: see
// gc_sweep and garbage_collect in gc.c of the Railsbench patch (ruby186gc.patch) and of
// Ruby Enterprise Edition. A log that has not the collections that Ruby counts is of no
// use: whose they are, or which are missing, it does not tell.
func ownCollections(r Report) ([]Collection, error) {
	file, err := os.Open(r.ownLog)
	if err != nil {
		return nil, fmt.Errorf("read the interpreter's log of collections: %w", err)
	}
	defer file.Close()
	found, marked := parseOwnLog(file, r.PID, r.ownLogMark)
	switch n := int64(len(found)); {
	case !marked:
		return nil, fmt.Errorf("process %d: %w: it is another process's, or was written over", r.PID, ErrLogCut)
	case r.ownLogCount < 0:
		return nil, fmt.Errorf("process %d: %w: the program has turned GC statistics off", r.PID, ErrLogCut)
	case n < r.ownLogCount:
		return nil, fmt.Errorf("process %d: %w: %d of %d", r.PID, ErrLogCut, n, r.ownLogCount)
	case n > r.ownLogCount:
		return nil, fmt.Errorf("process %d: %w: it has %d, and Ruby counts %d: forked processes have written into it, or the program has called GC.clear_stats",
			r.PID, ErrLogMixed, n, r.ownLogCount)
	}
	return found, nil
}

// parseOwnLog reads up to a mark. It is whole when it begins with the process and has
// the mark: another process may have opened the same file.
func parseOwnLog(text io.Reader, pid int, mark string) (found []Collection, marked bool) {
	lines := bufio.NewScanner(text)
	begun := false
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "gctune "); ok {
			begun = begun || rest == "begins "+strconv.Itoa(pid)
			if rest == "mark "+mark {
				return found, begun
			}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		if name == "objects processed" {
			found = append(found, Collection{Slots: number(strings.TrimSpace(value)), Major: true})
		} else if len(found) > 0 {
			found[len(found)-1].own(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return found, false
}

// own takes one line of a collection. The free list as it began is what it freed
// beyond the objects that it freed: where there was any left, the collection was not
// started for want of slots. What has freed whole slabs prints less than none.
func (c *Collection) own(name, value string) {
	switch name {
	case "live objects":
		c.Live = number(value)
	case "freelist objects":
		c.Free = number(value)
		if c.By = "newobj"; c.Free > 0 {
			c.By = "malloc"
		}
	case "GC time":
		c.Seconds = float64(number(strings.TrimSuffix(value, " msec"))) / 1000
	}
}
