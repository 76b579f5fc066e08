package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/xrash/smetrics"
)

// checkKeys refuses keys that the type does not know, and names the nearest
// one that it does. It runs before decoding, as the decoder knows neither the
// section nor its neighbours.
func checkKeys(node ast.Node, t reflect.Type, section string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Constraints]():
		return nil // texts of their own form
	case t == reflect.TypeFor[Parameters]():
		return checkEntryKeys(node, reflect.TypeFor[Range](), section)
	case t == reflect.TypeFor[map[string]Published]():
		return checkEntryKeys(node, t.Elem(), section)
	case t.Kind() == reflect.Slice:
		return checkItemKeys(node, t.Elem(), section)
	case t.Kind() == reflect.Struct && t != reflect.TypeFor[Literal]() && t != reflect.TypeFor[Amount]():
		return checkStructKeys(node, t, section)
	}
	return nil
}

// checkEntryKeys is for mappings whose own keys are free.
func checkEntryKeys(node ast.Node, entry reflect.Type, section string) error {
	entries, _ := mappingEntries(node)
	for _, e := range entries {
		if err := checkKeys(e.Value, entry, section+"."+keyText(e)); err != nil {
			return err
		}
	}
	return nil
}

func checkItemKeys(node ast.Node, item reflect.Type, section string) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return nil // the decoder says so
	}
	for i, value := range list.Values {
		if err := checkKeys(value, item, fmt.Sprintf("%s[%d]", section, i)); err != nil {
			return err
		}
	}
	return nil
}

func checkStructKeys(node ast.Node, t reflect.Type, section string) error {
	entries, err := mappingEntries(node)
	if err != nil {
		if _, short := node.(*ast.StringNode); short && t == reflect.TypeFor[Request]() {
			return nil
		}
		return err
	}
	fields := keyedFields(t)
	for _, entry := range entries {
		key := keyText(entry)
		field, ok := fields[key]
		if !ok {
			return unknownKey(entry, fields, section)
		}
		if err := checkKeys(entry.Value, field, strings.TrimPrefix(section+"."+key, ".")); err != nil {
			return err
		}
	}
	return nil
}

func keyedFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" && key != "-" {
			fields[key] = t.Field(i).Type
		}
	}
	return fields
}

func unknownKey(entry *ast.MappingValueNode, fields map[string]reflect.Type, section string) error {
	key := keyText(entry)
	where := ""
	if section != "" {
		where = " in " + section
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	if near := Nearest(key, names); near != "" {
		return fault(positionOf(entry.Key), "unknown key %q%s: did you mean %q?", key, where, near)
	}
	return fault(positionOf(entry.Key), "unknown key %q%s", key, where)
}

// Nearest returns the name closest to a mistyped one, or "" when none is near.
func Nearest(typed string, names []string) string {
	best, bestScore := "", 0.6 // below this the words have little in common
	for _, name := range names {
		score := smetrics.JaroWinkler(strings.ToLower(typed), strings.ToLower(name), 0.7, 4)
		if score > bestScore || score == bestScore && name < best {
			best, bestScore = name, score
		}
	}
	return best
}
