package report

import (
	"errors"
	"fmt"
	"math"
)

// Point is a trial in the plane of the two objectives.
type Point struct {
	// Trial is its number, which is shown.
	Trial      int
	Throughput float64
	Memory     float64
}

// Front is what a plot of a study shows. Which trials are on the front is not
// decided here.
type Front struct {
	Baseline *Point // nil if there is none
	Front    []Point
	// Unconfirmed are those of a search's front that Front, of what was measured
	// again, does not tell of.
	Unconfirmed []Point
	Beaten      []Point
	// ThroughputTitle and MemoryTitle name the axes.
	ThroughputTitle, MemoryTitle string
	ThroughputUnit, MemoryUnit   Unit
}

// Errors of plots.
var (
	// ErrNoPoints: there is nothing to plot.
	ErrNoPoints = errors.New("there are no measured trials to plot")
	// ErrNotFinite: a point has a coordinate that is not finite.
	ErrNotFinite = errors.New("point is not finite")
)

// kind says what a point is; later kinds are drawn over earlier ones.
type kind int

const (
	beaten kind = iota
	unconfirmed
	onFront
	baseline
)

type kindPoint struct {
	Point
	kind kind
}

// points are all points, in the order in which they are drawn.
func (f Front) points() ([]kindPoint, error) {
	var all []kindPoint
	for _, p := range f.Beaten {
		all = append(all, kindPoint{p, beaten})
	}
	for _, p := range f.Unconfirmed {
		all = append(all, kindPoint{p, unconfirmed})
	}
	for _, p := range f.Front {
		all = append(all, kindPoint{p, onFront})
	}
	if f.Baseline != nil {
		all = append(all, kindPoint{*f.Baseline, baseline})
	}
	for _, p := range all {
		if known(p.Memory) == nil || known(p.Throughput) == nil {
			return nil, fmt.Errorf("%w: trial %d has throughput %v and memory %v", ErrNotFinite, p.Trial, p.Throughput, p.Memory)
		}
	}
	if len(all) == 0 {
		return nil, ErrNoPoints
	}
	return all, nil
}

// extent is the range of an axis.
type extent struct{ min, max float64 }

// extents are the ranges that hold all points with some room around them, so
// that none lies on the frame and a single one has a range.
func extents(all []kindPoint) (memory, throughput extent) {
	memory = extent{math.Inf(1), math.Inf(-1)}
	throughput = memory
	for _, p := range all {
		memory = memory.with(p.Memory)
		throughput = throughput.with(p.Throughput)
	}
	return memory.padded(), throughput.padded()
}

func (e extent) with(x float64) extent {
	return extent{math.Min(e.min, x), math.Max(e.max, x)}
}

func (e extent) padded() extent {
	// Scaled before they are subtracted: the difference of two finite
	// figures need not be finite.
	room := e.max/20 - e.min/20
	if room == 0 {
		room = math.Max(math.Abs(e.max)/20, 1e-9)
	}
	return extent{e.min - room, e.max + room}
}

// place is where x lies within n cells.
func (e extent) place(x float64, n int) int {
	at := (x/2 - e.min/2) / (e.max/2 - e.min/2) * float64(n-1)
	return min(max(int(math.Round(at)), 0), n-1)
}
