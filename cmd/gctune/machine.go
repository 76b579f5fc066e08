package main

import (
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"
	"github.com/prometheus/procfs"

	"github.com/gctune/gctune/harness/process"
)

// busy is the load average a core beyond which other work will show in the
// figures.
const busy = 0.25

// machine looks at what else may spoil the figures.
func (d *diagnosis) machine(*target) error {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return d.say("FAIL", "machine", "/proc cannot be read: %v", err)
	}
	if err := d.cores(fs); err != nil {
		return err
	}
	if mode := selected("/sys/kernel/mm/transparent_hugepage/enabled"); mode == "always" {
		if err := d.say("warn", "huge pages", "transparent huge pages are %q: memory comes in pieces of 2 MB, which hides small differences and changes jemalloc's footprint", mode); err != nil {
			return err
		}
	}
	ceiling := memoryCeiling()
	if ceiling == 0 {
		return d.say("warn", "memory", "what is available cannot be read: runs have no ceiling")
	}
	text := "a run may take " + humanize.Bytes(uint64(ceiling)) + " before it is stopped"
	if !process.CgroupAvailable() {
		text += "; there is no control group to write to, so process groups and orphan adoption keep runs together"
	}
	return d.say("ok", "memory", "%s", text)
}

func (d *diagnosis) cores(fs procfs.FS) error {
	load, err := fs.LoadAvg()
	if err != nil {
		return d.say("warn", "machine", "the load average cannot be read: %v", err)
	}
	state, hint := "ok", ""
	if load.Load1 > busy*float64(runtime.NumCPU()) {
		state, hint = "warn", "other programs are at work here: stop them, or expect noise"
	}
	if runtime.NumCPU() == 1 {
		state, hint = "warn", "server and load driver share the only core"
	}
	text := fmt.Sprintf("%s, load average %.2f", count(runtime.NumCPU(), "core"), load.Load1)
	if hint != "" {
		text += ": " + hint
	}
	return d.say(state, "machine", "%s", text)
}
