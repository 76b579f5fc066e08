package gcmodel

import (
	"fmt"
	"math"
)

// legacyProgram is what a program does to its heap. Its time runs in objects
// allocated, which no setting changes.
type legacyProgram struct {
	// knots are the boot and the warm-up; from the last on all goes on evenly.
	knots []legacyKnot
	// rate is the malloc bytes per object from the last knot on, live the slots in
	// use after a collection there, of which slope more for each object allocated
	// since.
	rate, live, slope float64
	// peak is the most bytes per object between any two collections there.
	peak float64
	// ready, warm and end are the objects allocated at the marks.
	ready, warm, end float64
	// doubt is the relative standard error of end - warm.
	doubt float64
	// blind: no collection was started by malloc, so that rate is no more than a
	// bound.
	blind bool
	// share of the bound is what the rate is likely to be then, or 0.
	share float64
	// dark: none was in boot either.
	dark bool
	// guessed is the relative standard error of a rate that memory tells.
	guessed float64
}

// legacyKnot: when so many objects had been allocated, so many bytes had been by
// malloc, and so many of the objects were live.
type legacyKnot struct{ at, bytes, live float64 }

// programOf learns from one process. Of early see legacyRules.
func programOf(all []legacyStretch, m legacyMarks, early float64) (legacyProgram, error) {
	if len(all) == 0 || m.end == 0 {
		return legacyProgram{}, fmt.Errorf("a log of no collection: %w", ErrTooLittle)
	}
	p := legacyProgram{}
	p.place(all, m)
	m.warm = min(m.warm, m.ready+warmest)
	p.settle(all, m)
	if m.ready == 0 {
		// A program that runs to its end has its boot in the window.
		m.warm = min(m.end, wholeRun)
		p.live, p.slope = all[m.warm-1].live, 0
	}
	p.follow(all, m, early)
	return p, nil
}

// warmest is how many collections after the server was ready its program may
// still find its way; what follows in warm-up is like the window.
const warmest = 16

// wholeRun is how many collections are followed one by one where no mark tells
// when a program has its data.
const wholeRun = 200

// place sets the marks: each half-way between the collections around it, which is
// all that is known of it.
func (p *legacyProgram) place(all []legacyStretch, m legacyMarks) {
	var around [3]float64
	for i, over := range []int{m.ready, m.warm, m.end} {
		next := ahead(all, over)
		around[i] = next.objects
		*[]*float64{&p.ready, &p.warm, &p.end}[i] = next.from + next.objects/2
	}
	window := math.Max(p.end-p.warm, around[2]/2)
	p.doubt = math.Hypot(around[1], around[2]) / math.Sqrt(12) / window
}

// ahead is the stretch after so many collections; where the log ends, as long as
// it can have been.
func ahead(all []legacyStretch, over int) legacyStretch {
	if over < len(all) {
		return all[over]
	}
	last := all[len(all)-1]
	next := legacyStretch{from: last.from + last.objects, objects: math.Max(1, last.slots-last.live)}
	if last.known {
		// The limit is the same, or was just found overshot.
		next.objects = math.Min(next.objects, last.next/last.bytes*last.objects)
	}
	return next
}

// settle takes what the program does in the window from the collections there,
// or from the last of all where there are none.
func (p *legacyProgram) settle(all []legacyStretch, m legacyMarks) {
	window := all[m.warm:m.end]
	if len(window) > 1 {
		window = window[1:] // the first began before
	} else {
		window = all[m.end-1 : m.end]
	}
	var bytes, objects float64
	bound := math.Inf(1)
	for _, s := range window {
		if s.known {
			bytes, objects = bytes+s.bytes, objects+s.objects
			p.peak = math.Max(p.peak, s.bytes/s.objects)
		}
		bound = math.Min(bound, s.bytes/s.objects)
	}
	p.blind = objects == 0
	p.rate = bound
	if !p.blind {
		p.rate = bytes / objects
	}
	p.peak = math.Max(p.peak, p.rate)
	p.live, p.slope = trend(window)
	first := window[0]
	// live is counted from where the knots end.
	until := 0.0
	if m.warm > 0 {
		until = all[m.warm-1].from + all[m.warm-1].objects
	}
	p.live -= p.slope * (first.from + first.objects - until)
}

// trend fits a line to the live slots: how many at the first collection, and how
// many more for each object. A slope that may be chance counts as none.
func trend(window []legacyStretch) (level, slope float64) {
	n := float64(len(window))
	var x, y, xx, xy, yy float64
	zero := window[0].from + window[0].objects
	for _, s := range window {
		at := s.from + s.objects - zero
		x, y, xx, xy, yy = x+at, y+s.live, xx+at*at, xy+at*s.live, yy+s.live*s.live
	}
	width := xx - x*x/n
	if n < 6 || width <= 0 {
		return y / n, 0
	}
	slope = (xy - x*y/n) / width
	rest := math.Max(0, yy-y*y/n-slope*slope*width)
	const sure = 4 // standard errors
	if slope < 0 || slope*slope*width < sure*sure*rest/(n-2) {
		return y / n, 0
	}
	return (y - slope*x) / n, slope
}

// follow makes the knots. Bytes that a stretch does not tell go at the rate of
// the nearest that does, as far as they can have been. The stretch during which
// the server became ready is two: by then what stays is there, and the bytes have
// gone as before.
func (p *legacyProgram) follow(all []legacyStretch, m legacyMarks, early float64) {
	boot := all[:m.warm]
	p.knots = append(p.knots, legacyKnot{})
	p.dark = p.blind
	for i, s := range boot {
		bytes := s.bytes
		if !s.known {
			bytes = math.Min(bytes, s.objects*knownRate(boot, i, p.rate, early))
		}
		p.dark = p.dark && !s.known
		last := p.knots[len(p.knots)-1]
		if share := (p.ready - s.from) / s.objects; i == m.ready && i > 0 && share < 1 {
			before := math.Min(share*bytes, share*s.objects*p.rateAt(last.at-1))
			p.knots = append(p.knots, legacyKnot{p.ready, last.bytes + before, math.Max(last.live, s.live)})
			p.likely(s, (bytes-before)/(s.objects*(1-share)))
		}
		p.knots = append(p.knots, legacyKnot{s.from + s.objects, last.bytes + bytes, s.live})
	}
}

// likely takes a rate for the window's, where that has only a bound.
func (p *legacyProgram) likely(s legacyStretch, rate float64) {
	if p.blind && s.known {
		p.share = math.Min(1, rate/p.rate)
	}
}

// rateAt is the malloc bytes per object at a moment.
func (p *legacyProgram) rateAt(at float64) float64 {
	for i := 1; i < len(p.knots); i++ {
		a, b := p.knots[i-1], p.knots[i]
		if at < b.at {
			return (b.bytes - a.bytes) / math.Max(b.at-a.at, 1)
		}
	}
	return p.rate
}

// knownRate is that of the last stretch up to i that tells it. Before the first
// one that does it is half of that one's: a program that is read has few bytes
// beside its objects.
func knownRate(all []legacyStretch, i int, otherwise, early float64) float64 {
	for k := i; k >= 0; k-- {
		if all[k].known {
			return all[k].bytes / all[k].objects
		}
	}
	if early > 0 {
		return early
	}
	for _, s := range all[i:] {
		if s.known {
			return s.bytes / s.objects / 2
		}
	}
	return otherwise
}
