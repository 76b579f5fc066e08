package config

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/gctune/gctune/objective"
)

// Parameters are the entries of search.parameters, in the order of the file:
// the order is part of a study's identity, as it numbers the dimensions.
type Parameters []Range

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (p *Parameters) UnmarshalYAML(node ast.Node) error {
	entries, err := mappingEntries(node)
	if err != nil {
		return err
	}
	*p = Parameters{}
	for _, entry := range entries {
		one := Range{}
		if _, null := entry.Value.(*ast.NullNode); !null {
			if err := yaml.NodeToValue(entry.Value, &one, yaml.Strict()); err != nil {
				return err
			}
		}
		one.Name, one.At = keyText(entry), positionOf(entry.Key)
		*p = append(*p, one)
	}
	return nil
}

// Constraints are limits on metrics.
type Constraints []objective.Constraint

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (c *Constraints) UnmarshalYAML(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return fault(positionOf(node), "constraints are a list, such as [error_share <= 0, memory <= 512MB]")
	}
	for _, item := range list.Values {
		text, err := scalarText(item)
		if err != nil {
			return err
		}
		constraint, err := objective.ParseConstraint(text)
		if err != nil {
			return fault(positionOf(item), "%v", err)
		}
		*c = append(*c, constraint)
	}
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (r *Request) UnmarshalYAML(node ast.Node) error {
	type full Request // without this method
	if _, short := node.(*ast.StringNode); !short {
		return yaml.NodeToValue(node, (*full)(r), yaml.Strict())
	}
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	words := strings.Fields(text)
	if len(words) != 2 {
		return fault(positionOf(node), "%q is not a request such as GET /path, or {method, path, weight, headers, body, expect}", text)
	}
	*r = Request{Method: Text(words[0]), Path: Text(words[1])}
	return nil
}

// asError turns a fault of the YAML library into one of ours.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		return &Error{At: tokenPosition(syntax.GetToken()), Message: syntax.GetMessage()}
	}
	return &Error{Message: err.Error()}
}
