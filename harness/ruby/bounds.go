package ruby

import (
	"strconv"
	"strings"
)

// String says in words which values the interpreter takes.
func (b Bounds) String() string {
	limits := []string{"above " + shortest(b.Above)}
	if b.AboveName != "" {
		limits = append(limits, "above "+b.AboveName)
	}
	if b.AtMost > 0 {
		limits = append(limits, "at most "+shortest(b.AtMost))
	}
	if b.AtMostName != "" {
		limits = append(limits, "at most "+b.AtMostName)
	}
	if b.AbortsBelow > 0 {
		limits = append(limits, "dies below "+shortest(b.AbortsBelow))
	}
	if b.Whole {
		limits = append(limits, "whole")
	}
	if b.InertBelow > 0 {
		limits = append(limits, "no effect below "+shortest(b.InertBelow))
	}
	text := strings.Join(limits, ", ")
	if b.Zero {
		text += "; or 0"
	}
	return text
}

func shortest(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
