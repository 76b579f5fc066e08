package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gctune/gctune/harness/load"
)

// Server measures an HTTP server under load.
type Server struct {
	Program
	// Ready is the request whose answer shows that the server is up, and how
	// long to wait for it.
	Ready        load.Request
	ReadyTimeout time.Duration
	// Tell is told, in one line, what a server that is slow to start is waited for;
	// nil for nobody.
	Tell func(text string)
	// Plan is the load; its Target is filled in for each run.
	Plan load.Plan
	// Warmup is a number of requests; 0 goes on until the heap is steady.
	Warmup int
	// Window is how much is measured.
	Window Window
	// Isolation gives server and load driver cores of their own.
	Isolation Isolation
}

// Window is how much of a load is measured: a number of requests, or a duration;
// when both are 0, about DefaultWindow worth of requests.
type Window struct {
	Requests int
	Duration time.Duration
}

// DefaultWindow is how long a window should take when its size is not given: at
// some 5 % noise from run to run, more than a few seconds buys little.
const DefaultWindow = 3 * time.Second

// TwinWindow is the same for each side of a pair. It has to see many collections: of a
// Rails application with 1.5 million slots, which collects every 50 requests, windows
// of 100 requests told a throughput that was wrong by 4 %, and by the same in every
// pair, windows of 300 by 1 %.
const TwinWindow = 5 * time.Second

var (
	_ Workload       = (*Server)(nil)
	_ PairedWorkload = (*Server)(nil)
)

// Run starts the server with the trial's setting, warms it up, measures one
// window of load, and ends it.
func (s *Server) Run(ctx context.Context, t Trial) (Result, error) {
	started := time.Now()
	x := &session{server: s, trial: t, recorder: recorder{on: true}}
	metrics, err := s.measure(ctx, x)
	if closing := x.close(ctx); closing != nil {
		err = errors.Join(err, closing)
	}
	result, err := conclude(ctx, started, metrics, x.warnings, err)
	result.Facts, result.Log = x.facts, x.recorder.logOf(result)
	return result, err
}

func (s *Server) measure(ctx context.Context, x *session) (map[string]float64, error) {
	if err := x.open(ctx); err != nil {
		return nil, err
	}
	if err := x.markBoot(ctx); err != nil {
		return nil, err
	}
	if err := x.preflight(ctx); err != nil {
		return nil, err
	}
	if err := x.isolate(ctx); err != nil {
		return nil, err
	}
	if x.trial.Lengths != nil && s.Plan.Rate == 0 {
		return x.measureAsNeeded(ctx)
	}
	if err := x.warmUp(ctx); err != nil {
		return nil, err
	}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	watch := x.server.watch(x.tree)
	report, err := x.drive(ctx, x.window(DefaultWindow))
	if err != nil {
		return nil, err
	}
	disturbance := watch.end()
	metrics, err := x.finish(ctx, report)
	if err == nil {
		maps.Copy(metrics, disturbance)
	}
	return metrics, err
}

// drive sends load, for as long as it can be expected to take.
func (x *session) drive(ctx context.Context, until load.Until) (load.Report, error) {
	expected := until.Duration
	if until.Requests > 0 {
		expected = x.expected(until.Requests)
	}
	report, err := patiently(ctx, expected, func(ctx context.Context) (load.Report, error) { return x.driver.Run(ctx, until) })
	return report, x.silent(err)
}

// window fixes the number of requests, by the pace where it is given neither that nor
// a duration. A study's later runs do as many as its first.
func (x *session) window(byPace time.Duration) load.Until {
	w := x.server.Window
	switch {
	case x.trial.Requests > 0:
		return load.Until{Requests: x.trial.Requests}
	case w.Requests > 0:
		return load.Until{Requests: w.Requests}
	case w.Duration > 0:
		return load.Until{Duration: w.Duration}
	}
	return load.Until{Requests: min(max(int(x.pace*byPace.Seconds()), minWindow), maxWindow)}
}

// Bounds of an automatic window: below, the percentiles mean nothing; above,
// pages are so cheap that more of them add nothing.
const (
	minWindow = 100
	maxWindow = 20000
)

// RunPair measures a setting and the baseline as twins: two servers alive at
// once, single requests in alternation.
func (s *Server) RunPair(ctx context.Context, setting, baseline Trial, baselineFirst bool) (ofSetting, ofBaseline Result, err error) {
	return RunTwins(ctx, s, s, setting, baseline, baselineFirst)
}

