package space

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// ErrOutOfBounds marks a value outside its parameter's range.
var ErrOutOfBounds = errors.New("out of bounds")

// Space is a validated list of parameters. The zero Space has none.
type Space struct {
	parameters []Parameter
	above      []int     // index of the parameter named by Above, or -1
	low, high  []float64 // bounds narrowed so that each group can be satisfied
}

// New checks the parameters and builds their space. The error names the
// parameter and what to change.
func New(parameters []Parameter) (Space, error) {
	s := Space{}
	for i, p := range parameters {
		above, err := s.place(p)
		if err != nil {
			return Space{}, fmt.Errorf("parameter %d (%s): %w", i+1, p.Name, err)
		}
		p.Values = slices.Clone(p.Values)
		p.Default = p.canonical(p.Default)
		s.parameters = append(s.parameters, p)
		s.above = append(s.above, above)
	}
	if err := s.narrow(); err != nil {
		return Space{}, err
	}
	if err := s.checkGroups(s.defaults()); err != nil {
		return Space{}, fmt.Errorf("the defaults: %w", err)
	}
	return s, nil
}

// place validates p against the parameters before it and finds its Above.
func (s Space) place(p Parameter) (int, error) {
	if err := p.validate(); err != nil {
		return 0, err
	}
	if s.index(p.Name) >= 0 {
		return 0, fmt.Errorf("the name is used twice")
	}
	if p.Above == "" {
		return -1, nil
	}
	above := s.index(p.Above)
	if above < 0 {
		return 0, fmt.Errorf("above names %q, which is not an earlier parameter", p.Above)
	}
	if s.parameters[above].Kind == Choice {
		return 0, fmt.Errorf("above names %s, which is a choice and has no order", p.Above)
	}
	return above, nil
}

// narrow shrinks the bounds to what leaves room for the rest of each group.
func (s *Space) narrow() error {
	s.low, s.high = make([]float64, s.Dim()), make([]float64, s.Dim())
	for i, p := range s.parameters {
		s.low[i], s.high[i] = p.Min, p.Max
		if above := s.above[i]; above >= 0 {
			s.low[i] = s.lowest(i, s.low[above])
		}
	}
	for i := s.Dim() - 1; i >= 0; i-- {
		above := s.above[i]
		if above < 0 {
			continue
		}
		room := withoutNoise(s.high[i] - s.parameters[i].Gap)
		if s.parameters[above].Kind == Int {
			room = math.Floor(room)
		}
		s.high[above] = min(s.high[above], room)
	}
	for i, p := range s.parameters {
		if s.low[i] > s.high[i] {
			return fmt.Errorf("parameter %d (%s): its group leaves no value for it; widen its bounds or those of %s",
				i+1, p.Name, s.neighbour(i))
		}
	}
	return nil
}

// neighbour names a parameter that i is bound to, for messages.
func (s Space) neighbour(i int) string {
	if s.above[i] >= 0 {
		return s.parameters[i].Above
	}
	return s.parameters[max(slices.Index(s.above, i), 0)].Name
}

// lowest is the least value of parameter i when the one it is above has value v.
func (s Space) lowest(i int, v float64) float64 {
	p := s.parameters[i]
	low := withoutNoise(v + p.Gap)
	if p.Kind == Int {
		low = math.Ceil(low)
	}
	return max(p.Min, low)
}

// withoutNoise drops digits that only come from binary sums: .1+.2 gives .3.
func withoutNoise(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 13, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// bounds is the range of numeric parameter i, given the values before it.
func (s Space) bounds(i int, values []float64) (low, high float64) {
	low, high = s.low[i], s.high[i]
	if above := s.above[i]; above >= 0 {
		low = min(s.lowest(i, values[above]), high)
	}
	return low, high
}

func (s Space) index(name string) int {
	return slices.IndexFunc(s.parameters, func(p Parameter) bool { return p.Name == name })
}

// Parameters returns a copy of the parameters, in order, with canonical defaults.
func (s Space) Parameters() []Parameter {
	return slices.Clone(s.parameters)
}

// Dim is the number of parameters.
func (s Space) Dim() int { return len(s.parameters) }

// Decode turns a point of the unit cube into a setting of every parameter. Each
// point gives a valid one: 0 is the lower end of a range, 1 the upper end, and
// what lies outside the cube is moved to its edge. A parameter that is Above
// another is mapped to the range that the other leaves. A coordinate that is
// missing counts as 0.5.
func (s Space) Decode(u []float64) Setting {
	setting := make(Setting, s.Dim())
	values := make([]float64, s.Dim())
	for i, p := range s.parameters {
		coordinate := 0.5
		if i < len(u) {
			coordinate = u[i]
		}
		if p.Kind == Choice {
			setting[p.Name] = p.Values[choiceAt(coordinate, len(p.Values))]
			continue
		}
		low, high := s.bounds(i, values)
		values[i] = p.at(coordinate, low, high)
		setting[p.Name] = formatNumber(p.Kind, values[i])
	}
	return setting
}

// choiceAt divides the unit interval into n equal parts.
func choiceAt(u float64, n int) int {
	if !(u > 0) { // NaN too
		return 0
	}
	return min(int(min(u, 1)*float64(n)), n-1)
}

// Encode is the inverse of Decode, up to rounding. A parameter that is missing
// or unreadable counts as its default, or as the middle of its range when it has
// none; a value out of range is moved to the nearest end.
func (s Space) Encode(setting Setting) []float64 {
	u := make([]float64, s.Dim())
	values := make([]float64, s.Dim())
	for i, p := range s.parameters {
		text, given := setting[p.Name]
		if p.Kind == Choice {
			u[i] = p.encodeChoice(text)
			continue
		}
		low, high := s.bounds(i, values)
		value, err := ParseNumber(p.Kind, text)
		if !given || err != nil {
			value = p.fallback(low, high)
		}
		values[i] = min(max(value, low), high)
		u[i] = p.coordinate(values[i], low, high)
	}
	return u
}

// encodeChoice returns the middle of the value's part of the unit interval.
func (p Parameter) encodeChoice(text string) float64 {
	i := slices.Index(p.Values, text)
	if i < 0 {
		i = slices.Index(p.Values, p.Default)
	}
	if i < 0 {
		return 0.5
	}
	return (float64(i) + 0.5) / float64(len(p.Values))
}

func (p Parameter) fallback(low, high float64) float64 {
	if value, err := ParseNumber(p.Kind, p.Default); err == nil {
		return value
	}
	return p.at(0.5, low, high)
}
