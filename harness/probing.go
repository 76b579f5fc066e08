package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/process"
)

// probing is the probe installed for one run.
type probing struct{ dir string }

// installProbe puts the probe into a directory of its own, which the program
// can write to also when it runs as another user.
func installProbe() (*probing, error) {
	dir, err := os.MkdirTemp("", scratchPattern("probe"))
	if err != nil {
		return nil, fmt.Errorf("making a directory for the probe: %w", err)
	}
	p := &probing{dir}
	if err := os.Chmod(dir, 0o1777); err != nil {
		_ = p.remove()
		return nil, fmt.Errorf("opening the probe's directory to the program: %w", err)
	}
	if _, err := probe.Install(dir); err != nil {
		_ = p.remove()
		return nil, fmt.Errorf("installing the probe: %w", err)
	}
	return p, nil
}

func (p *probing) remove() error { return os.RemoveAll(p.dir) }

// probed returns the variables that load the probe into the program. A log that the
// interpreter writes itself is kept where it is to be recorded: see logsItself.
func (p Program) probed(pr *probing, recorded bool) (map[string]string, error) {
	list, err := probe.Env(pr.dir, p.inherited("RUBYOPT"))
	if err != nil {
		return nil, fmt.Errorf("loading the probe: %w (set TMPDIR to a directory without blanks)", err)
	}
	if p.Unrecorded {
		return variablesOf(append(list, probe.ProgramVariable+"=none")), nil
	}
	list = append(list, probe.ProgramVariable+"="+p.Interpreter.Executable)
	if recorded && p.logsItself() {
		own, err := probe.OwnLog(pr.dir)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	return variablesOf(list), nil
}

func variablesOf(list []string) map[string]string {
	variables := make(map[string]string, len(list))
	for _, entry := range list {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	return variables
}

// reportTimeout is how long a process may take to answer the probe. It answers
// between two instructions, so only a stuck one takes this long.
const reportTimeout = 5 * time.Second

func (p *probing) read(ctx context.Context, worker process.Process) (probe.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	return probe.Read(ctx, p.dir, worker.PID, ask)
}

// errNoProbe says that a process has no handler for the probe's signal, which
// would end it.
var errNoProbe = errors.New("the process has not loaded the probe")

func ask(pid int) error {
	catches, err := process.Catches(pid, probe.Signal)
	if err != nil {
		return err
	}
	if !catches {
		return errNoProbe
	}
	return probe.Ask(pid)
}

// worker is a process that runs the interpreter under test.
type worker struct {
	process.Process
	// report is what the probe said; nil where the process does not answer it.
	report *probe.Report
	// rss and peakRSS are its memory in bytes, where a snapshot was taken.
	rss, peakRSS int64
}

// workers looks at every process of the tree that runs the interpreter.
func (p Program) workers(ctx context.Context, tree *process.Tree, pr *probing) (map[int]worker, error) {
	running, err := p.interpreters(tree)
	if err != nil {
		return nil, err
	}
	workers := make(map[int]worker, len(running))
	for _, q := range running {
		w := worker{Process: q}
		report, err := pr.read(ctx, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			w.report = &report
		}
		workers[q.PID] = w
	}
	return workers, nil
}

// serving are the workers that answer requests: a preforking server's master
// only watches, so what has children among the workers is left out.
func serving(workers map[int]worker) []worker {
	parents := map[int]bool{}
	for _, w := range workers {
		parents[w.PPID] = true
	}
	var leaves []worker
	for pid, w := range workers {
		if !parents[pid] {
			leaves = append(leaves, w)
		}
	}
	return leaves
}
