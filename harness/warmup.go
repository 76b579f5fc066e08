package harness

import (
	"context"

	"github.com/gctune/gctune/harness/load"
)

// The automatic warm-up. Each worker has to fill its caches and grow its heap:
// fewer than about 80 requests do not suffice, and a heap that is still growing
// after warmupMost will not be waited for.
const (
	warmupLeast = 80  // requests a worker
	warmupMost  = 480 // requests a worker
	warmupChunk = 40  // requests a worker between two looks at the heap
)

// warmUp sends load that is not measured until the heaps are steady, and learns
// the pace of the server from it.
func (x *session) warmUp(ctx context.Context) error {
	if x.server.Warmup > 0 {
		return x.warmUpBy(ctx, x.server.Warmup)
	}
	last, err := x.workers(ctx)
	if err != nil {
		return err
	}
	first, count := last, max(1, len(serving(last)))
	for x.warmupRequests < warmupMost*count {
		if err := x.warmUpBy(ctx, warmupChunk*count); err != nil {
			return err
		}
		now, err := x.workers(ctx)
		if err != nil {
			return err
		}
		if x.warmupRequests >= warmupLeast*count && steady(first, last, now) {
			return nil
		}
		last = now
	}
	x.warn("the heap was still growing, or a worker still idle, after %d warm-up requests: give load.warmup a larger number if the figures vary", x.warmupRequests)
	return nil
}

func (x *session) warmUpBy(ctx context.Context, requests int) error {
	report, err := x.drive(ctx, load.Until{Requests: requests})
	if err != nil {
		return err
	}
	x.warmupRequests += requests
	x.answered += requests
	x.pace = float64(report.Sent) / report.Wall.Seconds()
	return x.alive("during warm-up")
}

// majorsForSteady are the major collections after which a heap counts as grown.
const majorsForSteady = 2

// steady says whether each serving process has worked since the last look, and
// its heap has stopped growing or has been through two major collections. A
// process without the probe counts as steady: there is nothing to go by.
func steady(first, last, now map[int]worker) bool {
	for _, w := range serving(now) {
		if w.report == nil {
			continue
		}
		before := last[w.PID].report
		if before == nil || before.Stat[allocated] == w.report.Stat[allocated] && w.report.Stat[allocated] > 0 {
			return false
		}
		if w.report.Slots != before.Slots && !grownUp(first[w.PID], w) {
			return false
		}
	}
	return true
}

// allocated is GC.stat's count of objects; its growth shows that a worker works.
const allocated = "total_allocated_objects"

func grownUp(first, now worker) bool {
	return first.report != nil && now.report.Major-first.report.Major >= majorsForSteady
}