// RunTwins is RunPair for two servers that may have interpreters of their own, and
// otherwise get the same load.
func RunTwins(ctx context.Context, ofA, ofB *Server, setting, baseline Trial, baselineFirst bool) (ofSetting, ofBaseline Result, err error) {
	started := time.Now()
	a, b := &session{server: ofA.halved(), trial: setting}, &session{server: ofB.halved(), trial: baseline}
	order := []*session{a, b}
	if baselineFirst {
		order = []*session{b, a}
	}
	err = measurePair(ctx, order, a, b)
	for _, x := range []*session{order[1], order[0]} {
		if closing := x.close(ctx); closing != nil {
			err = errors.Join(err, closing)
		}
	}
	ofSetting, errA := a.conclude(ctx, started, err)
	ofBaseline, errB := b.conclude(ctx, started, err)
	return ofSetting, ofBaseline, cmp.Or(errA, errB)
}

// halved is the server with half the memory: two at once may take no more than
// one alone.
func (s *Server) halved() *Server {
	half := *s
	half.MemoryCeiling /= 2
	return &half
}

// measurePair does everything in the order of starting: what it does to the figures
// to come first at some step then cancels with the order over pairs of processes.
func measurePair(ctx context.Context, order []*session, setting, baseline *session) error {
	requests := 0
	for _, step := range []func(context.Context, []*session) error{
		inTurn((*session).open), inTurn((*session).isolate), warmBoth,
		func(ctx context.Context, order []*session) error {
			requests = baseline.twinRequests()
			return setting.putOff(ctx, order, int(baseline.trial.Phase*float64(requests)/2))
		},
		inTurn((*session).begin),
	} {
		if err := step(ctx, order); err != nil {
			return err
		}
	}
	reports, err := setting.driveBoth(ctx, order, requests)
	if err != nil {
		return err
	}
	for i, x := range order {
		if x.metrics, err = x.finish(ctx, reports[i]); err != nil {
			return x.blame(err)
		}
	}
	return nil
}

// twinRequests is the size of a pair's window.
func (x *session) twinRequests() int {
	until := x.window(TwinWindow)
	if until.Requests == 0 { // a duration: as many requests as fit it
		return max(minWindow, int(x.pace*until.Duration.Seconds()))
	}
	return until.Requests
}

// putOff sends more of the load that is not counted.
func (x *session) putOff(ctx context.Context, order []*session, requests int) error {
	if requests == 0 {
		return nil
	}
	_, err := x.driveBoth(ctx, order, requests)
	for _, side := range order {
		side.warmupRequests += requests
		side.answered += requests
	}
	return err
}

// driveBoth sends single requests to both in alternation, for as long as that can be
// expected to take. What goes wrong is put down to x where nobody is known to be at
// fault.
func (x *session) driveBoth(ctx context.Context, order []*session, requests int) (reports [2]load.Report, err error) {
	first, second := order[0], order[1]
	_, err = patiently(ctx, first.expected(requests)+second.expected(requests), func(ctx context.Context) (_ struct{}, err error) {
		reports[0], reports[1], err = x.server.driveTwins(ctx, first.driver, second.driver, requests)
		return struct{}{}, err
	})
	if err != nil {
		return reports, x.blame(x.silent(err))
	}
	return reports, nil
}

func inTurn(step func(*session, context.Context) error) func(context.Context, []*session) error {
	return func(ctx context.Context, order []*session) error {
		for _, x := range order {
			if err := step(x, ctx); err != nil {
				return x.blame(err)
			}
		}
		return nil
	}
}

// warmBoth warms both up at the same time. Where the one that had been started
// first was also warmed up first, it took 2.3 ± 0.6 % more CPU time for a request
// than its equal (8 pairs of a Rails application; likewise on one core alone, and
// without randomised addresses). Warmed up together they were equal, within 0.3 %.
// Why is not known.
func warmBoth(ctx context.Context, order []*session) error {
	both, ctx := errgroup.WithContext(ctx)
	for _, x := range order {
		both.Go(func() error { return x.blame(x.warmUp(ctx)) })
	}
	return both.Wait()
}

// driveTwins alternates single requests; in an open loop, where requests do not
// wait for one another, both get theirs at the same time.
func (s *Server) driveTwins(ctx context.Context, a, b *load.Driver, requests int) (ofA, ofB load.Report, err error) {
	if s.Plan.Rate == 0 {
		return load.Alternate(ctx, a, b, requests)
	}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) { ofA, err = a.Run(ctx, load.Until{Requests: requests}); return err })
	both.Go(func() (err error) { ofB, err = b.Run(ctx, load.Until{Requests: requests}); return err })
	err = both.Wait()
	return ofA, ofB, err
}

// blame marks the session that a fault is of, in a pair.
func (x *session) blame(err error) error {
	var f *fault
	x.faulty = errors.As(err, &f)
	return err
}

// conclude is the result of one side of a pair: where the other side is at
// fault, this one has no state.
func (x *session) conclude(ctx context.Context, started time.Time, err error) (Result, error) {
	result, err := conclude(ctx, started, x.metrics, x.warnings, err)
	result.Facts = x.facts
	if err == nil && result.State != Complete && !x.faulty {
		return Result{}, nil
	}
	return result, err
}

// target is the address of a server under test. Nothing listens elsewhere than
// on the loopback interface.
func target(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
