package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/gctune/gctune/bench/problems"
)

//go:embed optuna.py
var optunaScript string

// errNoOptuna: no Python here has Optuna.
var errNoOptuna = errors.New("no python3 here has Optuna: install it (on Debian and Ubuntu: apt-get install python3-optuna), or name another Python with -python")

// optunaNames are the searches of Optuna that take part. Those that end in -told
// are told the reference point, as gctune's samplers are.
func optunaNames() []string {
	return []string{"optuna-tpe", "optuna-tpe-told", "optuna-nsga2", "optuna-nsga2-told"}
}

// optuna runs Optuna in Python processes that are used again, since starting one
// takes longer than a search.
type optuna struct {
	python, version string
	mutex           sync.Mutex
	idle            []*pythonProcess
}

// newOptuna looks for a Python with Optuna; the error is errNoOptuna when there
// is none.
func newOptuna(python string) (*optuna, error) {
	candidates := []string{"python3", "/usr/bin/python3"} // Debian's packages are for the second
	if python != "" {
		candidates = []string{python}
	}
	for _, candidate := range candidates {
		version, err := exec.Command(candidate, "-W", "ignore", "-c", "import optuna; print(optuna.__version__)").Output()
		if err == nil {
			return &optuna{python: candidate, version: strings.TrimSpace(string(version))}, nil
		}
	}
	return &optuna{}, errNoOptuna
}

// take returns a process that nobody uses.
func (o *optuna) take() (*pythonProcess, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if n := len(o.idle); n > 0 {
		p := o.idle[n-1]
		o.idle = o.idle[:n-1]
		return p, nil
	}
	return startPython(o.python)
}

func (o *optuna) giveBack(p *pythonProcess) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.idle = append(o.idle, p)
}

// close ends the processes that nobody uses.
func (o *optuna) close() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, p := range o.idle {
		p.close()
	}
	o.idle = nil
}

// optunaEntrant is one of Optuna's samplers.
type optunaEntrant struct {
	label  string
	python *optuna
	mutex  sync.Mutex
	costs  map[string][]time.Duration // by problem, of one proposal a search
}

func newOptunaEntrant(name string, python *optuna) *optunaEntrant {
	return &optunaEntrant{label: name, python: python, costs: map[string][]time.Duration{}}
}

func (e *optunaEntrant) name() string { return e.label }

func (e *optunaEntrant) run(p problems.Problem, seed uint64, trials int) (problems.Record, error) {
	process, err := e.python.take()
	if err != nil {
		return problems.Record{}, err
	}
	kind, told := strings.CutSuffix(strings.TrimPrefix(e.label, "optuna-"), "-told")
	talk := &conversation{process: process, sampler: kind, told: told}
	record, err := problems.Run(p, talk, seed, trials)
	if err != nil {
		return record, errors.Join(err, process.close())
	}
	e.python.giveBack(process)
	e.note(p.Name, talk.costs)
	return record, nil
}

func (e *optunaEntrant) note(problem string, costs []time.Duration) {
	if len(costs) <= problems.Middle {
		return
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.costs[problem] = append(e.costs[problem], costs[problems.Middle])
}

// cost is what the processes have said.
func (e *optunaEntrant) cost(p problems.Problem, _ []problems.Record) (time.Duration, bool, error) {
	costs := e.costs[p.Name]
	if len(costs) == 0 {
		return 0, false, nil
	}
	var sum time.Duration
	for _, c := range costs {
		sum += c
	}
	return sum / time.Duration(len(costs)), true, nil
}

// startError says which Python did not start.
func startError(python string, err error) error {
	return fmt.Errorf("start Optuna with %s: %w", python, err)
}
