package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// Read reads and checks a configuration file. Every fault of the content is an
// *Error; so is a file that does not exist.
func Read(path string) (*Config, error) {
	source, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{File: path, Message: "no such file: write one with `gctune init`, or name another with --config"}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(path, source)
}

// mostBytes is far more than a configuration needs; the reader of YAML takes
// very long for hostile ones.
const mostBytes = 64 << 10

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && info.Mode()&fs.ModeNamedPipe == 0 {
		return nil, &Error{File: path, Message: "it is no file that can be read as a configuration"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err == nil && len(source) > mostBytes {
		return nil, &Error{File: path, Message: "it is larger than 64 KiB, which no configuration is"}
	}
	return source, err
}

// Parse checks the content of a configuration file. Relative directories in it
// are taken from the file's own directory.
func Parse(path string, source []byte) (*Config, error) {
	c, err := parse(source)
	if err == nil {
		c.File, c.Text = path, string(source)
		err = c.complete()
	}
	if err != nil {
		located := asError(err)
		located.File = path
		return nil, located
	}
	return c, nil
}

func parse(source []byte) (c *Config, err error) {
	// The YAML library dereferences nil on some documents (a tag before
	// something that is no value, for one); the user gets a message for these too.
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fault(Position{}, "this is not YAML that can be read (%v); tags and unusual forms are best left out", p)
		}
	}()
	file, err := parser.ParseBytes(source, 0)
	if err != nil {
		return nil, err
	}
	if len(file.Docs) > 1 {
		return nil, fault(positionOf(file.Docs[1]), "one YAML document is expected, not several separated by ---")
	}
	if len(bytes.TrimSpace(source)) == 0 || len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, fault(Position{}, "the file is empty: write one with `gctune init`")
	}
	body := file.Docs[0].Body
	if err := checkKeys(body, reflect.TypeFor[Config](), ""); err != nil {
		return nil, err
	}
	c = &Config{root: body}
	if err := yaml.NodeToValue(body, c, yaml.Strict()); err != nil {
		return nil, err
	}
	return c, nil
}

// complete fills in defaults and checks what concerns several keys.
func (c *Config) complete() error {
	dir, err := filepath.Abs(filepath.Dir(c.File))
	if err != nil {
		return err
	}
	c.Dir = dir
	c.RubyGiven = c.Ruby != ""
	setDefault(&c.Ruby, "ruby")
	setDefault(&c.Study, Text(filepath.Base(dir)))
	if err := c.checkWorkload(); err != nil {
		return err
	}
	if err := c.completeSources(); err != nil {
		return err
	}
	c.completeObjectives()
	if err := c.completeContention(); err != nil {
		return err
	}
	if !ValidStudyName(string(c.Study)) {
		return fault(c.At("study"), "%q is not a study's name: it must consist of letters, digits, dots, hyphens and underscores", c.Study)
	}
	if c.Search.Parameters != nil {
		return c.Search.Parameters.check(c.At("search.parameters"), c.External != nil)
	}
	return nil
}

// Other programs of a quarter of the machine and more are seen in every figure but
// those of CPU time, and a minute is what most of them take.
const (
	usualLimit   = 0.25
	usualRepeats = 2
	usualWait    = time.Minute
)

func (c *Config) completeContention() error {
	if c.External != nil && c.written("contention") {
		return fault(c.At("contention"), "contention goes with server and batch: an external program watches the machine itself")
	}
	n := &c.Contention
	setDefault(&n.Limit, usualLimit)
	setDefault(&n.Wait, Duration(usualWait))
	if n.Repeats == nil {
		repeats := Count(usualRepeats)
		n.Repeats = &repeats
	}
	return nil
}

// ValidStudyName tells whether a study may have this name: it also names files.
func ValidStudyName(name string) bool { return studyName.MatchString(name) }

func setDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}
