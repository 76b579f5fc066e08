package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errNoProgress ends load that a server has stopped answering.
var errNoProgress = errors.New("the server stopped answering")

// Load may take patienceFactor times as long as it should, and leastPatience at
// least: a busy machine must not void a run, and a server that has gone silent
// must not hold a study up for as long as all requests take to time out.
const (
	patienceFactor = 20
	leastPatience  = 60 * time.Second
)

// expected is how long the load of a number of requests should take.
func (x *session) expected(requests int) time.Duration {
	pace := x.pace
	if rate := x.server.Plan.Rate; rate > 0 {
		pace = rate
	}
	if pace <= 0 { // nothing is known before the first warm-up
		return 0
	}
	return time.Duration(float64(requests) / pace * float64(time.Second))
}

// patiently drives load for no longer than can be justified.
func patiently[T any](ctx context.Context, expected time.Duration, drive func(context.Context) (T, error)) (T, error) {
	limit := max(leastPatience, patienceFactor*expected)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errNoProgress)
	defer cancel()
	result, err := drive(limited)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(limited), errNoProgress) {
		return result, fmt.Errorf("%w: its load should have taken %s and was given up after %s", errNoProgress, expected.Round(time.Second), limit.Round(time.Second))
	}
	return result, err
}

// silent turns a server that stopped answering into a fault.
func (x *session) silent(err error) error {
	if errors.Is(err, errNoProgress) {
		return x.trial.broken("%v%s", err, lastWords(x.tree))
	}
	return err
}
