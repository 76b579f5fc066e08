// Command gctune finds the best garbage-collector settings for a Ruby
// application.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}
