package harness

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gctune/gctune/harness/machine"
	"github.com/gctune/gctune/harness/ruby"
)

// Program is a command in its surroundings.
type Program struct {
	// Command is run without a shell. {ruby} stands for the interpreter's path.
	Command []string
	// Dir is the working directory.
	Dir string
	// Inherited is the environment to start from, already free of variables
	// that set a collector.
	Inherited []string
	// Variables are those of the configuration.
	Variables map[string]string
	// Interpreter is the Ruby that the program must use; zero for a program
	// that need not be a Ruby one. Its directory leads the PATH.
	Interpreter ruby.Interpreter
	// MemoryCeiling, in bytes, ends a run that exceeds it; 0 means none.
	MemoryCeiling int64
	// Stop says how the program is ended.
	Stop Stop
	// Unrecorded leaves the log of collections away, so that its cost can be measured.
	Unrecorded bool
	// Machine tells what else the machine does meanwhile.
	Machine machine.Reader
}

// environment is Inherited, overlaid with the configuration's variables and then
// with what the interpreter needs and the run's own. Places such as {port} are
// filled in the configuration's.
func (p Program) environment(fill *strings.Replacer, own map[string]string) []string {
	merged := map[string]string{}
	for _, entry := range p.Inherited {
		name, value, _ := strings.Cut(entry, "=")
		merged[name] = value
	}
	if p.Interpreter.Path != "" {
		merged["PATH"] = filepath.Dir(p.Interpreter.Path) + ":" + merged["PATH"]
	}
	for name, value := range p.Variables {
		merged[name] = fill.Replace(value)
	}
	p.Interpreter.Prepend(merged)
	maps.Copy(merged, own)
	list := make([]string, 0, len(merged))
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		list = append(list, name+"="+merged[name])
	}
	return list
}

func (p Program) command(fill *strings.Replacer) []string {
	filled := make([]string, len(p.Command))
	for i, word := range p.Command {
		filled[i] = fill.Replace(word)
	}
	return filled
}

func (p Program) places(more ...string) *strings.Replacer {
	return strings.NewReplacer(append(more, "{ruby}", cmp.Or(p.Interpreter.Path, "ruby"))...)
}

// inherited looks a variable up that the program would have without the run's
// own ones.
func (p Program) inherited(name string) string {
	if value, ok := p.Variables[name]; ok {
		return value
	}
	for _, entry := range p.Inherited {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
