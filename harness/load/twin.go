package load

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Alternate sends the same sequence to two servers, so that whatever disturbs
// the machine disturbs both alike: every request goes to both, one directly
// after the other, and which of them comes first is balanced (ABBA) within
// the pairs of each request. The drivers must have the same plan but for
// target and headers, and no Rate. With a concurrency above 1, as many
// workers alternate, each by itself.
//
// Both reports are of the same `requests` pairs; a pair that ctx interrupts
// is in neither. Since the servers share the time, Wall is the time in which
// the server had a request to answer, on average over the workers, and
// DriverCPU is half of what both took.
func Alternate(ctx context.Context, a, b *Driver, requests int) (Report, Report, error) {
	if err := checkTwins(a, b, requests); err != nil {
		return Report{}, Report{}, err
	}
	t := &twins{a: a, b: b, requests: requests, tallyA: newTally(), tallyB: newTally()}
	workers := max(a.plan.Concurrency, 1)
	cpu := processCPU()
	var group errgroup.Group
	for range workers {
		group.Go(func() error { return t.work(ctx) })
	}
	err := group.Wait()
	cpu = (processCPU() - cpu) / 2
	reportA, reportB := t.tallyA.shared(workers, cpu), t.tallyB.shared(workers, cpu)
	if err != nil {
		return reportA, reportB, fmt.Errorf("load on twins ended after %d pairs: %w", reportA.Sent, err)
	}
	return reportA, reportB, nil
}

func checkTwins(a, b *Driver, requests int) error {
	if a == nil || b == nil {
		return errors.New("load: twins need two drivers")
	}
	if requests < 1 {
		return fmt.Errorf("%w: twins need at least 1 request, not %d", ErrPlan, requests)
	}
	if a.plan.Rate > 0 || b.plan.Rate > 0 {
		return fmt.Errorf("%w: twins are measured in a closed loop: leave rate out", ErrPlan)
	}
	if !reflect.DeepEqual(a.plan.Requests, b.plan.Requests) || a.plan.Concurrency != b.plan.Concurrency {
		return fmt.Errorf("%w: twins need the same requests and concurrency", ErrPlan)
	}
	return nil
}

// twins is one alternation.
type twins struct {
	a, b           *Driver
	requests       int
	taken          atomic.Int64
	tallyA, tallyB *tally
}

func (t *twins) work(ctx context.Context) error {
	toA, giveBackA, err := t.a.borrow(ctx)
	if err != nil {
		return err
	}
	defer giveBackA()
	toB, giveBackB, err := t.b.borrow(ctx)
	if err != nil {
		return err
	}
	defer giveBackB()
	for {
		i := int(t.taken.Add(1)) - 1
		if i >= t.requests {
			return ctx.Err()
		}
		if err := t.pair(ctx, toA, toB, i); err != nil {
			return err
		}
	}
}

// pair sends request i to both servers.
func (t *twins) pair(ctx context.Context, toA, toB *client, i int) error {
	var a, b Outcome
	var errA, errB error
	if aFirst(i, len(t.a.order)) {
		a, errA = t.a.send(ctx, toA, i)
		b, errB = t.b.send(ctx, toB, i)
	} else {
		b, errB = t.b.send(ctx, toB, i)
		a, errA = t.a.send(ctx, toA, i)
	}
	if err := errors.Join(errA, errB); err != nil {
		return ctx.Err()
	}
	t.tallyA.add(a)
	t.tallyB.add(b)
	return nil
}

// aFirst is the order within pair i. It changes from pair to pair, and each
// place of the cycle also changes from round to round: by the pair's number
// alone, a cycle of even length would send the same page first to the same
// server for ever.
func aFirst(i, cycle int) bool {
	return (i/cycle+i%cycle)%2 == 0
}

// shared is the report of a tally whose server had only part of the time.
func (t *tally) shared(workers int, cpu time.Duration) Report {
	r := t.result()
	r.Wall, r.DriverCPU = t.busy/time.Duration(workers), cpu
	return r
}
