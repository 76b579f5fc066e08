package space

import "math"

// A searched value lies on a grid: significant digits first, then multiples of
// Step, then whole numbers. The ends of the range belong to it always.

// spacing is the distance between neighbouring grid values near v, before Step.
func (p Parameter) spacing(v float64) float64 {
	digits := p.Digits
	if digits == 0 && p.Kind == Float {
		digits = defaultFloatDigits
	}
	unit := 0.0
	if digits > 0 && v != 0 {
		unit = math.Pow10(int(math.Floor(math.Log10(math.Abs(v)))) + 1 - digits)
	}
	if p.Kind == Int {
		unit = max(unit, 1)
	}
	return unit
}

// snap moves v to the grid, within lo and hi.
func (p Parameter) snap(v, lo, hi float64) float64 {
	if unit := p.spacing(v); unit > 0 {
		v = multiple(v, unit)
	}
	if p.Step > 0 {
		v = multiple(v, p.Step)
	}
	if p.Kind == Int {
		v = math.Round(v)
	}
	return min(max(v, lo), hi)
}

// multiple rounds v to a multiple of unit. A unit below one is turned into the
// divisor 1/unit where that is a whole number, so that 0.1 does not give
// 0.30000000000000004.
func multiple(v, unit float64) float64 {
	inverse := math.Round(1 / unit)
	if unit < 1 && math.Abs(inverse*unit-1) < 1e-12 {
		return math.Round(v*inverse) / inverse
	}
	return math.Round(v/unit) * unit
}

// next returns the smallest grid value above v, hi at most. It walks by quarter
// steps, since digits and Step together make the grid uneven.
func (p Parameter) next(v, lo, hi float64) float64 {
	beyond := v + math.Abs(v)*1e-9 // the spacing above v, where a power of ten ends
	step := max(p.spacing(beyond), p.Step)
	if step == 0 { // a float at zero: significant digits give no spacing there
		step = math.Pow10(-defaultFloatDigits)
	}
	following := v
	for probe := v + step/4; following <= v && following < hi; probe += step / 4 {
		following = p.snap(probe, lo, hi)
	}
	return following
}

// at maps a unit coordinate to the grid between lo and hi; 0 gives lo, 1 gives hi.
func (p Parameter) at(u, lo, hi float64) float64 {
	switch {
	case lo >= hi || u >= 1:
		return hi
	case !(u > 0): // NaN too
		return lo
	case p.Scale == Log:
		return p.snap(math.Exp(math.Log(lo)+u*math.Log(hi/lo)), lo, hi)
	default:
		return p.snap(lo+u*(hi-lo), lo, hi)
	}
}

// coordinate is the inverse of at, up to rounding.
func (p Parameter) coordinate(v, lo, hi float64) float64 {
	if lo >= hi {
		return 0.5
	}
	u := (v - lo) / (hi - lo)
	if p.Scale == Log {
		u = math.Log(max(v, lo)/lo) / math.Log(hi/lo)
	}
	return min(max(u, 0), 1)
}
