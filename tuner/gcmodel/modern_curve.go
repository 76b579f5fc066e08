package gcmodel

// curve is a function of the objects allocated so far, linear between its knots
// and beyond them.
type curve struct{ x, y []float64 }

// add appends a knot; one that does not lie to the right takes the place of the
// last.
func (c *curve) add(x, y float64) {
	if n := len(c.x); n > 0 && x <= c.x[n-1] {
		c.y[n-1] = y
		return
	}
	c.x, c.y = append(c.x, x), append(c.y, y)
}

func (c *curve) at(x float64) float64 { return interpolate(c.x, c.y, x) }

// inverse is of use for a curve that rises everywhere.
func (c *curve) inverse(y float64) float64 { return interpolate(c.y, c.x, y) }

func interpolate(xs, ys []float64, x float64) float64 {
	switch len(xs) {
	case 0:
		return 0
	case 1:
		return ys[0]
	}
	low, high := 1, len(xs)-1 // the first knot at or beyond x, or the last
	for low < high {
		if middle := (low + high) / 2; xs[middle] < x {
			low = middle + 1
		} else {
			high = middle
		}
	}
	i := low
	return ys[i-1] + (x-xs[i-1])*slope(xs[i-1], ys[i-1], xs[i], ys[i])
}

func slope(x0, y0, x1, y1 float64) float64 {
	if x1 <= x0 {
		return 0
	}
	return (y1 - y0) / (x1 - x0)
}
