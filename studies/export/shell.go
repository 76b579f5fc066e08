package export

import "al.essio.dev/pkg/shellescape"

func renderShell(d Document) (string, error) {
	return lines(d.Setting, func(name, value string) (string, error) {
		return "export " + name + "=" + shellescape.Quote(value), nil
	})
}
