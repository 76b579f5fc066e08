package load

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// refusedPause keeps a closed loop from spinning against a server that is not
// there.
const refusedPause = 10 * time.Millisecond

// Run sends the plan's sequence from its beginning until the end given, and
// reports. When ctx ends first, it returns its error with the report so far.
func (d *Driver) Run(ctx context.Context, until Until) (Report, error) {
	if until.Requests < 0 || until.Duration < 0 || until == (Until{}) {
		return Report{}, fmt.Errorf("%w: a run needs an end: a number of requests or a duration above 0, not %+v", ErrPlan, until)
	}
	t := newTally()
	return d.tallied(t, func(start time.Time) error {
		if d.plan.Rate > 0 {
			return d.openLoop(ctx, pace{start, d.plan.Rate}, until, t)
		}
		return d.closedLoop(ctx, &feed{until: until, start: start}, t)
	})
}

// tallied is the report of what send adds to the tally.
func (d *Driver) tallied(t *tally, send func(start time.Time) error) (Report, error) {
	cpu, start := processCPU(), time.Now()
	err := send(start)
	r := t.result()
	r.Wall, r.DriverCPU = time.Since(start), processCPU()-cpu
	r.OpenLoop = d.plan.Rate > 0
	if err != nil {
		return r, fmt.Errorf("load ended after %d requests: %w", r.Sent, err)
	}
	return r, nil
}

// closedLoop keeps as many requests under way as the plan's concurrency.
func (d *Driver) closedLoop(ctx context.Context, f *feed, t *tally) error {
	var group errgroup.Group
	for range max(d.plan.Concurrency, 1) {
		group.Go(func() error { return d.closedWorker(ctx, f, t) })
	}
	return group.Wait()
}

func (d *Driver) closedWorker(ctx context.Context, f *feed, t *tally) error {
	c, giveBack, err := d.borrow(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	for i, more := f.next(); more; i, more = f.next() {
		o, err := d.send(ctx, c, i)
		if err != nil {
			return err
		}
		t.add(o)
		if o.unconnected() {
			pause(ctx, refusedPause)
		}
	}
	return ctx.Err()
}

// openLoop begins each request when it is due, or as soon after as one of the
// plan's connections is free.
func (d *Driver) openLoop(ctx context.Context, p pace, until Until, t *tally) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(d.openConcurrency())
	for i := range p.total(until) {
		due := p.due(i)
		pause(ctx, time.Until(due))
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			o, err := d.One(ctx, i)
			if err != nil {
				return err
			}
			o.Latency = time.Since(due)
			t.add(o)
			return nil
		})
	}
	early := ctx.Err()
	return cmp.Or(group.Wait(), early)
}

func (d *Driver) openConcurrency() int {
	if d.plan.Concurrency == 0 {
		return DefaultOpenConcurrency
	}
	return d.plan.Concurrency
}

// pause waits, or not when ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
