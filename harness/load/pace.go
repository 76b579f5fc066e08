package load

import (
	"math"
	"sync/atomic"
	"time"
)

// pace is the timetable of an open loop. Request i is due i/rate seconds
// after the start; an overrun is never forgiven, so that a stalled server
// meets all the requests that real users would have sent meanwhile.
type pace struct {
	start time.Time
	rate  float64
}

func (p pace) due(i int) time.Time {
	return p.start.Add(time.Duration(float64(i) / p.rate * float64(time.Second)))
}

// within is the number of requests that are due before d has passed.
func (p pace) within(d time.Duration) int {
	return int(math.Ceil(p.rate * d.Seconds()))
}

// total is the number of requests of an open loop until the given end.
func (p pace) total(until Until) int {
	switch {
	case until.Duration == 0:
		return until.Requests
	case until.Requests == 0:
		return p.within(until.Duration)
	}
	return min(until.Requests, p.within(until.Duration))
}

// feed hands the numbers 0, 1, 2, … to the workers of a closed loop, each
// number once.
type feed struct {
	until Until
	start time.Time
	taken atomic.Int64
}

// next reports false when the run is at its end.
func (f *feed) next() (int, bool) {
	if f.until.Duration > 0 && time.Since(f.start) >= f.until.Duration {
		return 0, false
	}
	i := int(f.taken.Add(1)) - 1
	return i, f.until.Requests == 0 || i < f.until.Requests
}
