package export

import "regexp"

// plain values have no character that any reader treats specially.
var plain = regexp.MustCompile(`\A[A-Za-z0-9_.,:/@+-]*\z`)

func renderEnv(d Document) (string, error) {
	return lines(d.Setting, func(name, value string) (string, error) {
		if !plain.MatchString(value) {
			return "", unfit(name, value, "it needs quotes, which readers of such files take differently; choose the format of your reader")
		}
		return name + "=" + value, nil
	})
}
