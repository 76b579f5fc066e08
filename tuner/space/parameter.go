package space

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Kind says what the values of a parameter are.
type Kind int

// The kinds of parameter.
const (
	Int    Kind = iota // whole numbers from Min to Max
	Float              // numbers from Min to Max
	Choice             // one of Values
)

// Scale says in which measure equal steps of the search are equal.
type Scale int

// The scales of a numeric parameter.
const (
	Linear Scale = iota
	Log          // needs Min > 0
)

// Parameter is one dimension of a search space. Min, Max, Step and Gap are in
// the parameter's own unit.
type Parameter struct {
	// Name is that of the environment variable or constant.
	Name  string `json:"name"`
	Kind  Kind   `json:"kind"`
	Scale Scale  `json:"scale"`
	// Min and Max bound an Int or Float; both can be reached.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	// Values are the texts of a Choice.
	Values []string `json:"values,omitempty"`
	// Default is the text that acts like leaving the parameter unset; "" when
	// there is none or it is not known. It may lie outside the range searched.
	Default string `json:"default,omitempty"`
	// Digits is how many significant digits a searched value keeps; 0 keeps an
	// Int exact and a Float to 6.
	Digits int `json:"digits,omitempty"`
	// Step makes searched values multiples of it (the bounds excepted); 0 for none.
	Step float64 `json:"step,omitempty"`
	// Above names an earlier numeric parameter; this one is then at least the
	// value of that one plus Gap.
	Above string  `json:"above,omitempty"`
	Gap   float64 `json:"gap,omitempty"`
}

// maxExactInt is the largest integer up to which a float64 holds every integer.
const maxExactInt = 1 << 53

const defaultFloatDigits = 6

// validate checks what can be said of one parameter alone.
func (p Parameter) validate() error {
	if err := validateName(p.Name); err != nil {
		return err
	}
	if p.Kind == Choice {
		return p.validateChoice()
	}
	if p.Kind != Int && p.Kind != Float {
		return fmt.Errorf("unknown kind %d", p.Kind)
	}
	return p.validateRange()
}

func validateName(name string) error {
	if name == "" {
		return fmt.Errorf("a name is missing")
	}
	unfit := func(r rune) bool { return r == '=' || r == 0 || unicode.IsSpace(r) }
	if strings.ContainsFunc(name, unfit) {
		return fmt.Errorf("%q is no name of a variable: '=' and blanks are not allowed", name)
	}
	return nil
}

func (p Parameter) validateChoice() error {
	if len(p.Values) == 0 {
		return fmt.Errorf("a choice needs at least one value")
	}
	if p.Above != "" {
		return fmt.Errorf("a choice cannot be above %s: it has no order", p.Above)
	}
	for i, value := range p.Values {
		if value == "" {
			return fmt.Errorf("a choice has an empty value; leave it out to mean unset")
		}
		if slices.Contains(p.Values[:i], value) {
			return fmt.Errorf("the value %q is given twice", value)
		}
	}
	if p.Default != "" && !slices.Contains(p.Values, p.Default) {
		return fmt.Errorf("the default %q is not among its values", p.Default)
	}
	return nil
}

func (p Parameter) validateRange() error {
	for _, number := range []float64{p.Min, p.Max, p.Step, p.Gap} {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return fmt.Errorf("min, max, step and gap must be finite numbers")
		}
	}
	switch {
	case len(p.Values) > 0:
		return fmt.Errorf("values belong to a choice; give min and max, or make it one")
	case p.Min > p.Max:
		return fmt.Errorf("min %v is above max %v", p.Min, p.Max)
	case p.Scale != Linear && p.Scale != Log:
		return fmt.Errorf("unknown scale %d", p.Scale)
	case p.Scale == Log && p.Min <= 0:
		return fmt.Errorf("a log scale needs min > 0, not %v", p.Min)
	case p.Step < 0 || p.Digits < 0:
		return fmt.Errorf("step and digits must not be negative")
	case p.Kind == Int && !exactInts(p.Min, p.Max, p.Step):
		return fmt.Errorf("min, max and step must be whole numbers up to 2^53")
	}
	return p.validateDefault()
}

func exactInts(numbers ...float64) bool {
	for _, n := range numbers {
		if n != math.Trunc(n) || math.Abs(n) > maxExactInt {
			return false
		}
	}
	return true
}

func (p Parameter) validateDefault() error {
	if p.Default == "" {
		return nil
	}
	if err := p.check(p.Default); err != nil && !errors.Is(err, ErrOutOfBounds) {
		return fmt.Errorf("the default: %w", err)
	}
	return nil
}

// check says why a text is no value of the parameter, apart from groups.
func (p Parameter) check(text string) error {
	if p.Kind == Choice {
		if !slices.Contains(p.Values, text) {
			return fmt.Errorf("%q is not among its values (%s)", text, strings.Join(p.Values, ", "))
		}
		return nil
	}
	value, err := ParseNumber(p.Kind, text)
	if err != nil {
		return err
	}
	if value < p.Min {
		return fmt.Errorf("%s is %w: the least is %s", text, ErrOutOfBounds, formatNumber(Float, p.Min))
	}
	if value > p.Max {
		return fmt.Errorf("%s is %w: the most is %s", text, ErrOutOfBounds, formatNumber(Float, p.Max))
	}
	return nil
}

// canonical rewrites a number in its canonical text; other texts are returned
// as they are.
func (p Parameter) canonical(text string) string {
	if p.Kind == Choice {
		return text
	}
	value, err := ParseNumber(p.Kind, text)
	if err != nil {
		return text
	}
	return formatNumber(p.Kind, value)
}
