package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gctune/gctune/harness/process"
	"github.com/gctune/gctune/harness/ruby"
)

// interpreters returns the live processes of the tree that run the interpreter
// under test: what is proved and probed, wrappers and helpers left aside.
func (p Program) interpreters(tree *process.Tree) ([]process.Process, error) {
	all, err := tree.Processes()
	if err != nil {
		return nil, fmt.Errorf("listing the program's processes: %w", err)
	}
	return slices.DeleteFunc(all, func(q process.Process) bool { return q.Exe != p.Interpreter.Executable }), nil
}

// prove reads the setting back from every interpreter process that runs: a
// wrapper may have dropped it, or set variables of its own.
func (p Program) prove(ctx context.Context, tree *process.Tree, pr *probing, t Trial) error {
	running, err := p.interpreters(tree)
	if err != nil {
		return err
	}
	if len(running) == 0 {
		return p.noInterpreter(tree)
	}
	for _, q := range running {
		have, err := environOf(ctx, q, pr)
		if errors.Is(err, process.ErrGone) {
			continue
		}
		if err != nil {
			return voided("the environment of process %s could not be read back, so the setting is not proved: %v", q, err)
		}
		if err := p.compare(q, pr, have, t.Setting); err != nil {
			return err
		}
	}
	return nil
}

func (p Program) noInterpreter(tree *process.Tree) error {
	all, err := tree.Processes()
	if err != nil {
		return fmt.Errorf("listing the program's processes: %w", err)
	}
	running := map[string]bool{}
	for _, q := range all {
		running[q.Exe] = true
	}
	return failed("none of the program's processes runs %s (they run %s): make `ruby` the interpreter that the command really uses, or write {ruby} in the command",
		p.Interpreter.Executable, strings.Join(slices.Sorted(maps.Keys(running)), ", "))
}

// environOf reads a process's environment from the kernel, or from the probe
// where the process has written its title over it.
func environOf(ctx context.Context, q process.Process, pr *probing) (map[string]string, error) {
	have, err := process.Environ(q.PID)
	if !errors.Is(err, process.ErrEnvironOverwritten) {
		return have, err
	}
	report, err := pr.read(ctx, q)
	if err != nil {
		return nil, err
	}
	return report.Environment, nil
}

func (p Program) compare(q process.Process, pr *probing, have, setting map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		switch value, ok := have[name]; {
		case !ok:
			return voided("%s was lost on the way to process %s: something between gctune and Ruby (a wrapper, a supervisor) drops the environment", name, q)
		case value != setting[name]:
			return voided("%s arrived as %q instead of %q in process %s: something between gctune and Ruby changes it", name, value, setting[name], q)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		_, wanted := setting[name]
		_, configured := p.Variables[name]
		if ruby.IsGCVariable(name) && !wanted && !configured && !pr.sets(name, have[name]) {
			return voided("%s=%s is set in process %s, but neither by the setting nor by the configuration: something between gctune and Ruby sets it", name, have[name], q)
		}
	}
	return nil
}
