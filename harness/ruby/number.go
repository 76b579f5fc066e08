package ruby

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// reader turns a variable's text into a number in the way of one line.
type reader interface {
	// read returns the number that the interpreter gets out of the text. whole
	// is false when it refuses the text or stops before its end.
	read(kind Kind, text string) (value float64, whole bool)
}

// readerOf chooses by line: up to 2.1 numbers went through C's atoi and atof,
// which take what they can and say nothing about the rest.
func readerOf(in Interpreter) reader {
	if in.AtLeast("2.2") {
		return strict{}
	}
	return lenient{}
}

// strict is the reader since 2.2: C's strtol in base 0 with one suffix k, m or
// g for sizes, strtod for reals, nothing left over.
type strict struct{}

var sized = regexp.MustCompile(`^([0-9]+|0[xX][0-9a-fA-F]+)([kKmMgG]?)$`)

func (strict) read(kind Kind, text string) (float64, bool) {
	if kind == Real {
		return readReal(strings.TrimLeft(text, " \t"))
	}
	m := sized.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	n, ok := new(big.Int).SetString(m[1], 0)
	if !ok {
		return 0, false
	}
	n.Lsh(n, map[string]uint{"k": 10, "m": 20, "g": 30}[strings.ToLower(m[2])])
	value, _ := new(big.Float).SetInt(n).Float64()
	return value, n.IsInt64()
}

// lenient is C's atoi, into 32 bits, and atof.
type lenient struct{}

var (
	leadingInt  = regexp.MustCompile(`^[ \t]*[-+]?[0-9]+`)
	leadingReal = regexp.MustCompile(`^[ \t]*[-+]?(0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?`)
)

func (lenient) read(kind Kind, text string) (float64, bool) {
	pattern := leadingInt
	if kind == Real {
		pattern = leadingReal
	}
	found := pattern.FindString(text)
	value, err := parseLeading(strings.TrimSpace(found))
	if err != nil {
		return 0, false
	}
	fits := kind == Real || math.Abs(value) <= math.MaxInt32
	return value, found == text && fits
}

// parseLeading reads what strtod does, which knows base 16, too.
func parseLeading(text string) (float64, error) {
	if strings.ContainsAny(text, "xX") {
		text += "p0" // as Go writes it
	}
	return strconv.ParseFloat(text, 64)
}

// read falls back to the strict reader for a Parameter made by hand.
func (p Parameter) read(text string) (float64, bool) {
	if p.reader == nil {
		return strict{}.read(p.Kind, text)
	}
	return p.reader.read(p.Kind, text)
}

var decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func readReal(text string) (float64, bool) {
	if !decimal.MatchString(text) {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

// plain matches the texts that every reader and every person takes for the
// same number.
var plain = map[Kind]*regexp.Regexp{
	Size: regexp.MustCompile(`^(0|[1-9][0-9]*)[kKmMgG]?$`),
	Real: regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`),
}

// ParseValue reads a text as the interpreter would and returns the number and
// its canonical text. A text that the interpreter refuses, or reads otherwise
// than a person would, gives *ValueError with how to write it.
func ParseValue(p Parameter, text string) (float64, string, error) {
	value, whole := p.read(text)
	if !whole {
		return 0, "", &ValueError{Name: p.Name, Text: text, Reason: misread(p, text, value)}
	}
	canonical := strconv.FormatFloat(value, 'f', -1, 64)
	if !plain[p.Kind].MatchString(text) {
		reason := fmt.Sprintf("Ruby would read it as %s; %s", canonical, advice(p, text))
		return 0, "", &ValueError{Name: p.Name, Text: text, Reason: reason}
	}
	return value, canonical, nil
}

func advice(p Parameter, text string) string {
	switch {
	case p.Kind == Real:
		return "write a plain number, such as 1.25"
	case p.Unit == "":
		return "write a whole number, such as 2"
	case strings.HasPrefix(text, "0"):
		return "write it without the leading 0"
	default:
		return "write digits only, such as 16777216"
	}
}

func misread(p Parameter, text string, value float64) string {
	advice := advice(p, text)
	if _, ok := p.reader.(lenient); ok {
		if math.Abs(value) > math.MaxInt32 {
			return "Ruby would lose its upper bits; write at most 2147483647"
		}
		return fmt.Sprintf("Ruby would read it as %s; %s", strconv.FormatFloat(value, 'f', -1, 64), advice)
	}
	if p.Kind == Size && sized.MatchString(text) {
		return "Ruby would ignore it or cut it off, since it overflows; write a smaller number"
	}
	if strings.Trim(text, " \t\r\n\"'") != text {
		return "Ruby would ignore it because of the quotes or blanks around it; " + advice
	}
	return "Ruby would ignore it as no number; " + advice
}
