package export

import (
	"maps"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

// renderHeroku writes one command for all variables, since each command
// restarts the application.
func renderHeroku(d Document) (string, error) {
	if len(d.Setting) == 0 {
		return "# Nothing to set: these are the interpreter's defaults.\n", nil
	}
	command := []string{"heroku config:set"}
	for _, name := range slices.Sorted(maps.Keys(d.Setting)) {
		command = append(command, name+"="+shellescape.Quote(d.Setting[name]))
	}
	return strings.Join(command, " \\\n  ") + "\n", nil
}
