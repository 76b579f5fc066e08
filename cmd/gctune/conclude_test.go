package main

import (
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// What a study does not keep has to be on the command line that goes on with it.
func TestCommandsThatGoOnKeepTheFlags(t *testing.T) {
	var resume, search, shared string
	app := newApp(io.Discard, io.Discard)
	app.Command("optimize").Action = func(c *cli.Context) error {
		resume, search, shared = resumeCommand(c), searchFlags(c), sharedFlags(c)
		return nil
	}
	if err := app.Run([]string{"gctune", "optimize", "--no-foresight", "--lengths", "adaptive", "--store", "a b.db"}); err != nil {
		t.Fatal(err)
	}
	if want := " optimize --store 'a b.db' --lengths adaptive --no-foresight"; !strings.HasSuffix(resume, want) {
		t.Errorf("to go on: %q, want %q at its end", resume, want)
	}
	if want := " --store 'a b.db' --no-foresight"; search != want {
		t.Errorf("searching on: %q, want %q", search, want)
	}
	if want := " --store 'a b.db'"; shared != want { // replay and export do not know the flag
		t.Errorf("other commands: %q, want %q", shared, want)
	}
}
