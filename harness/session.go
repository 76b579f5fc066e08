package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/gctune/gctune/harness/load"
	"github.com/gctune/gctune/harness/process"
)

// session is one server from its start to its end.
type session struct {
	server   *Server
	trial    Trial
	port     int
	tree     *process.Tree
	driver   *load.Driver
	probe    *probing
	warnings []string

	startSeconds   float64
	warmupRequests int
	pace           float64 // requests per second, seen in warm-up
	before         snapshot
	facts          map[string]string
	memory         *process.Sampler

	release func() error // gives this process its cores back; nil: it has them all

	answered int // requests since the start
	recorder recorder

	metrics map[string]float64 // of one side of a pair, once it is measured
	faulty  bool               // the pair failed because of this side
}

// open starts the server and waits until it answers and has the setting.
func (x *session) open(ctx context.Context) error {
	if err := x.server.taken(ctx, x.trial); err != nil {
		return err
	}
	started := time.Now()
	if err := x.start(); err != nil {
		return err
	}
	if err := x.awaitReady(ctx); err != nil {
		return err
	}
	x.startSeconds = time.Since(started).Seconds()
	if err := x.server.prove(ctx, x.tree, x.probe, x.trial); err != nil {
		// A server that died is the better explanation.
		return cmp.Or(x.alive("while it was checked"), err)
	}
	return nil
}

func (x *session) workers(ctx context.Context) (map[int]worker, error) {
	return x.server.workers(ctx, x.tree, x.probe)
}

func (x *session) start() error {
	port, err := process.FreePort()
	if err != nil {
		return fmt.Errorf("looking for a free port: %w", err)
	}
	x.port = port
	if x.probe, err = installProbe(); err != nil {
		return err
	}
	plan := x.server.Plan
	plan.Target = target(port)
	if x.driver, err = load.New(plan); err != nil {
		return err
	}
	own, err := x.server.probed(x.probe, x.recorder.on)
	if err != nil {
		return err
	}
	maps.Copy(own, x.trial.Setting)
	x.tree, err = x.server.start(x.trial, x.server.places("{port}", strconv.Itoa(port)), own, nil)
	return err
}

// preflight sends each request once when the baseline is measured, so that a
// wrong set-up is told as such and not as a poor score.
func (x *session) preflight(ctx context.Context) error {
	if len(x.trial.Setting) > 0 {
		return nil
	}
	plan := x.server.Plan
	plan.Target = target(x.port)
	err := load.Check(ctx, plan)
	x.answered += len(plan.Requests)
	var setup *load.SetupError
	if errors.As(err, &setup) {
		return failed("%v", err)
	}
	return err
}

// alive reports the server's end as the fault that it is.
func (x *session) alive(when string) error {
	select {
	case <-x.tree.Done():
		return ended(x.tree, x.trial, x.server.MemoryCeiling, when)
	default:
		return nil
	}
}

// close ends everything that the session began. The port must be free
// afterwards, or the next run could be answered by this one's server.
func (x *session) close(ctx context.Context) error {
	if x.memory != nil {
		x.memory.Stop()
	}
	if x.driver != nil {
		x.driver.Close()
	}
	var errs []error
	if x.release != nil {
		errs = append(errs, x.release())
	}
	if x.tree != nil {
		errs = append(errs, stop(ctx, x.tree))
		if !process.PortFree(x.port) {
			errs = append(errs, fmt.Errorf("port %d is still taken after its server ended: find the process with `ss -ltnp`", x.port))
		}
	}
	if x.probe != nil {
		errs = append(errs, x.probe.remove())
	}
	return errors.Join(errs...)
}

func (x *session) warn(format string, args ...any) {
	x.warnings = append(x.warnings, fmt.Sprintf(format, args...))
}
