package probe_test

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// rounds keeps 50,000 objects, and each line that it reads makes it allocate.
const rounds = `$stdout.sync = true
KEPT = Array.new(50_000) { Object.new }
puts $$
while gets
  %s
  puts $$
end
`

// ofEarly has each Ruby that sweeps lazily and tells of no collection why it ran do what
// it is told ten times, and gives what was seen.
func ofEarly(t *testing.T, work string, env []string, check func(*testing.T, probe.Report, []probe.Collection)) {
	for _, path := range rubies(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			dir := t.TempDir()
			cmd := probed(t, dir, path, "-e", fmt.Sprintf(rounds, work))
			cmd.Env = append(cmd.Env, env...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out := start(t, cmd)
			var pid int
			for range 10 {
				if _, err := fmt.Fscan(out, &pid); err != nil {
					t.Fatal(err)
				}
				if r := read(t, dir, pid); !early(r) {
					t.Skip("it tells why: ", r.Description)
				}
				if _, err := io.WriteString(in, "\n"); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := fmt.Fscan(out, &pid); err != nil {
				t.Fatal(err)
			}
			r := read(t, dir, pid)
			all, err := probe.Collections(dir, r)
			if err != nil || int64(len(all)) != r.Count || r.Logged != r.Count {
				t.Fatalf("%d collections, %v; Ruby counts %d, and the log %d", len(all), err, r.Count, r.Logged)
			}
			check(t, r, all)
		})
	}
}

// Without anything beside the slots collections come for want of slots, and leave the
// 50,000 objects and the interpreter's own.
func TestSweepsOfEachRubyForWantOfSlots(t *testing.T) {
	ofEarly(t, "400_000.times { Object.new }", nil, func(t *testing.T, r probe.Report, all []probe.Collection) {
		if len(all) < 40 {
			t.Errorf("%d collections", len(all))
		}
		late := 0
		for i, c := range all[len(all)-20:] {
			if c.Free > c.Slots/100 || c.Live < 50_000 || c.Live > 70_000 || c.Slots < c.Live || c.Slots > r.Slots+1000 {
				t.Errorf("collection %d: %+v; %d slots at the end", i, c, r.Slots)
			}
			if c.By == "newobj" { // 2.0 sweeps at once after some, as where malloc begins them
				late++
			}
		}
		if late < 12 {
			t.Errorf("%d of 20 for want of slots", late)
		}
	})
}

// With a heap that is large enough large strings make malloc begin them, every 8 MB or
// 800 strings.
func TestSweepsOfEachRubyByMalloc(t *testing.T) {
	ofEarly(t, `4_000.times { "x" * 10_000 }`, []string{"RUBY_HEAP_MIN_SLOTS=400000", "RUBY_FREE_MIN=200000"},
		func(t *testing.T, r probe.Report, all []probe.Collection) {
			if len(all) < 30 {
				t.Errorf("%d collections", len(all))
			}
			for i, c := range all[len(all)-20:] {
				if used := c.Slots - c.Live - c.Free; c.By != "malloc" || c.Live < 50_000 || c.Live > 70_000 || used < 0 || used > 20_000 {
					t.Errorf("collection %d: %+v: %d objects since the one before", i, c, used)
				}
			}
		})
}
