package main

import (
	"fmt"

	"github.com/gctune/gctune/harness"
)

// enoughCores is from how many on the load driver has one for itself without being
// asked. Of two it would be half of the machine: measured there, on a busy machine,
// a server kept to one core needed 5 % (± 7 %) more CPU time for a request, and
// differed more from one time to the next than one that was free to move.
const enoughCores = 4

// isolation gives the load driver the last core and the server all others.
func isolation(wish string, cores []int) harness.Isolation {
	n := len(cores)
	if wish == "off" || n < 2 || wish == "auto" && n < enoughCores {
		return harness.Isolation{}
	}
	return harness.Isolation{Driver: cores[n-1:], Server: cores[:n-1]}
}

// isolationFact is what a fingerprint has of it.
func isolationFact(i harness.Isolation) string {
	if len(i.Driver) == 0 {
		return "none"
	}
	return fmt.Sprintf("load driver on core %d, server on %d others", i.Driver[0], len(i.Server))
}
