package export

import (
	"strings"
	"unicode/utf8"
)

// renderDotenv follows the dotenv gem, whose single quotes are literal.
func renderDotenv(d Document) (string, error) {
	return lines(d.Setting, func(name, value string) (string, error) {
		quoted, why := quoteDotenv(value)
		if why != "" {
			return "", unfit(name, value, why)
		}
		return name + "=" + quoted, nil
	})
}

// quoteDotenv says why where no quoting is read alike by all versions of the
// gem. In double quotes they expand variables and commands, and treat
// backslashes differently, so only texts without those go there.
func quoteDotenv(value string) (quoted, why string) {
	switch {
	case plain.MatchString(value):
		return value, ""
	case !utf8.ValidString(value):
		return "", "the reader takes valid UTF-8 only"
	case strings.ContainsAny(value, "\r\n"):
		return "", "versions of the reader disagree on line breaks"
	case strings.HasSuffix(value, `\`):
		return "", "it ends in a backslash, which takes the closing quote with it"
	case !strings.Contains(value, "'"):
		return "'" + value + "'", ""
	case !strings.ContainsAny(value, "\"\\$`"):
		return `"` + value + `"`, ""
	}
	return "", "versions of the reader disagree on a single quote beside one of \" \\ $ `"
}
