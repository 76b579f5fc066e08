package config

import (
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/goccy/go-yaml/ast"
	"golang.org/x/sys/unix"
)

// The scalars below read the text as it stands in the file, so that neither
// YAML's octal, nor its underscores, nor a fraction for a whole number slips
// through with another meaning than the user's.

// Text is any scalar, literally: 1.10 stays "1.10".
type Text string

// Count is a whole number from 0 up, in plain decimal digits.
type Count int

// Number is a positive decimal number.
type Number float64

// Duration is a positive duration such as 30s or 1m30s.
type Duration time.Duration

// Size is a number of bytes, written such as 512MB or 512MiB.
type Size int64

// Rate is a number of requests per second, written 50/s.
type Rate float64

// Signal is a signal's name, with or without SIG.
type Signal syscall.Signal

// Command is a program and its arguments; no shell reads it.
type Command []string

// TextMap maps names to literal texts.
type TextMap map[string]string

// Amount is a number of requests, a duration, or "auto" (neither).
type Amount struct {
	Requests int
	Duration time.Duration
}

// Literal is a value of a parameter, literally, and where it stands. The text
// is empty when nothing was written.
type Literal struct {
	Text string
	At   Position
}

var (
	wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	decimal     = regexp.MustCompile(`^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
)

// scalarText returns the text of a scalar as written, without quotes.
func scalarText(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	case *ast.NullNode:
		return "", fault(positionOf(node), "a value is missing here")
	}
	return "", fault(positionOf(node), "a single value is expected here, not %s", kindOf(node))
}

// kindOf names the kind of a node, with its article.
func kindOf(node ast.Node) string {
	kind := strings.ToLower(node.Type().String())
	if strings.ContainsRune("aeiou", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

// systemText is a scalar that is handed to the operating system, where a NUL ends a
// text.
func systemText(node ast.Node) (string, error) {
	text, err := scalarText(node)
	if err == nil && strings.ContainsRune(text, 0) {
		err = fault(positionOf(node), "%q has a NUL character, which no program can be given", text)
	}
	return text, err
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (t *Text) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	*t = Text(text)
	return err
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (l *Literal) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	*l = Literal{Text: text, At: positionOf(node)}
	return err
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (c *Count) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	value, err := strconv.Atoi(text)
	if err != nil || !wholeNumber.MatchString(text) {
		return fault(positionOf(node), "%q is not a whole number in plain digits, such as 600000", text)
	}
	*c = Count(value)
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (n *Number) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !decimal.MatchString(text) || !(value > 0) {
		return fault(positionOf(node), "%q is not a positive number", text)
	}
	*n = Number(value)
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	value, err := time.ParseDuration(text)
	if err != nil || value <= 0 {
		return fault(positionOf(node), "%q is not a duration such as 30s or 1m30s", text)
	}
	*d = Duration(value)
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (s *Size) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	bytes, err := humanize.ParseBytes(text)
	if err != nil || bytes == 0 {
		return fault(positionOf(node), "%q is not a size such as 512MB or 512MiB", text)
	}
	*s = Size(bytes)
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (r *Rate) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	number, found := strings.CutSuffix(text, "/s")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !found || !decimal.MatchString(number) || !(value > 0) {
		return fault(positionOf(node), "%q is not a rate such as 50/s", text)
	}
	*r = Rate(value)
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (s *Signal) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	number := unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(text), "SIG"))
	if number == 0 {
		return fault(positionOf(node), "%q is not a signal's name such as TERM, INT or QUIT", text)
	}
	*s = Signal(number)
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (a *Amount) UnmarshalYAML(node ast.Node) error {
	text, err := scalarText(node)
	if err != nil {
		return err
	}
	if text == "auto" {
		*a = Amount{}
		return nil
	}
	if requests, err := strconv.Atoi(text); err == nil && wholeNumber.MatchString(text) && requests > 0 {
		*a = Amount{Requests: requests}
		return nil
	}
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 {
		return fault(positionOf(node), "%q is neither auto, nor a number of requests, nor a duration such as 10s", text)
	}
	*a = Amount{Duration: duration}
	return nil
}

// Auto reports whether the amount is left to gctune.
func (a Amount) Auto() bool { return a == Amount{} }

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (c *Command) UnmarshalYAML(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return fault(positionOf(node), "a command is a list of words, such as [bundle, exec, puma]: no shell reads it")
	}
	for _, item := range list.Values {
		word, err := systemText(item)
		if err != nil {
			return err
		}
		*c = append(*c, word)
	}
	if len(*c) == 0 || (*c)[0] == "" {
		return fault(positionOf(node), "the command is empty")
	}
	return nil
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (m *TextMap) UnmarshalYAML(node ast.Node) error {
	entries, err := mappingEntries(node)
	if err != nil {
		return err
	}
	*m = make(TextMap, len(entries))
	for _, entry := range entries {
		text, err := systemText(entry.Value)
		if err != nil {
			return err
		}
		(*m)[keyText(entry)] = text
	}
	return nil
}

func keyText(entry *ast.MappingValueNode) string { return entry.Key.GetToken().Value }

func mappingEntries(node ast.Node) ([]*ast.MappingValueNode, error) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	case *ast.NullNode:
		return nil, nil
	}
	return nil, fault(positionOf(node), "a mapping (name: value) is expected here, not %s", kindOf(node))
}
