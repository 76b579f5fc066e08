package gcmodel

import (
	"regexp"
	"strconv"
)

// Profile is what is known of a program under its load: enough to simulate its
// heap under any setting. It is safe for concurrent use.
type Profile struct{ heap heap }

// version is an interpreter's: what its description of itself begins with.
type version struct{ major, minor, teeny int }

var described = regexp.MustCompile(`^ruby (\d{1,3})\.(\d{1,3})\.(\d{1,3})`)

func parseVersion(ruby string) (version, bool) {
	found := described.FindStringSubmatch(ruby)
	if found == nil {
		return version{}, false
	}
	var numbers [3]int
	for i, text := range found[1:] {
		numbers[i], _ = strconv.Atoi(text) // three digits at most
	}
	return version{numbers[0], numbers[1], numbers[2]}, true
}

func (v version) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}
