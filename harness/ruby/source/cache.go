package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gctune/gctune/harness/process"
)

// Cache is where built trees are kept. Several processes may share a folder.
type Cache struct {
	Dir      string
	MaxTrees int   // 0 stands for 40
	MaxBytes int64 // on disk; 0 stands for 10 GiB
}

// A tree is kept as NAME/tree beside NAME/complete, which is written last: a
// folder without it is what a killed process has left. NAME/files tells what must
// be there. It is built where it
// stays, as some build systems write their own path into what they make.
const (
	treeName     = "tree"
	completeName = "complete"
	lockSuffix   = ".lock"
)

// record is what is known of a complete tree.
type record struct {
	Bytes   int64 `json:"bytes"`
	Movable bool  `json:"movable"` // a copy of it can be built further
}

// lease keeps a tree from being removed.
type lease struct {
	folder string
	record record
	fresh  bool // built for this lease
	lock   *os.File
}

func (l *lease) tree() string { return filepath.Join(l.folder, treeName) }

func (l *lease) Close() error { return l.lock.Close() }

func (c Cache) limits() (trees int, bytes int64) {
	return cmp.Or(c.MaxTrees, 40), cmp.Or(c.MaxBytes, 10<<30)
}

// acquire returns a lease on a tree, which produce makes in the given folder
// where there is none. What produce leaves when it fails is removed.
func (c Cache) acquire(ctx context.Context, name string, wait func(holder string), produce func(folder string) (record, error)) (*lease, error) {
	folder := filepath.Join(c.Dir, name)
	for ctx.Err() == nil {
		lock, err := lockFile(ctx, folder+lockSuffix, unix.LOCK_SH, wait)
		if err != nil {
			return nil, err
		}
		if r, ok := intact(folder); ok {
			touch(folder)
			return &lease{folder: folder, record: r, lock: lock}, nil
		}
		lock.Close()
		l, err := c.produce(ctx, folder, wait, produce)
		if l != nil || err != nil {
			return l, err
		}
	}
	return nil, fmt.Errorf("build %s: %w", name, ctx.Err())
}

// scratch makes a tree for one use and removes it again.
func (c Cache) scratch(ctx context.Context, name string, wait func(holder string), use func(folder string) error) error {
	folder := filepath.Join(c.Dir, name)
	lock, err := lockFile(ctx, folder+lockSuffix, unix.LOCK_EX, wait)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := begin(folder); err != nil {
		return err
	}
	return errors.Join(use(folder), discard(folder))
}

// produce makes a tree under an exclusive lock. It returns nothing when another
// process came first, or removed the tree again before this lease began.
func (c Cache) produce(ctx context.Context, folder string, wait func(holder string), produce func(string) (record, error)) (*lease, error) {
	lock, err := lockFile(ctx, folder+lockSuffix, unix.LOCK_EX, wait)
	if err != nil {
		return nil, err
	}
	if _, ok := intact(folder); ok {
		lock.Close()
		return nil, nil
	}
	r, err := c.fill(folder, produce)
	if err != nil {
		err = errors.Join(err, discard(folder))
		lock.Close()
		return nil, err
	}
	// Turning the lock into a shared one can let another process in between.
	if err := flock(ctx, lock, unix.LOCK_SH, wait); err != nil {
		lock.Close()
		return nil, err
	}
	if _, ok := complete(folder); !ok || !current(lock, folder+lockSuffix) {
		lock.Close()
		return nil, nil
	}
	return &lease{folder: folder, record: r, fresh: true, lock: lock}, nil
}

func (c Cache) fill(folder string, produce func(string) (record, error)) (record, error) {
	if err := begin(folder); err != nil {
		return record{}, err
	}
	r, err := produce(folder)
	if err != nil {
		return r, err
	}
	if err := takeInventory(folder); err != nil {
		return r, err
	}
	r.Bytes = diskUse(folder)
	return r, finish(folder, r)
}

// begin makes an empty folder, in place of an unfinished or damaged one. What a
// killed process has left running there would write into the new one, too.
func begin(folder string) error {
	_, missing := os.Lstat(folder)
	if err := endLeftovers(missing != nil); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove an unfinished build: %w", err)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("begin a build: %w", err)
	}
	return nil
}

// endLeftovers ends what a killed process has left running, unless there is
// nothing to end.
func endLeftovers(nothing bool) error {
	if nothing {
		return nil
	}
	if _, err := process.SweepOnce(); err != nil {
		return fmt.Errorf("end what an unfinished build has left running: %w", err)
	}
	return nil
}

// finish marks a tree as complete, in one step.
func finish(folder string, r record) error {
	content, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	marker := filepath.Join(folder, completeName)
	if err := os.WriteFile(marker+".new", content, 0o666); err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	if err := os.Rename(marker+".new", marker); err != nil {
		return fmt.Errorf("finish a build: %w", err)
	}
	return nil
}

func complete(folder string) (record, bool) {
	var r record
	content, err := os.ReadFile(filepath.Join(folder, completeName))
	return r, err == nil && json.Unmarshal(content, &r) == nil
}

// touch notes the use of a tree. That it fails only makes the tree older.
func touch(folder string) {
	now := time.Now()
	_ = os.Chtimes(filepath.Join(folder, completeName), now, now)
}

// discard removes a tree, its mark first, and its lock, as far as they are
// there. The lock must be held.
func discard(folder string) error {
	return errors.Join(os.RemoveAll(filepath.Join(folder, completeName)), os.RemoveAll(folder), os.RemoveAll(folder+lockSuffix))
}

// kept is one tree of the cache.
type kept struct {
	folder string
	bytes  int64
	used   time.Time
	done   bool
}

// tidy removes what killed processes have left, then the trees used longest
// ago, until the cache is within its limits. Those in use stay.
func (c Cache) tidy() error {
	trees, bytes := c.limits()
	list, err := c.list()
	if err != nil {
		return err
	}
	number, sum := 0, int64(0)
	for _, k := range list {
		if k.done {
			number, sum = number+1, sum+k.bytes
		}
	}
	for _, k := range list {
		if k.done && number <= trees && sum <= bytes {
			continue
		}
		lock, ok := tryLock(k.folder + lockSuffix)
		if !ok {
			continue
		}
		if _, done := complete(k.folder); done == k.done { // not finished just now
			err = errors.Join(err, endLeftovers(done), discard(k.folder))
			if k.done {
				number, sum = number-1, sum-k.bytes
			}
		}
		lock.Close()
	}
	return err
}

// list returns what is in the cache, the longest unused first.
func (c Cache) list() ([]kept, error) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("look into the cache: %w", err)
	}
	var list []kept
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), lockSuffix)
		if !ours(name) || slices.ContainsFunc(list, func(k kept) bool { return filepath.Base(k.folder) == name }) {
			continue
		}
		k := kept{folder: filepath.Join(c.Dir, name)}
		var r record
		if r, k.done = complete(k.folder); k.done {
			k.bytes = r.Bytes
			if info, err := os.Stat(filepath.Join(k.folder, completeName)); err == nil {
				k.used = info.ModTime()
			}
		}
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b kept) int { return a.used.Compare(b.used) })
	return list, nil
}

// diskUse is what a folder occupies, as far as it can be read.
func diskUse(folder string) int64 {
	var sum int64
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				sum += stat.Blocks * 512
			}
		}
		return nil
	})
	return sum
}
