package harness_test

import (
	"context"
	"testing"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/ruby/source"
)

// What a compiler prints is kept in lines, and steers no terminal.
func TestFailedBuild(t *testing.T) {
	for _, c := range []struct {
		setting  map[string]string
		unedited bool
		state    harness.State
	}{
		{map[string]string{"HEAP_MIN_SLOTS": "6000000"}, false, harness.Infeasible},
		{map[string]string{"HEAP_MIN_SLOTS": "6000000"}, true, harness.Failed},
		{nil, true, harness.Failed},
	} {
		w := &harness.Compiled{Prepare: func(context.Context, map[string]string) (harness.Workload, func(), error) {
			return nil, nil, &source.BuildError{Stage: source.Building, Command: []string{"make"}, Status: "exit status 2",
				Lines: []string{"gc.c:1: \x1b[31merror", "make: Error 1"}, Unedited: c.unedited}
		}}
		result, err := w.Run(t.Context(), harness.Trial{Setting: c.setting})
		if err != nil {
			t.Fatal(err)
		}
		const want = "build: make: exit status 2\ngc.c:1:  [31merror\nmake: Error 1"
		if result.State != c.state || result.Reason != want {
			t.Errorf("%v: %s (%q), want %s", c.setting, result.State, result.Reason, c.state)
		}
	}
}
