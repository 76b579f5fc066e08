package harness

import (
	"github.com/gctune/gctune/harness/machine"
	"github.com/gctune/gctune/harness/process"
)

// watch looks at what else the machine does while a tree is measured.
type watch struct {
	machine machine.Reader
	tree    *process.Tree
	before  machine.Moment
	own     float64 // CPU seconds of the tree and of this process, before
	failed  bool
}

// watch begins. Where the machine cannot be read, nothing is said of it: that is no
// reason not to measure.
func (p Program) watch(tree *process.Tree) *watch {
	w := &watch{machine: p.Machine, tree: tree}
	w.own, w.before, w.failed = w.look()
	return w
}

func (w *watch) look() (own float64, now machine.Moment, failed bool) {
	tree, err := w.tree.CPU()
	if err != nil {
		return 0, now, true
	}
	var pids []int
	members, _ := w.tree.Processes()
	for _, p := range members {
		pids = append(pids, p.PID)
	}
	now, err = w.machine.Now(pids, w.tree.Cgroup())
	return tree + process.OwnCPU(), now, err != nil
}

// end returns what disturbed the tree meanwhile, as metrics.
func (w *watch) end() map[string]float64 {
	own, after, failed := w.look()
	if failed || w.failed {
		return nil
	}
	return machine.Contention(w.before, after, own-w.own)
}
