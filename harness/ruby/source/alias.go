package source

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// absolutePath is what may be one in a command or a makefile. What stands before
// it tells it from the middle of a relative path.
var absolutePath = regexp.MustCompile(`(^|[^A-Za-z0-9_.+~/@%-]|-[A-Za-z])(/[^\s:;,'"` + "`" + `()<>|&$={}]+)`)

// inCopy turns the paths in a command's words that lead into the tree to its
// copy, whether they go through links or not.
func (t Tree) inCopy(words []string, at string) []string {
	turned := make([]string, len(words))
	for i, w := range words {
		option, value := "", w
		if name, after, assigned := strings.Cut(w, "="); assigned && strings.HasPrefix(after, "/") {
			option, value = name+"=", after
		}
		turned[i] = option + t.turn(value, at)
	}
	return turned
}

// turn turns a path, which may have blanks and the like, or all paths in a text.
func (t Tree) turn(text, at string) string {
	if _, err := os.Lstat(text); err == nil {
		if aim, inside := t.inside(text); inside {
			return filepath.Join(at, aim)
		}
	}
	return absolutePath.ReplaceAllStringFunc(text, func(match string) string {
		slash := strings.IndexByte(match, '/')
		if aim, inside := t.inside(match[slash:]); inside {
			return match[:slash] + filepath.Join(at, aim)
		}
		return match
	})
}

// namesIn says whether a text names a path of the tree.
func (t Tree) namesIn(text []byte) bool {
	if bytes.Contains(text, []byte(t.Dir)) || bytes.Contains(text, []byte(t.given)) {
		return true
	}
	seen := map[string]bool{}
	for _, match := range absolutePath.FindAllSubmatch(text, -1) {
		path := string(match[2])
		if seen[path] {
			continue
		}
		seen[path] = true
		if _, inside := t.inside(path); inside {
			return true
		}
	}
	return false
}

// inside returns a path relative to the tree when it is one of the tree.
func (t Tree) inside(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	for _, name := range []string{t.Dir, t.given} {
		if name != "" && within(name, path) {
			aim, err := filepath.Rel(name, path)
			return aim, err == nil
		}
	}
	real, err := realParent(path)
	if err != nil || !within(t.Dir, real) {
		return "", false
	}
	aim, err := filepath.Rel(t.Dir, real)
	return aim, err == nil
}

// untouched sees that a command has left the tree as it was. A change by someone
// else cannot be told from one by the command, and must not be mixed in either.
func (s site) untouched(ctx context.Context, before string, stage Stage, words []string, start time.Time) error {
	now, err := digest(ctx, s.tree.Dir)
	if err != nil || now == before {
		return err
	}
	return fmt.Errorf("%s: %w while `%s` ran (%s)%s: unless somebody has edited it, the command writes to the tree by its own path; restore the tree, and give commands that work where they are started",
		s.tree.Dir, ErrTreeChanged, strings.Join(words, " "), stage, changedSince(ctx, s.tree.Dir, start))
}

// changedSince names what has changed in a tree, as far as it is still there.
func changedSince(ctx context.Context, root string, start time.Time) string {
	changed := ""
	_ = walk(ctx, root, func(n node) error {
		stat, ok := n.info.Sys().(*syscall.Stat_t)
		// The clock of file times ticks more coarsely than the one of start.
		if ok && n.link == "" && time.Unix(stat.Ctim.Unix()).After(start.Add(-20*time.Millisecond)) {
			changed = ", in " + n.path
			if !n.info.IsDir() {
				return fs.SkipAll
			}
		}
		return nil
	})
	return changed
}
