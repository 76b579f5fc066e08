package ruby

import (
	"regexp"
	"strconv"
	"strings"
)

// What a verbose launch says about a variable:
//
//	NAME=V (default value: D)                                            taken
//	NAME=V (default value: D) is ignored because it must be greater than L.
//	NAME=V (D)                                                           taken, 2.1
//	NAME=V (D), but ignored because lower than L                         2.1
//	invalid string for NAME: S
//	NAME=S is ignored because it overflows
var (
	echoed     = regexp.MustCompile(`^([A-Z][A-Z0-9_]*)=(-?[0-9]+(?:\.[0-9]+)?|inf) \((?:default value:? ?)?(-?[0-9]+(?:\.[0-9]+)?)\)(.*)$`)
	invalid    = regexp.MustCompile(`^invalid string for ([A-Z][A-Z0-9_]*): (.*)$`)
	overflowed = regexp.MustCompile(`^([A-Z][A-Z0-9_]*)=(.*) is ignored because it overflows`)
)

// parseEcho reads the standard error of a verbose launch. Lines of other kinds
// are passed over: -w makes libraries talk too.
func parseEcho(stderr string) map[string]Verdict {
	verdicts := map[string]Verdict{}
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		if m := echoed.FindStringSubmatch(line); m != nil {
			verdicts[m[1]] = echoVerdict(m[2], m[3], m[4])
		} else if m := invalid.FindStringSubmatch(line); m != nil {
			verdicts[m[1]] = Verdict{Reason: "ignored by Ruby: it cannot read " + strconv.Quote(m[2]) + " as a number"}
		} else if m := overflowed.FindStringSubmatch(line); m != nil {
			verdicts[m[1]] = Verdict{Reason: "ignored by Ruby: " + m[2] + " is too large"}
		}
	}
	return verdicts
}

func echoVerdict(value, def, rest string) Verdict {
	v := Verdict{Value: plainNumber(value), Default: plainNumber(def), Taken: rest == ""}
	if _, why, found := strings.Cut(rest, "ignored because "); found {
		why = strings.TrimPrefix(strings.TrimSuffix(why, "."), "it ")
		v.Reason = "ignored by Ruby: " + trailingZeros.ReplaceAllString(why, ".0")
	} else if rest != "" {
		v.Reason = "ignored by Ruby:" + rest
	}
	return v
}

var trailingZeros = regexp.MustCompile(`\.0+$`)

// plainNumber drops the zeros that %f adds: "1.800000" is "1.8".
func plainNumber(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
