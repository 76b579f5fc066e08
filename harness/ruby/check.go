package ruby

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// CheckValue reports as *ValueError why the interpreter would not take a value,
// or would take it for another. Bounds that depend on other parameters are
// checked by Support.Check.
func CheckValue(p Parameter, text string) error {
	value, _, err := ParseValue(p, text)
	if err != nil {
		return err
	}
	b := p.Bounds
	switch {
	case value == 0 && b.Zero:
		return nil
	case value <= b.Above && b.Unchecked:
		return &ValueError{Name: p.Name, Text: text, Reason: "Ruby would take it and hardly grow its heap: must be greater than " + shortest(b.Above)}
	case value <= b.Above:
		return p.ignored(text, "must be greater than %s", b.Above)
	case b.AtMost != 0 && value > b.AtMost:
		return p.ignored(text, "must not be greater than %s", b.AtMost)
	case value < b.AbortsBelow:
		return &ValueError{Name: p.Name, Text: text, Reason: b.AbortReason, Aborts: true}
	case value < b.InertBelow:
		return &ValueError{Name: p.Name, Text: text, Reason: b.InertReason}
	}
	return nil
}

func (p Parameter) ignored(text, rule string, bound float64) error {
	decimals := -1
	if p.Kind == Real && bound == float64(int(bound)) {
		decimals = 1
	}
	number := strconv.FormatFloat(bound, 'f', decimals, 64)
	return &ValueError{Name: p.Name, Text: text, Reason: "ignored by Ruby: " + fmt.Sprintf(rule, number)}
}

// Check reports what is wrong with a setting for this interpreter: a name that
// it does not read, a value that it would not take, or two values that do not
// go together. Errors about values are *ValueError; the first name in
// alphabetical order is reported first.
func (s Support) Check(setting map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		p, ok := s.Parameter(name)
		if !ok {
			return &ValueError{Name: name, Text: setting[name], Reason: s.whyDead(name)}
		}
		if err := CheckValue(p, setting[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		if err := s.checkGroup(name, setting); err != nil {
			return err
		}
	}
	return nil
}

func (s Support) whyDead(name string) string {
	for _, d := range s.Dead {
		if d.Name == name {
			return d.Reason
		}
	}
	return "no effect on this Ruby: it does not read the name"
}

// checkGroup applies the bounds that are other parameters' values. Only values
// that are set are checked, against what is in force for the others.
func (s Support) checkGroup(name string, setting map[string]string) error {
	p, _ := s.Parameter(name)
	value, _, err := ParseValue(p, setting[name])
	if err != nil || (value == 0 && p.Bounds.Zero) {
		return err
	}
	if other, ok := s.inForce(p.Bounds.AboveName, setting); ok && value <= other {
		return p.ignored(setting[name], "must be greater than %s, the value of "+p.Bounds.AboveName, other)
	}
	if other, ok := s.inForce(p.Bounds.AtMostName, setting); ok && value > other {
		return p.ignored(setting[name], "must not be greater than %s, the value of "+p.Bounds.AtMostName, other)
	}
	return nil
}

func (s Support) inForce(name string, setting map[string]string) (float64, bool) {
	p, ok := s.Parameter(name)
	if !ok {
		return 0, false
	}
	text, set := setting[name]
	if !set {
		text = p.Default
	}
	value, _, err := ParseValue(p, text)
	return value, err == nil
}
