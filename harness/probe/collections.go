package probe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Collection is one garbage collection. What an interpreter does not tell is 0.
type Collection struct {
	Slots int64 // of the heap as it ended, before any growth that followed
	Live  int64 // slots in use when everything was swept that it could free
	Free  int64 // slots that were free as it began; Rubies before 2.1 alone
	// Seconds of CPU time without those of incremental marking and lazy sweeping; in
	// whole milliseconds before 2.1.
	Seconds float64
	Major   bool
	// By and MajorBy are in Ruby's words ("newobj", "malloc"; "oldgen", "nofree").
	By, MajorBy string
}

// ErrLogCut: the log does not have all collections that the report counts.
var ErrLogCut = errors.New("the log of collections is cut short")

// ErrLogMixed: the log has more collections than Ruby counts.
var ErrLogMixed = errors.New("the log of collections is not of this process alone")

// Collections reads the log that a report speaks of. Those that ran before the log
// began are there, too, without figures; the log of a forked process begins with its
// parent's. The error is ErrLogCut, wrapped, with what is of use, ErrLogMixed, wrapped, or
// one of the file system.
func Collections(dir string, r Report) ([]Collection, error) {
	var found []Collection
	var err error
	if r.ownLog != "" {
		return ownCollections(r)
	}
	chain := chain{dir: dir, seen: map[int]bool{}}
	if err = chain.read(r.PID, r.logBytes); err != nil {
		return nil, fmt.Errorf("read the log of collections of process %d: %w", r.PID, err)
	}
	if found = chain.log.finish(); int64(len(found)) != r.Logged {
		err = fmt.Errorf("process %d: %w: %d of %d", r.PID, ErrLogCut, len(found), r.Logged)
	}
	return found, err
}

// chain reads the logs of a process and of those that it was forked from.
type chain struct {
	dir  string
	seen map[int]bool
	log  log
}

func (c *chain) read(pid int, bytes int64) error {
	if c.seen[pid] {
		return fmt.Errorf("process %d is its own parent", pid)
	}
	c.seen[pid] = true
	file, err := os.Open(filepath.Join(c.dir, "collections-"+strconv.Itoa(pid)))
	if errors.Is(err, os.ErrNotExist) && bytes == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, bytes))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "parent" {
			parent, written, err := parentOf(fields)
			if err != nil {
				return err
			}
			if err := c.read(parent, written); err != nil {
				return err
			}
			c.log.seal()
			continue
		}
		c.log.line(fields)
	}
	return lines.Err()
}

func parentOf(fields []string) (pid int, bytes int64, err error) {
	if pid, err = strconv.Atoi(fields[1]); err != nil {
		return 0, 0, err
	}
	bytes, err = strconv.ParseInt(fields[2], 10, 64)
	return pid, bytes, err
}

// log is what the lines of a log say.
type log struct {
	all []Collection
	// The heap at the report before: pages times the slots that a page has at most,
	// and the slots that pages really have; and the collections since.
	most, slots int64
	pending     int
	sweeps      watch // of 1.9.3 and 2.0
}

// mostLogged bounds what a line of a damaged file can make of it.
const mostLogged = 1 << 20

// line reads one line; what it does not know it passes over.
func (l *log) line(fields []string) {
	switch {
	case l.sweeps.line(fields):
	case len(fields) == 2 && fields[0] == "lost":
		if n := number(fields[1]); n <= mostLogged-int64(len(l.all)) {
			l.all = append(l.all, make([]Collection, n)...)
			l.pending += int(n)
		}
	case len(fields) == 3 && fields[0] == "heap":
		l.heap(number(fields[1]), number(fields[2]))
	case len(fields) == 6 && fields[0] == "gc" && len(l.all) < mostLogged:
		l.all = append(l.all, collection(fields))
		l.pending++
	}
}

func collection(fields []string) Collection {
	c := Collection{Slots: number(fields[1]), Live: number(fields[2])}
	if seconds, err := strconv.ParseFloat(fields[3], 64); err == nil && seconds > 0 && seconds < 1e9 {
		c.Seconds = seconds
	}
	if fields[4] != "-" {
		c.By = fields[4]
	}
	if fields[5] != "-" {
		c.Major, c.MajorBy = true, fields[5]
	}
	return c
}

// number is 0 for what is none, or none that slots can be counted with.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return n
}

// heap turns the pages of the collections since the report before into slots. From
// Ruby 3.2 on pages have fewer slots where these are larger, and which pages there
// were at a collection is not told: between two reports the slots are taken to have
// grown along with the pages.
func (l *log) heap(most, slots int64) {
	now := pages{most, slots}
	for i := len(l.all) - l.pending; i < len(l.all); i++ {
		c := &l.all[i]
		if c.Slots > 0 {
			c.Slots = max(c.Live, slotsOf(c.Slots, pages{l.most, l.slots}, now))
		}
	}
	l.most, l.slots, l.pending = most, slots, 0
}

// pages are the slots that pages would have at most, and those that they have.
type pages struct{ most, slots int64 }

func (p pages) share() float64 {
	if p.most == 0 {
		return 1
	}
	return float64(p.slots) / float64(p.most)
}

func slotsOf(most int64, before, now pages) int64 {
	if before.most == 0 {
		before = now
	}
	low, high := before, now
	if low.most > high.most {
		low, high = high, low
	}
	x := float64(most)
	switch {
	case most <= low.most:
		return int64(x * low.share())
	case most >= high.most:
		return int64(x * high.share())
	}
	part := (x - float64(low.most)) / float64(high.most-low.most)
	return low.slots + int64(part*float64(high.slots-low.slots))
}

// seal ends what was of a parent: how that is read does not depend on what comes after it,
// so that all of its children have the same.
func (l *log) seal() {
	if len(l.sweeps) == 0 {
		return
	}
	found, last := l.sweeps.collections()
	if len(l.all) > 0 { // the first look is the last one of the parent
		found = found[min(len(l.all), len(found)):]
	}
	l.all, l.sweeps = append(l.all, found...), watch{last}
}

func (l *log) finish() []Collection {
	l.seal()
	return l.all
}
