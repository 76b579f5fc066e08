package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/gctune/gctune/harness/load"
)

// readyPoll is how often a starting server is asked.
const readyPoll = 50 * time.Millisecond

// awaitReady asks until the expected answer comes, the server ends, or the time
// is up. A port that accepts is not enough: servers accept long before they
// answer.
func (x *session) awaitReady(ctx context.Context) error {
	timeout, started := x.readyTimeout(), time.Now()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	wrong, silent := reminder{soon}, reminder{max(late, usual*x.startExpected())}
	last := load.Outcome{Failure: "nothing"}
	for {
		waited := time.Since(started)
		if waited >= timeout {
			return x.trial.broken("was not ready within %s: the last try gave %q%s%s", timeout, last.Failure, readyHint(last, x.server.Ready), lastWords(x.tree))
		}
		patience := &silent
		if last.Status != 0 {
			patience = &wrong
		}
		if x.server.Tell != nil && patience.due(waited) {
			x.server.Tell(fmt.Sprintf("waiting for the server, %s of at most %s: the last try gave %q%s",
				waited.Round(time.Second), timeout, last.Failure, readyHint(last, x.server.Ready)))
		}
		outcome, err := load.Get(ctx, target(x.port), x.server.Ready, timeout-waited)
		if err != nil {
			return err
		}
		if outcome.Class == load.Expected {
			x.answered++
			return nil
		}
		last = outcome
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-x.tree.Done():
			return ended(x.tree, x.trial, x.server.MemoryCeiling, "before it was ready")
		case <-poll.C:
		}
	}
}

// readyHint says what to do about a server that is up and answers something else
// than was asked for; nothing of one that does not answer yet.
func readyHint(last load.Outcome, ready load.Request) string {
	if last.Status == 0 {
		return ""
	}
	return fmt.Sprintf(": it is up, so name a page that answers %d in server.ready.path, or the status that is right in server.ready.status", ready.Expect.Status)
}

// reminder says when somebody who waits should hear of it: at first after a time, and then
// ever more rarely.
type reminder struct{ next time.Duration }

// An answer that is not the one asked for is told of soon; that there is none yet, not
// before it takes longer than servers usually do, and usual times as long as the baseline's.
const (
	soon  = 5 * time.Second
	late  = 20 * time.Second
	usual = 3
)

// startExpected is 0 where no baseline has shown it.
func (x *session) startExpected() time.Duration {
	return time.Duration(x.trial.StartSeconds * float64(time.Second))
}

// due reports whether it is time to tell again.
func (r *reminder) due(waited time.Duration) bool {
	if waited < r.next {
		return false
	}
	for waited >= r.next {
		r.next *= 2
	}
	return true
}

// A start is given up after slowStart times the baseline's, but not before
// leastStart: a busy machine may well take that long.
const (
	slowStart  = 10
	leastStart = 15 * time.Second
)

// readyTimeout is the configured one, or less where the baseline has shown that
// less is plenty.
func (x *session) readyTimeout() time.Duration {
	if x.trial.StartSeconds == 0 {
		return x.server.ReadyTimeout
	}
	plenty := time.Duration(slowStart * x.trial.StartSeconds * float64(time.Second)).Round(time.Second)
	return min(x.server.ReadyTimeout, max(plenty, leastStart))
}
