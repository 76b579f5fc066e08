package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"

	"github.com/gctune/gctune/tuner/space"
)

// formatMetric writes a metric for a person, in the unit that its name ends in.
func formatMetric(name string, value float64) string {
	switch {
	case math.IsNaN(value):
		return "?"
	case strings.HasSuffix(name, "_bytes"):
		return formatBytes(value)
	case strings.HasSuffix(name, "_per_cpu_second"):
		return significant(value) + "/cpu-s"
	case strings.HasSuffix(name, "_per_second"):
		return significant(value) + "/s"
	case strings.HasSuffix(name, "_seconds"):
		return significant(value*1000) + " ms"
	}
	return significant(value)
}

// formatBytes keeps a decimal more than the library, since settings differ by
// single megabytes.
func formatBytes(bytes float64) string {
	if bytes >= 1e6 && bytes < 1e9 {
		return fmt.Sprintf("%.1f MB", bytes/1e6)
	}
	return humanize.Bytes(uint64(max(bytes, 0)))
}

// significant writes four significant digits, without an exponent.
func significant(value float64) string {
	if value == 0 {
		return "0"
	}
	digits := max(0, 3-int(math.Floor(math.Log10(math.Abs(value)))))
	return fmt.Sprintf("%.*f", min(digits, 6), value)
}

// formatChange writes a ratio as a change in per cent.
func formatChange(ratio float64) string {
	return fmt.Sprintf("%+.1f %%", 100*(ratio-1))
}

// formatSetting is NAME=VALUE for each name; the defaults where there is none.
func formatSetting(s map[string]string) string {
	if len(s) == 0 {
		return "the defaults"
	}
	return space.Setting(s).Key()
}

// formatValues is formatSetting with something else than a blank between values.
func formatValues(s map[string]string, between string) string {
	if len(s) == 0 {
		return formatSetting(s)
	}
	return strings.ReplaceAll(formatSetting(s), " ", between)
}

// count writes a number of things: 1 trial, 2 trials.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// oneOf refuses a flag's value that is none of the allowed ones.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usagef("%s %s: it is one of %s", flag, value, strings.Join(allowed, ", "))
}

// formatLoss writes the value that a loss was made from.
func formatLoss(metric string, loss, sign float64) string {
	return formatMetric(metric, math.Exp(sign*loss))
}

// printable keeps a text from others from steering a terminal, and on one line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
}

// printableLines is printable for a text of several lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}
