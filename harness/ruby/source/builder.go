package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Tree is a source tree of the user's and how it is built. Commands are lists
// of words, run in a copy of the tree without a shell; a path in them that leads
// into the tree is turned to the copy.
type Tree struct {
	Dir       string
	Configure []string // may be empty
	Build     []string // empty stands for make
	Install   []string // for Builder.Install; may be empty
	Ruby      string   // the interpreter that Build makes, relative to the tree; empty stands for ruby
	Env       []string // nil stands for this process's
	WordBits  int      // 32 or 64; 0 stands for this machine's, or 32 where -m32 is asked for

	given string // Dir as an absolute path with its links
}

// Builder makes interpreters of one tree. Its methods may be called at once.
type Builder struct {
	tree     Tree
	cache    Cache
	found    *Found
	scanned  error
	digest   string
	baseName string
	progress func(Event)

	mu   sync.Mutex
	base *lease
}

// Open reads a tree and opens the cache. Progress is called, at times from
// several goroutines, as work goes on; it may be nil. A tree in which nothing
// can be set is still opened, for it can be built as it is.
func Open(ctx context.Context, tree Tree, cache Cache, progress func(Event)) (*Builder, error) {
	tree, cache, err := resolve(tree, cache)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Event) {}
	}
	b := &Builder{tree: tree, cache: cache, progress: progress}
	b.found, b.scanned = Scan(tree.Dir, tree.WordBits)
	if b.digest, err = digest(ctx, tree.Dir); err != nil {
		return nil, err
	}
	b.baseName, err = keyOf("base", b.digest, tree.Configure, tree.Build, tree.Ruby, compilerKey(tree.Env))
	if err != nil {
		return nil, err
	}
	return b, cache.tidy()
}

func resolve(tree Tree, cache Cache) (Tree, Cache, error) {
	var err error
	if tree.given, err = filepath.Abs(tree.Dir); err != nil {
		return tree, cache, fmt.Errorf("open the source tree: %w", err)
	}
	if tree.Dir, err = realPath(tree.Dir); err != nil {
		return tree, cache, fmt.Errorf("open the source tree: %w", err)
	}
	if cache.Dir, err = openFolder(cache.Dir, tree.Dir); err != nil {
		return tree, cache, fmt.Errorf("open the cache: %w", err)
	}
	if tree.Env == nil {
		tree.Env = os.Environ()
	}
	tree.Env = environment(tree.Env, cache.Dir)
	if len(tree.Build) == 0 {
		tree.Build = []string{"make"}
	}
	if tree.Ruby == "" {
		tree.Ruby = "ruby"
	}
	if !filepath.IsLocal(tree.Ruby) {
		return tree, cache, fmt.Errorf("the interpreter %s: give its path within the tree", tree.Ruby)
	}
	if tree.WordBits == 0 {
		tree.WordBits = tree.wordBits()
	}
	return tree, cache, nil
}

// openFolder makes the cache's folder and resolves its path, unless making it
// would change the tree.
func openFolder(cache, tree string) (string, error) {
	absolute, err := filepath.Abs(cache)
	if err != nil {
		return "", err
	}
	real, err := realParent(absolute)
	if err != nil {
		return "", err
	}
	if within(tree, real) || within(real, tree) {
		return "", fmt.Errorf("the cache %s and the tree %s: %w; keep the cache elsewhere", real, tree, ErrInsideTree)
	}
	if err := os.MkdirAll(real, 0o777); err != nil {
		return "", err
	}
	return realPath(real)
}

// Scan finds what can be set in the tree by the build that its commands make.
// The errors are those of the function Scan.
func (t Tree) Scan() (*Found, error) {
	if t.Env == nil {
		t.Env = os.Environ()
	}
	if t.WordBits == 0 {
		t.WordBits = t.wordBits()
	}
	return Scan(t.Dir, t.WordBits)
}

func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

func (t Tree) wordBits() int {
	for _, word := range t.flags() {
		if word == "-m32" {
			return 32
		}
	}
	return strconv.IntSize
}

// flags are all words that may reach the compiler.
func (t Tree) flags() []string {
	text := strings.Join(t.Configure, " ") + " " + strings.Join(t.Build, " ")
	for _, name := range []string{"CC", "CFLAGS", "CPPFLAGS", "XCFLAGS", "ARCH_FLAG", "cflags", "cppflags", "optflags"} {
		text += " " + lookup(t.Env, name)
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"=", r) })
}

// Found is what can be set in the tree, or the error that Scan gave.
func (b *Builder) Found() (*Found, error) { return b.found, b.scanned }

