package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gctune/gctune/harness/ruby"
)

// taken has the interpreter itself confirm each value of the setting, before the
// program is started with it: a value that Ruby ignores would make the trial a
// second baseline under another name.
func (p Program) taken(ctx context.Context, t Trial) error {
	if len(t.Setting) == 0 {
		return nil
	}
	verdicts, err := ruby.Prove(ctx, p.Interpreter, t.Setting, ruby.Limits{Memory: p.MemoryCeiling})
	var crash *ruby.CrashError
	if errors.As(err, &crash) {
		if crash.Cause == ruby.CauseMemory {
			return t.starved("%v", err)
		}
		return t.broken("%v", err)
	}
	if err != nil {
		return fmt.Errorf("asking %s to confirm the setting: %w", p.Interpreter.Path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		if v := verdicts[name]; !v.Taken {
			return t.broken("%s=%s: %s", name, t.Setting[name], v.Reason)
		}
	}
	return nil
}
