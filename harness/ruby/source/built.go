package source

import (
	"os"
	"path/filepath"
	"regexp"
)

// Built is an interpreter in a tree of the cache. It stays there at least until
// Close.
type Built struct {
	Dir    string            // of its tree; not to be written to
	Ruby   string            // path of the interpreter
	Values map[string]string // compiled in
	Cached bool              // there was nothing to do
	// Env must be set for it: a shared library that was built with it would
	// otherwise be taken from where the user has installed one.
	Env []string
	// LoadPath are the folders of Ruby's own library in the tree, for RUBYLIB
	// where no installation is at the prefix that it was configured for.
	LoadPath []string

	lease *lease
}

func newBuilt(l *lease, ruby string, values map[string]string) *Built {
	b := &Built{Dir: l.tree(), Ruby: filepath.Join(l.tree(), ruby), Values: values, Cached: !l.fresh, lease: l}
	if len(libraries(b.Dir)) > 0 {
		b.Env = []string{"LD_LIBRARY_PATH=" + b.Dir}
	}
	b.LoadPath = loadPath(b.Dir)
	return b
}

// Close gives the tree free to be removed from the cache.
func (b *Built) Close() error { return b.lease.Close() }

// loadPath lists the folders that Ruby's makefiles use before installation:
// lib, what extensions have put into .ext, and the tree for rbconfig.rb.
func loadPath(tree string) []string {
	var list []string
	add := func(folder, holds string) {
		if _, err := os.Stat(filepath.Join(folder, holds)); err == nil {
			list = append(list, folder)
		}
	}
	add(filepath.Join(tree, "lib"), ".")
	add(filepath.Join(tree, ".ext", "common"), ".")
	list = append(list, entriesLike(filepath.Join(tree, ".ext"), regexp.MustCompile(`^[^.].*-`))...) // named by machine and system
	add(tree, "rbconfig.rb")
	return list
}