// Digest identifies the content of the tree, as that of a Builder does.
func (t Tree) Digest(ctx context.Context) (string, error) {
	dir, err := realPath(t.Dir)
	if err != nil {
		return "", fmt.Errorf("open the source tree: %w", err)
	}
	return digest(ctx, dir)
}

// Digest identifies the content of the tree.
func (b *Builder) Digest() string { return b.digest }

// Close ends the use of the tree's base build. Built interpreters stay leased
// until they are closed themselves.
func (b *Builder) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return nil
	}
	err := b.base.Close()
	b.base = nil
	return err
}

// Build returns an interpreter with the values compiled in, from the cache
// where it is there; no values give the tree as it is. Only the first build of
// a tree is a whole one: others continue from a copy of it with the file
// edited. Errors are those of Scan and Found.Rewrite, *BuildError, and
// ErrTreeChanged when the tree has to be copied and is another by now.
func (b *Builder) Build(ctx context.Context, values map[string]string) (*Built, error) {
	content, err := b.edited(values)
	if err != nil {
		return nil, err
	}
	l, err := b.lease(ctx, content)
	if err != nil {
		return nil, err
	}
	if l.fresh {
		if err := b.cache.tidy(); err != nil {
			l.Close()
			return nil, err
		}
	}
	return newBuilt(l, b.tree.Ruby, values), nil
}

// edited returns the file with the values, nil when it stays as it is.
func (b *Builder) edited(values map[string]string) ([]byte, error) {
	if len(values) == 0 {
		return nil, nil
	}
	if b.scanned != nil {
		return nil, b.scanned
	}
	content, err := b.found.Rewrite(values)
	if err != nil {
		return nil, err
	}
	if err := b.overridden(values); err != nil {
		return nil, err
	}
	if bytes.Equal(content, b.found.content) {
		return nil, nil
	}
	return content, nil
}

// overridden refuses values that a compiler flag would win over.
func (b *Builder) overridden(values map[string]string) error {
	for _, name := range sorted(values) {
		p, _ := b.found.Place(name)
		for _, flag := range b.tree.flags() {
			if p.Guarded && flag == "-D"+name {
				return &ValueError{name, values[name], fmt.Sprintf("%s is given to the compiler, which overrides %s; remove it from the commands and the environment", flag, b.found.File)}
			}
		}
	}
	return nil
}

func (b *Builder) lease(ctx context.Context, content []byte) (*lease, error) {
	base, fresh, err := b.openBase(ctx)
	if err != nil {
		return nil, err
	}
	if content == nil {
		l, err := b.acquireBase(ctx)
		if err == nil {
			l.fresh = fresh
		}
		return l, err
	}
	name, err := keyOf("edited", b.baseName, b.found.File, sha256.Sum256(content))
	if err != nil {
		return nil, err
	}
	return b.cache.acquire(ctx, name, b.waiting, func(folder string) (record, error) {
		s := b.site(folder)
		if !base.record.Movable {
			return record{}, s.whole(ctx, content)
		}
		return record{}, s.further(ctx, base.tree(), content)
	})
}

// openBase leases the unedited build for as long as the Builder is open, and
// says whether it was built for that.
func (b *Builder) openBase(ctx context.Context) (base *lease, fresh bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base != nil {
		if _, ok := intact(b.base.folder); ok {
			touch(b.base.folder)
			return b.base, false, nil
		}
		b.base.Close()
		b.base = nil
	}
	l, err := b.acquireBase(ctx)
	if err != nil {
		return nil, false, err
	}
	if err := b.sameFile(l); err != nil {
		l.Close()
		return nil, false, err
	}
	b.base = l
	return l, l.fresh, b.cache.tidy()
}

// sameFile sees that what was scanned is what was built.
func (b *Builder) sameFile(base *lease) error {
	if b.scanned != nil {
		return nil
	}
	content, err := readFile(filepath.Join(base.tree(), filepath.FromSlash(b.found.File)))
	if err == nil && !bytes.Equal(content, b.found.content) {
		err = fmt.Errorf("%s: %w since it was read; start again", filepath.Join(b.tree.Dir, b.found.File), ErrTreeChanged)
	}
	return err
}

func (b *Builder) acquireBase(ctx context.Context) (*lease, error) {
	return b.cache.acquire(ctx, b.baseName, b.waiting, func(folder string) (record, error) {
		s := b.site(folder)
		if err := s.whole(ctx, nil); err != nil {
			return record{}, err
		}
		movable, err := s.movable(ctx)
		return record{Movable: movable}, err
	})
}

func (b *Builder) waiting(holder string) {
	if holder == "" {
		holder = "another process"
	}
	b.progress(Event{Waiting, holder + " builds or uses the same; this goes on when it has finished, or when you end it"})
}
