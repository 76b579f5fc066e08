package space

import (
	"errors"
	"fmt"
)

// ErrUnknownName marks a name that is no parameter of the space.
var ErrUnknownName = errors.New("not a parameter of this search space")

// ErrGroup marks a setting whose values are each allowed but not together.
var ErrGroup = errors.New("violates its group")

// Check says why a setting is not allowed in the space: an unknown name, a
// malformed number (with how to write it), a value out of bounds, or a group
// that is violated. Step and Digits guide the search only and are not checked;
// nor is a missing name, which is left to the interpreter.
func (s Space) Check(setting Setting) error {
	for _, name := range setting.Names() {
		i := s.index(name)
		if i < 0 {
			return fmt.Errorf("%s is %w", name, ErrUnknownName)
		}
		if err := s.parameters[i].check(setting[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return s.checkGroups(setting)
}

// checkGroups compares those members of groups whose values are known, a missing
// one by its default.
func (s Space) checkGroups(setting Setting) error {
	for i, p := range s.parameters {
		if s.above[i] < 0 {
			continue
		}
		value, known := s.known(i, setting)
		other, otherKnown := s.known(s.above[i], setting)
		if !known || !otherKnown {
			continue
		}
		if least := withoutNoise(other + p.Gap); value < least {
			return fmt.Errorf("%s=%s %w: it must be at least %s (%s=%s plus %s)", p.Name, formatNumber(p.Kind, value),
				ErrGroup, formatNumber(Float, least), p.Above, formatNumber(Float, other), formatNumber(Float, p.Gap))
		}
	}
	return nil
}

// known is the number that the setting or else the default gives parameter i.
func (s Space) known(i int, setting Setting) (float64, bool) {
	p := s.parameters[i]
	text, given := setting[p.Name]
	if !given {
		text = p.Default
	}
	value, err := ParseNumber(p.Kind, text)
	return value, err == nil
}

// Key identifies what a setting does in this space: numbers count in canonical
// form, and a value equal to the parameter's default counts as not given, so
// that the baseline and its explicit defaults have one key.
func (s Space) Key(setting Setting) string {
	effective := setting.Clone()
	for _, p := range s.parameters {
		text, given := setting[p.Name]
		if !given {
			continue
		}
		effective[p.Name] = p.canonical(text)
		if effective[p.Name] == p.Default {
			delete(effective, p.Name)
		}
	}
	return effective.Key()
}

// Baseline is the setting of all declared defaults; false when one is missing.
func (s Space) Baseline() (Setting, bool) {
	defaults := s.defaults()
	return defaults, len(defaults) == s.Dim()
}

func (s Space) defaults() Setting {
	defaults := Setting{}
	for _, p := range s.parameters {
		if p.Default != "" {
			defaults[p.Name] = p.Default
		}
	}
	return defaults
}
