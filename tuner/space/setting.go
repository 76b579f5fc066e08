package space

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Setting gives each parameter, by name, its canonical text. A name that is
// missing is left to the interpreter.
type Setting map[string]string

// Names returns the names that the setting gives a value, sorted.
func (s Setting) Names() []string {
	return slices.Sorted(maps.Keys(s))
}

// Key identifies the setting: NAME=VALUE for each name, sorted, separated by
// blanks. Two settings have the same key exactly when they have the same texts.
func (s Setting) Key() string {
	pairs := make([]string, 0, len(s))
	for _, name := range s.Names() {
		pairs = append(pairs, name+"="+quoteIfNeeded(s[name]))
	}
	return strings.Join(pairs, " ")
}

// quoteIfNeeded keeps keys unambiguous when a choice has blanks or quotes.
func quoteIfNeeded(text string) string {
	quoted := strconv.Quote(text)
	if strings.Contains(text, " ") || quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

// Clone returns an independent copy; that of a nil setting is nil.
func (s Setting) Clone() Setting {
	return maps.Clone(s)
}

// MarshalJSON writes an object with sorted names. A text that is a JSON number
// becomes a bare number with the same digits, every other text a string.
func (s Setting) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	object := make(map[string]any, len(s))
	for name, text := range s {
		object[name] = text
		if isJSONNumber(text) {
			object[name] = json.Number(text)
		}
	}
	return json.Marshal(object)
}

// isJSONNumber asks encoding/json itself; an empty json.Number would pass as 0.
func isJSONNumber(text string) bool {
	if text == "" {
		return false
	}
	_, err := json.Marshal(json.Number(text))
	return err == nil
}

// UnmarshalJSON reads an object of numbers and strings. Numbers keep the digits
// they were written with. Any other type of value is an error naming it.
func (s *Setting) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return fmt.Errorf("read a setting: %w", err)
	}
	if object == nil {
		*s = nil
		return nil
	}
	setting := make(Setting, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch value := object[name].(type) {
		case json.Number:
			setting[name] = value.String()
		case string:
			setting[name] = value
		default:
			return fmt.Errorf("read a setting: the value of %s is neither a number nor a string", name)
		}
	}
	*s = setting
	return nil
}
