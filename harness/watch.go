package harness

import (
	"github.com/gctune/gctune/harness/machine"
	"github.com/gctune/gctune/harness/process"
)

// watch looks at what else the machine does while a tree is measured.
type watch struct {
	machine machine.Reader
	tree    *process.Tree
	before  moment
}

// moment is the machine at one time.
type moment struct {
	machine machine.Moment
	own     float64 // CPU seconds of the tree and of this process
	failed  bool
}

// watch begins. Where the machine cannot be read, nothing is said of it: that is no
// reason not to measure.
func (p Program) watch(tree *process.Tree) *watch {
	w := &watch{machine: p.Machine, tree: tree}
	w.before = w.now()
	return w
}

func (w *watch) now() moment {
	tree, err := w.tree.CPU()
	if err != nil {
		return moment{failed: true}
	}
	var pids []int
	members, _ := w.tree.Processes()
	for _, p := range members {
		pids = append(pids, p.PID)
	}
	now, err := w.machine.Now(pids, w.tree.Cgroup())
	return moment{now, tree + process.OwnCPU(), err != nil}
}

// end returns what disturbed the tree meanwhile, as metrics.
func (w *watch) end() map[string]float64 { return disturbed(w.before, w.now()) }

// disturbed is what disturbed the tree from one moment to another.
func disturbed(from, to moment) map[string]float64 {
	if from.failed || to.failed {
		return nil
	}
	return machine.Contention(from.machine, to.machine, to.own-from.own)
}
