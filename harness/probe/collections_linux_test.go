package probe_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// logOf reads the log of a process; all collections must be in it but for one that is
// not over yet.
func logOf(t *testing.T, dir string, pid int) (probe.Report, []probe.Collection) {
	t.Helper()
	r := read(t, dir, pid)
	all, err := probe.Collections(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(all)); n != r.Recorded() || n != r.Count && n != r.Count-1 {
		t.Fatalf("%d collections in the log, %d reported, %d counted by Ruby", n, r.Recorded(), r.Count)
	}
	for i, c := range all {
		if unknown := int64(i) < r.Begun; unknown != (c.Slots == 0) || c.Live > c.Slots || c.Seconds < 0 || c.Seconds > 1 {
			t.Fatalf("collection %d, where the log began after %d: %+v", i, r.Begun, c)
		}
	}
	return r, all
}

// called is what makes a collection that a program calls for a major one: 2.1 has no word
// of its own for it (gc.c, garbage_collect_body).
func called(r probe.Report) string {
	if strings.HasPrefix(r.Description, "ruby 2.1.") {
		return "nofree"
	}
	return "force"
}

// Every collection is in the log, with the slots that Ruby itself tells of when asked.
func TestLogOfEachRuby(t *testing.T) {
	for _, path := range rubies(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := converse(t, path)
			if early(read(t, c.dir, c.pid)) { // see TestSweepsOfEachRubyForWantOfSlots
				return
			}
			logOf(t, c.dir, c.pid)
			for range 3 {
				c.do("slots")
				logOf(t, c.dir, c.pid)
			}
			c.do("method")
			r, all := logOf(t, c.dir, c.pid)
			for _, one := range all[len(all)-17:] {
				if !one.Major || one.By != "method" || one.MajorBy != called(r) {
					t.Errorf("called by the program, and seen as %+v", one)
				}
			}
			last := all[len(all)-1]
			for what, pair := range map[string][2]float64{
				"slots": {float64(last.Slots), r.Stat["heap_available_slots"]}, "live": {float64(last.Live), r.Stat["heap_live_slots"]},
			} { // the probe's own objects have come since
				if difference := math.Abs(pair[0] - pair[1]); difference > max(500, 0.05*pair[1]) {
					t.Errorf("%s: %v in the log, %v by GC.stat", what, pair[0], pair[1])
				}
			}
		})
	}
}

const forks = `
$stdout.sync = true
puts $$
300_000.times { Object.new }
$stdin.gets
pid = fork { puts $$; $stdin.gets; 300_000.times { Object.new }; puts $$; $stdin.gets }
Process.wait(pid)
`

// A forked process goes on with what its parent's log had, and not with what came to
// it later.
func TestLogOfAForkedProcess(t *testing.T) {
	for _, path := range rubies(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			dir := t.TempDir()
			cmd := probed(t, dir, path, "-e", forks)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out := start(t, cmd)
			pid := func() (n int) {
				if _, err := fmt.Fscan(out, &n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			parent := pid()
			_, first := logOf(t, dir, parent)
			fmt.Fprintln(in)
			child := pid()
			logOf(t, dir, parent)
			_, before := logOf(t, dir, child)
			fmt.Fprintln(in)
			pid()
			_, after := logOf(t, dir, child)
			if len(before) < len(first) || len(after) < len(before)+2 {
				t.Errorf("%d collections of the parent, then %d and %d of the child", len(first), len(before), len(after))
			}
			for i, c := range first {
				if before[i] != c && i > 0 {
					t.Errorf("collection %d is %+v, of the parent %+v", i, before[i], c)
				}
			}
		})
	}
}

// What a program clears from the profiler is counted as lost.
func TestLogBesideAProgramThatClears(t *testing.T) {
	out, err := exec.Command("ruby", "-e", "print GC.respond_to?(:total_time)").Output()
	if err != nil || string(out) != "true" {
		t.Skip("no ruby on PATH that leaves the profiler alone: ", err)
	}
	dir := t.TempDir()
	cmd := probed(t, dir, "ruby", "-e", `$stdout.sync = true; GC::Profiler.enable; 5.times { GC.start }; GC::Profiler.clear; 3.times { GC.start }; puts $$; sleep`)
	stdout := start(t, cmd)
	var pid int
	if _, err := fmt.Fscan(stdout, &pid); err != nil {
		t.Fatal(err)
	}
	r := read(t, dir, pid)
	all, err := probe.Collections(dir, r)
	if err != nil || int64(len(all)) != r.Count {
		t.Fatalf("%d of %d collections, %v", len(all), r.Count, err)
	}
	if got, cleared := all[len(all)-3:], all[len(all)-4]; got[0].By != "method" || got[2].Slots == 0 || cleared.Slots != 0 {
		t.Errorf("the last three were kept, those before cleared: %+v", all)
	}
}

