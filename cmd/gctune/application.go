package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files that make an application what it is, by ending or name. Data, logs
// and the configuration of gctune itself do not.
var (
	codeEndings = []string{".rb", ".ru", ".rake", ".erb", ".haml", ".slim", ".builder", ".jbuilder", ".gemspec"}
	codeNames   = []string{"Gemfile", "Gemfile.lock", "Rakefile", ".ruby-version"}
	otherDirs   = []string{"tmp", "log", "node_modules", "vendor", "coverage", "gctune-output"}
)

// mostFiles bounds the work for a directory that is no application's alone.
const mostFiles = 20000

// applicationDigest identifies the code in a directory, so that figures of two
// versions are not mixed. What cannot be read counts as it is named.
func applicationDigest(dir string) string {
	sum, files := sha256.New(), 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && path != dir && (slices.Contains(otherDirs, entry.Name()) || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !isCode(entry.Name()):
			return nil
		}
		if files++; files > mostFiles {
			return fs.SkipAll
		}
		addFile(sum, dir, path)
		return nil
	})
	return fmt.Sprintf("%d files, sha256:%s", files, hex.EncodeToString(sum.Sum(nil)[:8]))
}

func isCode(name string) bool {
	return slices.Contains(codeNames, name) || slices.Contains(codeEndings, filepath.Ext(name))
}

func addFile(sum io.Writer, dir, path string) {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		name = path
	}
	fmt.Fprintf(sum, "%s\x00", name)
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = io.Copy(sum, file) // a file that cannot be read in full counts as far as it can
}
