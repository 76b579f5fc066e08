package harness

import (
	"context"

	"github.com/gctune/gctune/harness/load"
)

// A chunk is long enough for its CPU time to mean something, and short enough for a
// window to have many.
const (
	chunkRequests = 12  // for each process that serves, or connection
	chunkSeconds  = 0.2 // at least
	wholeCycles   = 5   // times chunkRequests is the longest cycle that chunks are whole ones of
)

// size is the number of requests of the next chunk.
func (n *asNeeded) size() int {
	unit := chunkRequests * max(n.serving, n.server.Plan.Concurrency)
	size := max(unit, int(chunkSeconds*n.pace))
	if cycle := n.driver.CycleLength(); cycle <= wholeCycles*unit {
		size = (size + cycle - 1) / cycle * cycle
	}
	if left := n.least - n.served(); left > 0 { // so that memory is of the same requests in every trial
		size = min(size, left)
	}
	return size
}

func (n *asNeeded) last() *look { return &n.looks[len(n.looks)-1] }

func (n *asNeeded) served() int { return n.last().served }

// chunk sends load and looks at what it has done.
func (n *asNeeded) chunk(ctx context.Context) error {
	size, before := n.size(), n.last()
	began, err := n.tree.CPU()
	if err != nil {
		return err
	}
	report, err := patiently(ctx, n.expected(size), func(ctx context.Context) (load.Report, error) {
		return n.driver.Part(ctx, before.served, size)
	})
	if err := n.silent(err); err != nil {
		return err
	}
	if err := n.alive("under load"); err != nil {
		return err
	}
	after, err := n.tree.CPU() // before the probe, whose reports cost some
	if err != nil {
		return err
	}
	at, machine := n.memory.Elapsed(), n.watch.now()
	n.readMemory()
	now, err := n.snapshot(ctx)
	if err != nil {
		return err
	}
	n.pace = float64(report.Sent) / report.Wall.Seconds()
	n.looks = append(n.looks, look{snapshot: now, served: before.served + size, report: report, seconds: after - began, at: at, machine: machine})
	n.bounds()
	return nil
}

// paceFrom is the number of looks after which the pace is no more that of the very
// first requests.
const paceFrom = 3

// bounds fixes what was left to the pace.
func (n *asNeeded) bounds() {
	if len(n.looks) <= paceFrom {
		return
	}
	byPace := func(seconds float64) int {
		return min(max(int(seconds*n.pace), minWindow*n.serving), maxWindow)
	}
	if n.least == 0 {
		n.least = max(byPace(LeastSeconds), n.served())
	}
	if n.most == 0 {
		n.most = max(byPace(DefaultWindow.Seconds()), n.least)
	}
}
