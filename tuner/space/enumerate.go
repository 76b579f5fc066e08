package space

import "iter"

// All yields the distinct settings that Decode can give, in a fixed order in
// which the last parameter varies fastest. There may be very many: a caller
// stops when it has enough. Floats whose range includes zero are yielded with a
// least distance from it of 1e-6 where no Step is given.
func (s Space) All() iter.Seq[Setting] {
	return func(yield func(Setting) bool) {
		s.enumerate(0, make([]float64, s.Dim()), Setting{}, yield)
	}
}

// enumerate fills in parameter i and those after it; false when yield has enough.
func (s Space) enumerate(i int, values []float64, partial Setting, yield func(Setting) bool) bool {
	if i == s.Dim() {
		return yield(partial.Clone())
	}
	p := s.parameters[i]
	if p.Kind == Choice {
		for _, value := range p.Values {
			partial[p.Name] = value
			if !s.enumerate(i+1, values, partial, yield) {
				return false
			}
		}
		return true
	}
	low, high := s.bounds(i, values)
	for v := low; ; v = p.next(v, low, high) {
		values[i] = v
		partial[p.Name] = formatNumber(p.Kind, v)
		if !s.enumerate(i+1, values, partial, yield) {
			return false
		}
		if v >= high {
			return true
		}
	}
}
