package ruby

import (
	"regexp"
	"strings"
)

// What Rubies before 2.1 say about a variable that they read:
//
//	malloc_limit=N (8000000)     1.9.3 and 2.0 with -w: the number, also one that is ignored
//	RUBY_HEAP_MIN_SLOTS=TEXT     the patched ones with RUBY_GC_STATS=1: the text, whatever it is
var (
	echoedNumber = regexp.MustCompile(`^(malloc_limit|heap_min_slots|free_min)=(-?[0-9]+) \(([0-9]+)\)$`)
	echoedText   = regexp.MustCompile(`^(RUBY_[A-Z_]+)=(.*)$`)
)

var echoNames = map[string]string{"malloc_limit": mallocLimit, "heap_min_slots": minSlots, "free_min": freeMin}

// talkative makes the patched Rubies echo.
const talkative = "RUBY_GC_STATS"

// legacyEcho is what was said of one name.
type legacyEcho struct {
	text          string // as it was set; "" when only the number was said
	number, usual string // as it was read, and the default; "" when only the text was said
}

func parseLegacyEcho(stderr string) map[string]legacyEcho {
	said := map[string]legacyEcho{}
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		if m := echoedNumber.FindStringSubmatch(line); m != nil {
			e := said[echoNames[m[1]]]
			e.number, e.usual = m[2], m[3]
			said[echoNames[m[1]]] = e
		} else if m := echoedText.FindStringSubmatch(line); m != nil {
			e := said[m[1]]
			e.text = m[2]
			said[m[1]] = e
		}
	}
	return said
}
