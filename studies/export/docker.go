package export

import (
	"bufio"
	"strings"
	"unicode/utf8"
)

// renderDocker writes values as they are: the reader knows no quoting, and
// everything up to the end of the line is the value.
// See https://docs.docker.com/reference/cli/docker/container/run/#env.
func renderDocker(d Document) (string, error) {
	return lines(d.Setting, func(name, value string) (string, error) {
		if why := unfitForDocker(value, len(name)+len("=")); why != "" {
			return "", unfit(name, value, why)
		}
		return name + "=" + value, nil
	})
}

func unfitForDocker(value string, before int) string {
	switch {
	case strings.Contains(value, "\n") || strings.HasSuffix(value, "\r"):
		return "the reader ends the value at a line break"
	case !utf8.ValidString(value):
		return "the reader takes valid UTF-8 only"
	case enclosed(value):
		return "versions of the reader disagree on whether the quotes around it are part of it"
	case before+len(value) >= bufio.MaxScanTokenSize:
		return "the reader takes lines of less than 64 KiB only"
	}
	return ""
}

func enclosed(value string) bool {
	n := len(value)
	return n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'')
}