// So is what runs while the profiler is off.
func TestLogBesideAProgramThatTurnsTheProfilerOff(t *testing.T) {
	out, err := exec.Command("ruby", "-e", "print GC.respond_to?(:total_time)").Output()
	if err != nil || string(out) != "true" {
		t.Skip("no ruby on PATH that leaves the profiler alone: ", err)
	}
	dir := t.TempDir()
	cmd := probed(t, dir, "ruby", "-e", `$stdout.sync = true; GC::Profiler.disable; 5.times { GC.start }; puts $$; gets; GC::Profiler.enable; 3.times { GC.start }; puts $$; sleep`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := start(t, cmd)
	for _, known := range []int{0, 3} {
		var pid int
		if _, err := fmt.Fscan(stdout, &pid); err != nil {
			t.Fatal(err)
		}
		r := read(t, dir, pid)
		all, err := probe.Collections(dir, r)
		if err != nil || int64(len(all)) != r.Count {
			t.Fatalf("%d of %d collections, %v", len(all), r.Count, err)
		}
		for i, c := range all[len(all)-5:] {
			if (c.Slots > 0) != (i >= 5-known) {
				t.Errorf("collection %d of the last five, of which %d are known: %+v", i, known, c)
			}
		}
		fmt.Fprintln(in)
	}
}

// A log into which forked processes write, too, is not kept, and neither is one that
// Ruby's own count does not fit.
func TestOwnLogOf187IsNotOfTheProcessAlone(t *testing.T) {
	path := os.Getenv("GCTUNE_TEST_RUBY187_RAILSBENCH")
	if path == "" {
		t.Skip("GCTUNE_TEST_RUBY187_RAILSBENCH names no build")
	}
	own := "400_000.times { Object.new }; "
	for program, want := range map[string]error{
		own + "Process.wait(fork { 400_000.times { Object.new } })": probe.ErrLogMixed,
		own + "GC.clear_stats":   probe.ErrLogMixed,
		own + "GC.disable_stats": probe.ErrLogCut,
	} {
		dir := t.TempDir()
		cmd := probed(t, dir, path, "-e", `STDOUT.sync = true; `+program+`; puts $$; sleep`)
		variables, err := probe.OwnLog(dir)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, variables...)
		out := start(t, cmd)
		var pid int
		if _, err := fmt.Fscan(out, &pid); err != nil {
			t.Fatal(err)
		}
		if all, err := probe.Collections(dir, read(t, dir, pid)); !errors.Is(err, want) || all != nil {
			t.Errorf("%s: %d collections, %v; want %v", program, len(all), err, want)
		}
	}
}

// The interpreters that are patched to write a log of their own are asked for it.
func TestOwnLogOf187(t *testing.T) {
	path := os.Getenv("GCTUNE_TEST_RUBY187_RAILSBENCH")
	if path == "" {
		t.Skip("GCTUNE_TEST_RUBY187_RAILSBENCH names no build")
	}
	dir := t.TempDir()
	cmd := probed(t, dir, path, "-e", `STDOUT.sync = true; puts $$; system("`+path+`", "-e", "GC.start"); 400_000.times { Object.new }; puts GC.collections; sleep`)
	own, err := probe.OwnLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, own...)
	out := start(t, cmd)
	var pid, collections int
	if _, err := fmt.Fscan(out, &pid, &collections); err != nil {
		t.Fatal(err)
	}
	r := read(t, dir, pid)
	all, err := probe.Collections(dir, r)
	if err != nil || len(all) < collections || int64(len(all)) != r.Count || collections < 5 {
		t.Fatalf("%d of %d collections, %v", len(all), collections, err)
	}
	for _, c := range all {
		if c.Live > c.Slots || c.Slots < 10000 || c.By != "newobj" || c.Free != 0 {
			t.Errorf("%+v", c)
		}
	}
	if strings.Contains(fmt.Sprint(all), "-") {
		t.Errorf("negative figures: %v", all)
	}
}
