package source

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// places are configure's options for folders that an installation writes to,
// without the dashes. A folder of one that stays behind would be written to
// although the prefix is another.
var places = []string{"exec-prefix", "bindir", "sbindir", "libexecdir", "sysconfdir", "sharedstatedir", "localstatedir", "runstatedir",
	"libdir", "includedir", "oldincludedir", "datarootdir", "datadir", "infodir", "localedir", "mandir", "docdir", "htmldir", "dvidir",
	"pdfdir", "psdir", "with-rubylibprefix", "with-rubyarchprefix", "with-sitedir", "with-sitearchdir", "with-vendordir",
	"with-vendorarchdir", "with-rubyhdrdir", "with-sitehdrdir", "with-vendorhdrdir", "with-rubyarchhdrdir", "with-sitearchhdrdir",
	"with-vendorarchhdrdir", "with-ridir", "with-archlibdir"}

// forPrefix returns the configure and install commands for another prefix. An
// installation goes through staging, which make passes on as DESTDIR, so that
// nothing is written where the interpreter that is in use may be.
func (b *Builder) forPrefix(prefix, staging string) (configure, install []string, err error) {
	if configure, err = reconfigured(b.tree.Configure, prefix); err != nil {
		return nil, nil, err
	}
	if !named(b.tree.Install, "make", "gmake") {
		return nil, nil, fixed("%s does not call make, which alone can be told to install elsewhere; write it as [make, install]", strings.Join(b.tree.Install, " "))
	}
	for _, w := range slices.Concat(b.tree.Build, b.tree.Install) {
		name, _, assigned := strings.Cut(w, "=")
		if folder := strings.TrimLeft(name, "-"); assigned && (folder == "prefix" || folder == "DESTDIR" || slices.Contains(places, folder)) {
			return nil, nil, fixed("%s says where to install; remove it", w)
		}
	}
	return configure, append(slices.Clone(b.tree.Install), "DESTDIR="+staging), nil
}

// fixed is ErrPrefixFixed with its reason.
func fixed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrPrefixFixed, fmt.Sprintf(format, args...))
}

// reconfigured is a configure command with another prefix. Of several, configure
// takes the last.
func reconfigured(configure []string, prefix string) ([]string, error) {
	words, was := slices.Clone(configure), ""
	for i, w := range words {
		option := optionOf(w)
		switch {
		case option == "prefix" && strings.Contains(w, "="):
			_, was, _ = strings.Cut(w, "=")
			words[i] = "--prefix=" + prefix
		case option == "prefix" && i+1 < len(words):
			was, words[i+1] = words[i+1], prefix
		}
	}
	switch {
	case was == "" && len(words) == 0:
		return nil, fixed("the tree is installed where it was configured for; give source.configure, such as [./configure, --prefix=FOLDER]")
	case was == "" && named(words, "configure"):
		words = append(words, "--prefix="+prefix)
	case was == "":
		return nil, fixed("%s gives no prefix; write --prefix=FOLDER as a word of its own into source.configure", strings.Join(configure, " "))
	}
	return words, alongWith(words, was, prefix)
}

// alongWith moves folders below the old prefix with it, and refuses others.
func alongWith(words []string, was, prefix string) error {
	for i, w := range words {
		name, folder, assigned := strings.Cut(w, "=")
		option := optionOf(name)
		switch {
		case !slices.Contains(places, option) || strings.HasPrefix(folder, "$"):
		case assigned && was != "" && filepath.IsAbs(folder) && within(was, folder):
			words[i] = name + "=" + prefix + strings.TrimPrefix(filepath.Clean(folder), filepath.Clean(was))
		default:
			return fixed("%s of source.configure stays where it is; leave it out, or write it as %s='${prefix}/…'", w, name)
		}
	}
	return nil
}

// optionOf is the name of an option, which configure also takes with one dash
// and cut short.
func optionOf(word string) string {
	name, _, _ := strings.Cut(word, "=")
	option := strings.TrimLeft(name, "-")
	if option == name {
		return ""
	}
	if len(option) >= 3 && strings.HasPrefix("prefix", option) {
		return "prefix"
	}
	return option
}

// named says whether a command calls one of the programs.
func named(words []string, programs ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return !strings.ContainsAny(w, " =") && slices.Contains(programs, filepath.Base(w))
	})
}

var stagingVariable = regexp.MustCompile(`\$[({]?DESTDIR\b`)

// staged refuses a tree whose makefiles do not know DESTDIR: they would install
// past the staging folder.
func staged(tree string) error {
	entries, err := os.ReadDir(tree)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || !makefile(info) {
			continue
		}
		content, err := readFile(filepath.Join(tree, entry.Name()))
		if err != nil {
			return fmt.Errorf("install: %w", err)
		}
		if stagingVariable.Match(content) {
			return nil
		}
	}
	return fixed("no makefile of the tree knows DESTDIR, by which make is told to install elsewhere; leave source.install out to get the interpreter alone")
}
