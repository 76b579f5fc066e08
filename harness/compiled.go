package harness

import (
	"context"
	"errors"

	"github.com/gctune/gctune/harness/ruby/source"
)

// Compiled measures settings that are compiled into the interpreter: each has an
// interpreter of its own, and reaches the program by no other way.
type Compiled struct {
	// Prepare builds the interpreter of a setting and returns the workload that
	// uses it, and what gives the build free again.
	Prepare func(ctx context.Context, setting map[string]string) (Workload, func(), error)
}

var (
	_ Workload       = (*Compiled)(nil)
	_ PairedWorkload = (*Compiled)(nil)
)

// Run builds the setting's interpreter and measures with it. A build that fails
// makes the setting infeasible.
func (c *Compiled) Run(ctx context.Context, t Trial) (Result, error) {
	w, release, err := c.Prepare(ctx, t.Setting)
	if err != nil {
		return unbuilt(ctx, t, err)
	}
	defer release()
	result, err := w.Run(ctx, t.compiledIn())
	return t.attribute(result), err
}

// RunPair measures two interpreters as twins.
func (c *Compiled) RunPair(ctx context.Context, setting, baseline Trial, baselineFirst bool) (ofSetting, ofBaseline Result, err error) {
	a, releaseA, err := c.Prepare(ctx, setting.Setting)
	if err != nil {
		ofSetting, err = unbuilt(ctx, setting, err)
		return ofSetting, Result{}, err
	}
	defer releaseA()
	b, releaseB, err := c.Prepare(ctx, baseline.Setting)
	if err != nil {
		ofBaseline, err = unbuilt(ctx, baseline, err)
		return Result{}, ofBaseline, err
	}
	defer releaseB()
	serverA, okA := a.(*Server)
	serverB, okB := b.(*Server)
	if !okA || !okB {
		return Result{}, Result{}, ErrNoTwins
	}
	ofSetting, ofBaseline, err = RunTwins(ctx, serverA, serverB, setting.compiledIn(), baseline.compiledIn(), baselineFirst)
	return setting.attribute(ofSetting), baseline.attribute(ofBaseline), err
}

// compiledIn is the trial as the program sees it: its setting is not in the
// environment.
func (t Trial) compiledIn() Trial {
	t.Setting = nil
	return t
}

// attribute blames a setting that was compiled in for a program that does not
// work with it.
func (t Trial) attribute(r Result) Result {
	if r.State == Failed && len(t.Setting) > 0 {
		r.State = Infeasible
	}
	return r
}

func unbuilt(ctx context.Context, t Trial, err error) (Result, error) {
	var build *source.BuildError
	var value *source.ValueError
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.As(err, &build) && build.Unedited:
		return Result{State: Failed, Reason: printableLines(err.Error())}, nil
	case errors.As(err, &build), errors.As(err, &value):
		return t.attribute(Result{State: Failed, Reason: printableLines(err.Error())}), nil
	}
	return Result{}, err
}
