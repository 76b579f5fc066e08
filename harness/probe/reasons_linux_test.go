package probe_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// phases does on each line that it reads what makes the collector run for one
// reason, and answers with the number of collections that this took.
const phases = `
$stdout.sync = true
kept = "x" * 1000
GC::Profiler.enable if ARGV[0] == "profiles"
puts $$
while (phase = $stdin.gets)
  before = GC.count
  case phase.chomp
  when "slots" then 100_000.times { Object.new } while GC.count < before + 20
  when "malloc" then kept = "x" * 2_000_000 while GC.count < before + 20
  when "method" then 17.times { GC.start }
  when "records" then puts GC::Profiler.raw_data.size
  end
  puts GC.count - before
end
`

type conversation struct {
	t   *testing.T
	dir string
	pid int
	in  io.Writer
	out *bufio.Scanner
}

func converse(t *testing.T, ruby string, arguments ...string) *conversation {
	t.Helper()
	dir := t.TempDir()
	cmd := probed(t, dir, append([]string{ruby, "-e", phases}, arguments...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{t: t, dir: dir, in: in, out: bufio.NewScanner(start(t, cmd))}
	c.pid = c.number()
	t.Cleanup(func() { finish(t, cmd, syscall.SIGKILL) })
	return c
}

func (c *conversation) number() int {
	c.t.Helper()
	n := 0
	if !c.out.Scan() {
		c.t.Fatal("the program has ended")
	}
	if _, err := fmt.Sscan(c.out.Text(), &n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (c *conversation) do(phase string) int {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, phase); err != nil {
		c.t.Fatal(err)
	}
	return c.number()
}

// between is what the probe saw of a phase, and how many collections the program
// itself counted in it.
func (c *conversation) between(phase string) (probe.Delta, int) {
	c.t.Helper()
	before := read(c.t, c.dir, c.pid)
	count := c.do(phase)
	d, err := probe.Between(before, read(c.t, c.dir, c.pid))
	if err != nil {
		c.t.Fatal(err)
	}
	return d, count
}

// The reasons of each collection are counted, and no more than the collections.
func TestReasonsOfEachRuby(t *testing.T) {
	for _, path := range rubies(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := converse(t, path)
			if r := read(t, c.dir, c.pid); early(r) { // which turns the counting on
				if r.HasReasons {
					t.Errorf("it cannot know of reasons: %+v", r)
				}
				return
			}
			for phase, wanted := range map[string]string{"slots": "newobj", "malloc": "malloc"} {
				d, count := c.between(phase)
				got := d.Reasons.Started
				if got[wanted] < int64(count)-2 || got[wanted] > d.Count || count < 20 {
					t.Errorf("%s: %v of %d collections", phase, got, count)
				}
			}
			d, _ := c.between("method")
			if d.Reasons.Started["method"] != 17 || d.Reasons.MadeMajor[called(read(t, c.dir, c.pid))] != 17 {
				t.Errorf("17 calls: %+v", d.Reasons)
			}
			m := probe.Metrics([]probe.Delta{d})
			if share := m["gc_by_other_share"]; share < 0.8 || m["gc_reasons_seen"] < 17 || m["gc_major_by_oldmalloc_share"] != 0 {
				t.Errorf("metrics %v", m)
			}
		})
	}
}

// A program that profiles itself keeps its records, and is counted right when it
// clears them.
func TestReasonsBesideAProgramThatProfiles(t *testing.T) {
	out, err := exec.Command("ruby", "-e", "print GC.respond_to?(:total_time)").Output()
	if err != nil || string(out) != "true" {
		t.Skip("no ruby on PATH that leaves the profiler alone: ", err)
	}
	c := converse(t, "ruby", "profiles")
	c.do("method")
	read(t, c.dir, c.pid)
	d, _ := c.between("method")
	if d.Reasons.Started["method"] != 17 {
		t.Errorf("counted %v, want 17", d.Reasons.Started)
	}
	if _, err := fmt.Fprintln(c.in, "records"); err != nil {
		t.Fatal(err)
	}
	if n := c.number(); n < 34 {
		t.Errorf("the program has %d of its 34 records left", n)
	}
}

func TestMetricsOfReasons(t *testing.T) {
	r := func(lines string) probe.Report {
		report, err := probe.Parse(strings.NewReader("pid 41\nreasons 1\n" + lines + "end 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	one, err := probe.Between(r("reason.started.newobj 5\n"), r("reason.started.newobj 8\nreason.started.malloc 2\nreason.major.oldmalloc 1\nreason.major.nofree 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := probe.Between(r(""), r("reason.started.capi 5\nreason.major.oldgen 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"gc_reasons_seen": 10, "gc_by_slots_share": 0.3, "gc_by_malloc_share": 0.2, "gc_by_other_share": 0.5,
		"gc_major_by_oldmalloc_share": 0.1, "gc_major_by_oldobjects_share": 0.4, "gc_major_by_unprotected_share": 0, "gc_major_by_other_share": 0.1,
	}
	if got := probe.Metrics([]probe.Delta{one, two}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
