package harness

import (
	"context"

	"github.com/gctune/gctune/harness/process"
)

// Isolation says which cores the load driver, that is, this process, and the server
// have for themselves; empty lists separate nothing.
type Isolation struct{ Driver, Server []int }

// isolate separates the two. The server has started by then: one that looks at its
// cores to say how many workers it needs sees them all, as in production. Where it is
// not permitted, the run goes on without. Nothing of it outlives the run: the cores
// are this process's and its children's alone.
func (x *session) isolate(context.Context) error {
	to := x.server.Isolation
	if len(to.Driver) == 0 || len(to.Server) == 0 {
		return nil
	}
	err := x.tree.Confine(to.Server)
	if err == nil {
		x.release, err = process.ConfineSelf(to.Driver)
	}
	if err != nil {
		x.warn("server and load driver share their cores: %v", err)
	}
	return nil
}
