package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gctune/gctune/objective"
)

var (
	studyName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	method    = regexp.MustCompile(`^[A-Z]+$`)
)

// checkWorkload sees that there is exactly one workload, and completes it.
func (c *Config) checkWorkload() error {
	var have []string
	for _, workload := range []struct {
		name  string
		given bool
	}{{"server", c.Server != nil}, {"batch", c.Batch != nil}, {"external", c.External != nil}} {
		if workload.given {
			have = append(have, workload.name)
		}
	}
	switch {
	case len(have) == 0:
		return fault(Position{}, "there is nothing to measure: write server and load, or batch, or external")
	case len(have) > 1:
		return fault(c.At(have[1]), "there is more than one workload (%s): keep one", strings.Join(have, ", "))
	case c.Server == nil && c.Load != nil:
		return fault(c.At("load"), "load goes with server, not with %s", have[0])
	}
	switch {
	case c.Server != nil:
		return c.completeServer()
	case c.Batch != nil:
		return c.completeBatch()
	}
	return c.completeExternal()
}

func (c *Config) completeServer() error {
	s := c.Server
	if len(s.Command) == 0 {
		return fault(c.At("server"), "server.command is missing: the words that start the server, with {port} where the port goes")
	}
	if !strings.Contains(strings.Join(s.Command, "\x00")+"\x00"+joinValues(s.Env), "{port}") {
		return fault(c.At("server.command"), "server.command has no {port}: each run gets a free port, and the server must be told which")
	}
	s.Dir = c.resolve(s.Dir)
	setDefault(&s.Ready.Path, "/")
	setDefault(&s.Ready.Status, 200)
	setDefault(&s.Ready.Timeout, Duration(60*time.Second))
	if !strings.HasPrefix(string(s.Ready.Path), "/") {
		return fault(c.At("server.ready.path"), "the path %q must begin with /", s.Ready.Path)
	}
	s.Stop.complete()
	if c.Load == nil || len(c.Load.Requests) == 0 {
		return fault(c.At("load"), "load.requests is missing: what to ask the server, such as [GET /]")
	}
	return c.completeLoad()
}

func joinValues(m TextMap) string {
	var all strings.Builder
	for _, v := range m {
		all.WriteString(v + "\x00")
	}
	return all.String()
}

func (c *Config) completeLoad() error {
	l := c.Load
	if l.Rate == 0 { // an open loop opens as many connections as it takes
		setDefault(&l.Concurrency, 1)
	}
	setDefault(&l.Timeout, Duration(30*time.Second))
	for i := range l.Requests {
		r, at := &l.Requests[i], fmt.Sprintf("load.requests[%d]", i)
		setDefault(&r.Method, "GET")
		setDefault(&r.Weight, 1)
		setDefault(&r.Expect.Status, 200)
		if !method.MatchString(string(r.Method)) {
			return fault(c.At(at), "%q is not a method such as GET or POST", r.Method)
		}
		if !strings.HasPrefix(string(r.Path), "/") {
			return fault(c.At(at), "the path %q must begin with /", r.Path)
		}
		if r.Expect.Status < 100 || r.Expect.Status > 599 {
			return fault(c.At(at), "%d is not an HTTP status", r.Expect.Status)
		}
	}
	setDefault(&l.Isolate, "auto")
	if !slices.Contains([]Text{"auto", "on", "off"}, l.Isolate) {
		return fault(c.At("load.isolate"), "load.isolate is auto, on or off, not %q", l.Isolate)
	}
	if l.Warmup.Duration != 0 {
		return fault(c.At("load.warmup"), "load.warmup is auto or a number of requests, not a duration")
	}
	return c.completeLengths()
}

// usualError is the standard error of throughput that a window may end at: beyond it
// other errors, of what a setting does besides collection, are larger.
const usualError = 0.03

func (c *Config) completeLengths() error {
	l := c.Load
	bounded := l.Least > 0 || l.Most > 0 || l.Error > 0
	switch {
	case l.Lengths != "" && l.Lengths != Adaptive && l.Lengths != Fixed:
		return fault(c.At("load.lengths"), "load.lengths is adaptive or fixed, not %q", l.Lengths)
	case l.Lengths == Adaptive && !l.CanAdapt():
		return fault(c.At("load.lengths"), "lengths cannot be adaptive beside a rate, or a measure that is not auto")
	case l.Lengths != Adaptive && bounded:
		return fault(c.At("load"), "least, most and error are bounds of adaptive lengths: add lengths: adaptive, or leave them out")
	case l.Least > l.Most && l.Most > 0:
		return fault(c.At("load.least"), "load.least must be at most load.most, %d", l.Most)
	case l.Error >= 1:
		return fault(c.At("load.error"), "load.error is a part of the throughput, such as 0.02 for 2 %%")
	}
	setDefault(&l.Error, usualError)
	return nil
}

// CanAdapt says whether lengths can be adaptive: what is given is fixed, and what has
// a timetable cannot be cut.
func (l *Load) CanAdapt() bool { return l.Measure.Auto() && l.Rate == 0 }

func (c *Config) completeBatch() error {
	b := c.Batch
	if len(b.Command) == 0 {
		return fault(c.At("batch"), "batch.command is missing: the words that start the program")
	}
	if b.Work == 0 {
		return fault(c.At("batch"), "batch.work is missing: how many units of work one run does (tests, jobs, rows)")
	}
	b.Dir = c.resolve(b.Dir)
	setDefault(&b.Timeout, Duration(time.Hour))
	b.Stop.complete()
	return nil
}

func (c *Config) completeExternal() error {
	e := c.External
	if len(e.Command) == 0 {
		return fault(c.At("external"), "external.command is missing: the words that start the measuring program")
	}
	e.Dir = c.resolve(e.Dir)
	setDefault(&e.Timeout, Duration(time.Hour))
	e.Stop.complete()
	if c.Search.Parameters == nil && !c.RubyGiven {
		return fault(c.At("external"), "search.parameters is missing: an external program does not tell its parameters; name them, or name a ruby whose parameters to take")
	}
	return nil
}

func (s *StopRule) complete() {
	setDefault(&s.Signal, Signal(syscall.SIGTERM))
	setDefault(&s.Grace, Duration(10*time.Second))
}

func (c *Config) resolve(dir Text) Text {
	if filepath.IsAbs(string(dir)) {
		return dir
	}
	return Text(filepath.Join(c.Dir, string(dir)))
}

// completeObjectives fills in the workload's usual objectives, and the limit on
// wrong answers of a server.
func (c *Config) completeObjectives() {
	switch {
	case c.Server != nil:
		setDefault(&c.Objectives.Throughput, "requests_per_cpu_second")
		setDefault(&c.Objectives.Memory, "memory_pss_peak_bytes")
		c.limitErrors()
	case c.Batch != nil:
		setDefault(&c.Objectives.Throughput, "work_per_second")
		setDefault(&c.Objectives.Memory, "memory_pss_peak_bytes")
	default:
		setDefault(&c.Objectives.Throughput, "throughput")
		setDefault(&c.Objectives.Memory, "memory")
	}
}

func (c *Config) limitErrors() {
	for _, constraint := range c.Constraints {
		if constraint.Metric == "error_share" {
			return
		}
	}
	none := objective.Constraint{Metric: "error_share", AtMost: true, Value: 0, Text: "error_share <= 0"}
	c.Constraints = append(c.Constraints, none)
}
