package load

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
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
	// The garbage of what went before is not this run's cost.
	runtime.GC()
	cpu, start := processCPU(), time.Now()
	var err error
	if d.plan.Rate > 0 {
		err = d.openLoop(ctx, pace{start, d.plan.Rate}, until, t)
	} else {
		err = d.closedLoop(ctx, &feed{until: until, start: start}, t)
	}
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
	return parallel(max(d.plan.Concurrency, 1), func() error {
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
			if o.Class == ConnectionError && o.Status == 0 && o.reply.dialled {
				pause(ctx, refusedPause)
			}
		}
		return ctx.Err()
	})
}

// parallel runs n workers and returns the first error.
func parallel(n int, work func() error) error {
	var wg sync.WaitGroup
	errs := make(chan error, n)
	for range n {
		wg.Go(func() { errs <- work() })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// openLoop begins each request when it is due, or as soon after as one of the
// plan's connections is free.
func (d *Driver) openLoop(ctx context.Context, p pace, until Until, t *tally) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	places := make(chan struct{}, d.openConcurrency())
	for i := range p.total(until) {
		due := p.due(i)
		pause(ctx, time.Until(due))
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wg.Go(func() {
			defer func() { <-places }()
			o, err := d.One(ctx, i)
			if err == nil {
				o.Latency = time.Since(due)
				t.add(o)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
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
