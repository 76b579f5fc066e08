package load

import (
	"context"
	"fmt"
	"time"
)

// Part sends a number of requests of the sequence, from the given one on (0 is the
// first), and waits for their answers. Parts that follow one another send what one
// run would have sent; Join makes one report of theirs. The plan must have no Rate:
// a timetable cannot be cut without forgiving a server what it is behind.
func (d *Driver) Part(ctx context.Context, from, requests int) (Report, error) {
	if d.plan.Rate > 0 || from < 0 || requests < 1 {
		return Report{}, fmt.Errorf("%w: a part needs a closed loop and at least 1 request, not %d from %d on", ErrPlan, requests, from)
	}
	t := newTally()
	t.keep = true
	f := &feed{until: Until{Requests: from + requests}}
	f.taken.Store(int64(from))
	return d.tallied(t, func(start time.Time) error {
		f.start = start
		return d.closedLoop(ctx, f, t)
	})
}

// Join is the report of several parts as of one run, without the time between them.
func Join(parts ...Report) Report {
	sum := newTally()
	for _, p := range parts {
		r := &sum.report
		r.Sent, r.Expected = r.Sent+p.Sent, r.Expected+p.Expected
		r.HTTPErrors, r.ConnectionErrors = r.HTTPErrors+p.HTTPErrors, r.ConnectionErrors+p.ConnectionErrors
		r.Connections += p.Connections
		r.Wall, r.DriverCPU = r.Wall+p.Wall, r.DriverCPU+p.DriverCPU
		if r.FirstFailure == "" {
			r.FirstFailure = p.FirstFailure
		}
		for _, latency := range p.latencies {
			sum.time(latency)
		}
	}
	return sum.result()
}

// CycleLength is the number of requests after which the sequence begins again: as
// many of them, or a multiple, have the same share of each page wherever they begin.
func (d *Driver) CycleLength() int { return len(d.order) }
