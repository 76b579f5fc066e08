package harness

import (
	"context"
	"maps"

	"github.com/gctune/gctune/harness/load"
)

// The automatic warm-up. Each worker has to fill its caches, grow its heap and use
// each slot of it once: fewer than about 80 requests do not suffice, and what is not
// steady after warmupMost, or warmupSeconds where that is longer, will not be waited
// for.
const (
	warmupLeast   = 80  // requests a worker
	warmupMost    = 480 // requests a worker
	warmupSeconds = 3   // of load
	warmupChunk   = 40  // requests a worker between two looks at the heap
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
	first, count, grown := last, max(1, len(serving(last))), false
	for x.warmupRequests < max(warmupMost*count, int(warmupSeconds*x.pace)) {
		if err := x.warmUpBy(ctx, warmupChunk*count); err != nil {
			return err
		}
		now, err := x.workers(ctx)
		if err != nil {
			return err
		}
		first = joined(first, now)
		grown = steady(first, last, now)
		if x.warmupRequests >= warmupLeast*count && grown && usedOnce(first, now) {
			return nil
		}
		last = now
	}
	if !grown {
		x.warn("the heap was still growing, or a worker still idle, after %d warm-up requests: give load.warmup a larger number if the figures vary", x.warmupRequests)
	}
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

// joined are the first looks at processes, with those at what has begun, or begun to
// answer, since.
func joined(first, now map[int]worker) map[int]worker {
	all := maps.Clone(now)
	for pid, w := range first {
		if w.report != nil || all[pid].report == nil {
			all[pid] = w
		}
	}
	return all
}

// usedOnce says whether each serving process has allocated as many objects as its heap
// has slots. Until then some are used for the first time, which takes page faults that
// never come again: with a heap of 1.5 million slots a request of a Rails application
// took a fifth more CPU time meanwhile. A process that does not count its objects
// counts as one that has.
func usedOnce(first, now map[int]worker) bool {
	for _, w := range serving(now) {
		before := first[w.PID].report
		if w.report == nil || w.report.Stat[allocated] == 0 {
			continue
		}
		if before == nil || w.report.Stat[allocated]-before.Stat[allocated] < float64(w.report.Slots) {
			return false
		}
	}
	return true
}
