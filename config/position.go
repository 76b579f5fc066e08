package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Position is a place in the file; lines and columns count from 1.
type Position struct {
	Line, Column int
}

// Error is a fault in the configuration.
type Error struct {
	// File is the path as the user gave it.
	File string
	// At is where; the zero Position speaks of the file as a whole.
	At Position
	// Message says what is wrong and what to write instead.
	Message string
}

func (e *Error) Error() string {
	if e.At.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.At.Line, e.At.Column, e.Message)
}

// fault is an Error that does not know its file yet; Load adds it.
func fault(at Position, format string, args ...any) error {
	return &Error{At: at, Message: fmt.Sprintf(format, args...)}
}

// At finds where a key such as "server.ready.path" stands; where it is
// not written, its section; else the zero Position.
func (c *Config) At(path string) Position {
	for path != "" {
		if query, err := yaml.PathString("$." + path); err == nil {
			if node, err := query.FilterNode(c.root); err == nil && node != nil {
				return positionOf(node)
			}
		}
		cut := strings.LastIndexAny(path, ".[")
		path = path[:max(cut, 0)]
	}
	return Position{}
}

// written tells whether a key stands in the file.
func (c *Config) written(path string) bool {
	query, err := yaml.PathString("$." + path)
	if err != nil {
		return false
	}
	node, err := query.FilterNode(c.root)
	return err == nil && node != nil
}

func positionOf(node ast.Node) Position {
	return tokenPosition(node.GetToken())
}

func tokenPosition(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return Position{}
	}
	return Position{Line: t.Position.Line, Column: t.Position.Column}
}
