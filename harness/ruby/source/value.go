package source

import (
	"fmt"
	"go/constant"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/xrash/smetrics"
)

// canonical is the decimal text of a constant, "" when it is not known or not
// of the kind asked for.
func canonical(v constant.Value, real bool) string {
	if v.Kind() == constant.Unknown {
		return ""
	}
	if whole := constant.ToInt(v); whole.Kind() == constant.Int && constant.Sign(whole) >= 0 {
		return whole.ExactString()
	}
	value, _ := constant.Float64Val(v)
	if !real || math.IsInf(value, 0) {
		return ""
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// literal is how C writes a value. A real keeps a decimal point, so that no
// division of it becomes one of integers.
func literal(value string, real bool) string {
	if real && !strings.Contains(value, ".") {
		return value + ".0"
	}
	return value
}

var (
	wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	realNumber  = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

// Check returns *NotFoundError for names that the file has no place for, and
// *ValueError for a value that must not be compiled in.
func (f *Found) Check(values map[string]string) error {
	var missing []Missing
	for _, name := range sorted(values) {
		if _, ok := f.Place(name); !ok {
			missing = append(missing, f.missing(name))
		}
	}
	if len(missing) > 0 {
		return &NotFoundError{missing}
	}
	for _, name := range sorted(values) {
		p, _ := f.Place(name)
		if reason := f.wrong(p, values); reason != "" {
			return &ValueError{name, values[name], reason}
		}
	}
	return nil
}

func (f *Found) missing(name string) Missing {
	for _, m := range f.Missing {
		if m.Name == name {
			return m
		}
	}
	return Missing{name, f.File, "#define " + name, "it is no parameter of this collector" + f.others(name)}
}

// others names the parameters that there are, the nearest first.
func (f *Found) others(typed string) string {
	var names []string
	near, best := "", 0.6 // below this, words have little in common
	for _, p := range f.Places {
		names = append(names, p.Parameter.Name)
		if score := smetrics.JaroWinkler(typed, p.Parameter.Name, 0.7, 4); score > best {
			near, best = p.Parameter.Name, score
		}
	}
	if near != "" {
		near = "; did you mean " + near + "?"
	}
	return near + "; there are " + strings.Join(names, ", ")
}

// wrong says what is wrong with the value of one place, or "".
func (f *Found) wrong(p Place, values map[string]string) string {
	text, q := values[p.Parameter.Name], p.Parameter
	if text == p.Default { // as it is written now
		return ""
	}
	if pattern := map[bool]*regexp.Regexp{true: realNumber, false: wholeNumber}[q.Real]; !pattern.MatchString(text) {
		return map[bool]string{true: "write a plain number, such as 1.25", false: "write digits only, without a leading 0, such as 600000"}[q.Real]
	}
	value, _ := strconv.ParseFloat(text, 64)
	switch most := f.most(q); {
	case value == 0 && q.Zero:
		return ""
	case value <= q.Above:
		return fmt.Sprintf("must be greater than %g", q.Above)
	case value > most:
		return fmt.Sprintf("must be at most %s", strconv.FormatFloat(most, 'f', -1, 64))
	}
	return f.outOfOrder(q, value, values)
}

// Bounds says in words which values a parameter takes.
func (f *Found) Bounds(q Parameter) string {
	decimal := func(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
	limits := []string{"above " + decimal(q.Above)}
	if most := f.most(q); most < math.MaxFloat32 {
		limits = append(limits, "at most "+decimal(most))
	}
	if q.AtLeast != "" {
		limits = append(limits, "at least "+q.AtLeast)
	}
	if !q.Real {
		limits = append(limits, "whole")
	}
	text := strings.Join(limits, ", ")
	if q.Zero {
		text += "; or 0"
	}
	return text
}

// outOfOrder compares with the parameters that depend on one another.
func (f *Found) outOfOrder(q Parameter, value float64, values map[string]string) string {
	if other, ok := f.valueOf(q.AtLeast, values); ok && value < other {
		return fmt.Sprintf("must be at least %s, which is %g", q.AtLeast, other)
	}
	for _, p := range f.Places {
		if p.Parameter.AtLeast != q.Name {
			continue
		}
		if other, ok := f.valueOf(p.Parameter.Name, values); ok && value > other && other > 0 {
			return fmt.Sprintf("must be at most %s, which is %g", p.Parameter.Name, other)
		}
	}
	return ""
}

// most is the largest value that a parameter takes: from 2.1 on sizes are
// held by a size_t, of which the part is used that reals still count exactly.
func (f *Found) most(q Parameter) float64 {
	switch {
	case q.AtMost > 0:
		return q.AtMost
	case q.Real:
		return math.MaxFloat32
	case f.WordBits == 64:
		return exact
	}
	return math.MaxInt32
}

const exact = 1 << 53

// same says whether two texts stand for one number.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y && x <= exact
}

// valueOf a parameter that another is compared with: as set, or as found.
func (f *Found) valueOf(name string, values map[string]string) (float64, bool) {
	text, ok := values[name]
	if !ok {
		p, _ := f.Place(name)
		text = p.Default
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}
