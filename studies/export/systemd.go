package export

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// renderSystemd quotes each assignment whole, since Environment= splits at
// blanks; within quotes a backslash escapes, a per cent sign begins a
// specifier, and a dollar sign means nothing. See systemd.exec(5),
// systemd.syntax(7), "Quoting", and systemd.unit(5), "Specifiers".
func renderSystemd(d Document) (string, error) {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`)
	variables, err := lines(d.Setting, func(name, value string) (string, error) {
		if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
			return "", unfit(name, value, "versions of systemd disagree on characters that are not printable")
		}
		return `Environment="` + name + "=" + escape.Replace(value) + `"`, nil
	})
	return "[Service]\n" + variables, err
}
