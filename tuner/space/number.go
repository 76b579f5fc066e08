package space

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// ErrMalformed marks a text that is no canonical number. The wrapping error
// says what is wrong with it and how to write it.
var ErrMalformed = errors.New("not a plain number")

var (
	plainInt   = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
	plainFloat = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

// ParseNumber reads a number of the given kind, strictly: only a text that
// every reader of a deployment's files understands alike is accepted.
func ParseNumber(kind Kind, text string) (float64, error) {
	plain := plainFloat
	if kind == Int {
		plain = plainInt
	}
	value, err := strconv.ParseFloat(text, 64)
	if !plain.MatchString(text) || err != nil {
		return 0, fmt.Errorf("%q is %w: %s", text, ErrMalformed, advise(kind, text))
	}
	return value, nil
}

// advise says what is wrong with a malformed number and how to write it.
func advise(kind Kind, text string) string {
	bare := strings.NewReplacer(`"`, "", "'", "", "_", "", ",", "").Replace(strings.TrimSpace(text))
	value, err := strconv.ParseFloat(bare, 64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		return complaint(text) + "; write digits only" + pointAllowed(kind) + ", without a unit"
	}
	if kind == Int && value != math.Trunc(value) {
		return fmt.Sprintf("a whole number is needed; write %s", formatNumber(Int, value))
	}
	return fmt.Sprintf("%s; write %s", complaint(text), formatNumber(kind, value))
}

// complaint names the first thing that makes the text unreadable for some.
func complaint(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "it is empty"
	case strings.ContainsAny(text, `"'`):
		return "it has quotes"
	case strings.ContainsAny(text, " \t\r\n"):
		return "it has blanks"
	case strings.ContainsAny(text, "_,"):
		return "it has separators between digits"
	case strings.ContainsAny(text, "eE"):
		return "it has an exponent"
	case strings.HasPrefix(strings.TrimLeft(text, "+-"), "0"):
		return "it has a leading zero, which some readers take for octal"
	default:
		return "it is not in plain decimal form"
	}
}

func pointAllowed(kind Kind) string {
	if kind == Float {
		return " and a decimal point"
	}
	return ""
}

// formatNumber gives the canonical text: an integer in base 10, or the shortest
// decimal form, without exponent, that reads back as the same float.
func formatNumber(kind Kind, value float64) string {
	if kind == Int {
		value = math.Round(value)
	}
	if value == 0 {
		return "0" // negative zero would print its sign
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}
