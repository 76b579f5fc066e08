package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/process"
)

// Batch measures a program that runs to its end.
type Batch struct {
	Program
	// Work is how much one run does, in units of the user's own.
	Work float64
	// Timeout ends a run that takes longer.
	Timeout time.Duration
}

var _ Workload = (*Batch)(nil)

// Run runs the program once with the trial's setting.
func (b *Batch) Run(ctx context.Context, t Trial) (Result, error) {
	started := time.Now()
	pr, err := installProbe()
	if err != nil {
		return Result{}, err
	}
	metrics, warnings, err := b.measure(ctx, t, pr)
	log, unlogged := b.log(pr, err)
	result, err := conclude(ctx, started, metrics, append(warnings, unlogged...), errors.Join(err, pr.remove()))
	result.Log = log
	return result, err
}

// mostProcesses of a program have their collections kept: those with the most.
const mostProcesses = 16

// log is what the program's processes have reported at their end, unless the run came
// to nothing.
func (b *Batch) log(pr *probing, failure error) (*Log, []string) {
	if failure != nil {
		return nil, nil
	}
	var logging []probe.Report
	for _, r := range probe.Left(pr.dir) {
		if r.HasLog {
			logging = append(logging, r)
		}
	}
	// Each of a thousand short-lived children would begin with its parent's collections.
	slices.SortStableFunc(logging, func(a, b probe.Report) int { return cmp.Compare(b.Recorded(), a.Recorded()) })
	ran := len(logging)
	logging = logging[:min(ran, mostProcesses)]
	log, err := pr.log(logging, func(r probe.Report) []Mark {
		end := markOf(MarkWindow, r)
		end.Requests = b.Work
		return []Mark{{Name: MarkBoot, Collections: r.Begun}, end}
	})
	if log != nil && ran > mostProcesses {
		log.Ran = ran
	}
	if err != nil {
		return log, []string{unlogged(err)}
	}
	return log, nil
}

func (b *Batch) measure(ctx context.Context, t Trial, pr *probing) (metrics map[string]float64, warnings []string, err error) {
	if err := b.taken(ctx, t); err != nil {
		return nil, nil, err
	}
	own, err := b.probed(pr, true)
	if err != nil {
		return nil, nil, err
	}
	own[probe.AtExitVariable] = "1"
	maps.Copy(own, t.Setting)
	began := time.Now()
	tree, err := b.start(t, b.places(), own, nil)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, stop(ctx, tree)) }()
	memory, sampled := tree.StartSampling(batchMemoryInterval), time.Now()
	defer memory.Stop()
	watch := b.watch(tree)
	if err := b.await(ctx, tree, pr, t); err != nil {
		return nil, nil, err
	}
	seconds := time.Since(began).Seconds()
	cpuSeconds, err := tree.CPU()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the program's CPU time: %w", err)
	}
	disturbed := watch.end()
	if err := seen(memory.Stop(), time.Since(sampled).Seconds()); err != nil {
		return nil, nil, err
	}
	metrics, warnings, err = b.metrics(seconds, cpuSeconds, memory.Stop())
	maps.Copy(metrics, disturbed)
	return metrics, warnings, err
}

// briefBatch is how long a batch should run at least for its figures to be those
// of its work.
const briefBatch = 500 * time.Millisecond

// batchMemoryInterval is short, as a batch may be: what it had in its last
// moments must be among the samples.
const batchMemoryInterval = 5 * time.Millisecond

// A peak is one of what was seen: with fewer samples, or where more of the run was
// unseen, it may be that of a program that has hardly begun.
const (
	fewestSamples = 5
	mostUnseen    = 0.5
)

// seen voids a run in which memory was looked at too rarely to know its peak.
func seen(m process.MemorySummary, seconds float64) error {
	const advice = "so its peak is not known: give the program more work, or measure when the machine is less busy"
	if m.Samples < fewestSamples {
		times := fmt.Sprintf("%d times", m.Samples)
		if m.Samples == 1 {
			times = "1 time"
		}
		return voided("memory was seen only %s in a run of %.2f s, %s", times, seconds, advice)
	}
	unseen, last := 0.0, 0.0
	for _, s := range m.Times {
		unseen, last = max(unseen, s.Seconds-last), s.Seconds
	}
	if unseen = max(unseen, seconds-last); unseen > mostUnseen*seconds {
		return voided("memory was not seen for %.2f s of a run of %.2f s, %s", unseen, seconds, advice)
	}
	return nil
}

// askInterval is how often the processes of a batch are asked for reports, so that
// they keep few records of collections. Nobody waits for these reports.
const askInterval = time.Second

// provePoll is how often a starting program is asked whether it is Ruby yet.
const provePoll = 10 * time.Millisecond

// await waits for the program's end, and reads the setting back as soon as one
// of its processes runs the interpreter.
func (b *Batch) await(ctx context.Context, tree *process.Tree, pr *probing, t Trial) error {
	timeout := time.NewTimer(b.Timeout)
	defer timeout.Stop()
	poll := time.NewTicker(provePoll)
	defer poll.Stop()
	asking := time.NewTicker(askInterval)
	defer asking.Stop()
	tick, proved := poll.C, false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout.C:
			return t.broken("took longer than %s and was stopped%s", b.Timeout, lastWords(tree))
		case <-tree.Done():
			return b.verdict(tree, t, proved)
		case <-asking.C:
			workers, err := b.interpreters(tree)
			if err != nil {
				return err
			}
			for _, w := range workers {
				_ = ask(w.PID) // one that has not loaded the probe, or has ended
			}
		case <-tick:
			workers, err := b.interpreters(tree)
			if err != nil {
				return err
			}
			if len(workers) == 0 {
				continue
			}
			if err := b.prove(ctx, tree, pr, t); err != nil {
				return err
			}
			proved, tick = true, nil
		}
	}
}

// verdict judges a program that has ended.
func (b *Batch) verdict(tree *process.Tree, t Trial, proved bool) error {
	if tree.ExitError() != nil || tree.CeilingExceeded() {
		return ended(tree, t, b.MemoryCeiling, "before its work was done")
	}
	if left, err := b.interpreters(tree); err == nil && len(left) > 0 {
		return failed("the program ended but left %s at work: give a command that waits for its work, and does not daemonise", left[0])
	}
	if !proved {
		return failed("the program ended before any process of it was seen to run %s: make `ruby` the interpreter that the command really uses, or give it more work", b.Interpreter.Executable)
	}
	return nil
}

func (b *Batch) metrics(seconds, cpuSeconds float64, m process.MemorySummary) (map[string]float64, []string, error) {
	metrics := map[string]float64{
		"work":            b.Work,
		"window_seconds":  seconds,
		"cpu_seconds":     cpuSeconds,
		"work_per_second": b.Work / seconds,
	}
	if cpuSeconds > 0 {
		metrics["work_per_cpu_second"] = b.Work / cpuSeconds
	}
	warnings := memoryMetrics(metrics, m)
	if seconds < briefBatch.Seconds() {
		warnings = append(warnings, fmt.Sprintf("one run took only %.2f s: start-up is much of it, and memory was seen %d times; more work gives better figures", seconds, m.Samples))
	}
	return metrics, warnings, nil
}
