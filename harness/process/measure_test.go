//go:build linux

package process_test

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/harness/process"
)

const mb = 1 << 20

// Ruby measures what each process burns by its own clock. One is waited for by
// its parent, one is an orphan that we wait for, one ends after being read.
func TestCPUCountsTheLiveAndTheDead(t *testing.T) {
	const burn = `$stdout.sync = true
def burn(s); nil until (c = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)) > s; print "used #{c}\n"; end
Process.wait(fork { burn 0.15; exit! })
fork { fork { burn 0.15; exit! }; exit! }
fork { burn 0.1; print "pid #{$$}\n"; sleep 100 }
burn 0.2; print "pid #{$$}\n"; sleep 100`
	bothWays(t, func(t *testing.T, spec process.Spec) {
		tree := start(t, spec, ruby(t), "--disable=gems", "-e", burn)
		announced(t, tree, 2)
		var want float64
		await(t, "four processes are done", func() bool {
			used := usedBy(tree)
			want = sum(used)
			return len(used) == 4
		})
		await(t, "the orphan is reaped", func() bool { return len(pidsOf(t, tree)) == 2 })
		before, err := tree.CPU()
		if err != nil {
			t.Fatal(err)
		}
		stop(t, tree)
		after, _ := tree.CPU()
		// Beside the burning: two forks that end at once, and 10 ms ticks.
		if before < want-0.03 || before > want+0.15 || after < before || after > before+0.1 {
			t.Errorf("%.3f s, after the end %.3f s; the processes themselves say %.3f s", before, after, want)
		}
	})
}

func usedBy(tree *process.Tree) []float64 {
	var used []float64
	for _, line := range tree.Tail(100) {
		if text, found := strings.CutPrefix(line, "used "); found {
			seconds, _ := strconv.ParseFloat(text, 64)
			used = append(used, seconds)
		}
	}
	return used
}

func sum(values []float64) float64 {
	var total float64
	for _, v := range values {
		total += v
	}
	return total
}

// Four processes share 64 MB: PSS counts them once, RSS four times.
func TestMemoryCountsSharedPagesOnce(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		tree := start(t, spec, ruby(t), "--disable=gems", "-e", announce+
			`text = "x" * (64 << 20); 3.times { fork { announce; sleep } }; announce; sleep; text`)
		pids := announced(t, tree, 4)
		sampler := tree.StartSampling(10 * time.Millisecond)
		memory, err := tree.Memory()
		if err != nil || !memory.HavePSS {
			t.Fatalf("%+v, %v", memory, err)
		}
		if memory.PSS < 64*mb || memory.PSS > 128*mb || memory.RSS < 4*64*mb || memory.RSS > 4*128*mb {
			t.Errorf("%+v", memory)
		}
		// The interpreter's own pages are shared with whatever Ruby starts or ends
		// meanwhile.
		if other, err := process.MemoryOf(pids); err != nil || math.Abs(float64(other.PSS-memory.PSS)) > 8*mb {
			t.Errorf("by number %+v, %v; by tree %+v", other, err, memory)
		}
		time.Sleep(30 * time.Millisecond) // a few samples
		soFar := sampler.SoFar()
		if soFar.Samples < 2 || soFar.PSS.Mean < 64*mb || len(soFar.Times) != soFar.Samples {
			t.Errorf("so far %+v", soFar)
		}
		for until := time.Now().Add(10 * time.Second); sampler.SoFar().Samples < soFar.Samples+2; {
			if time.Now().After(until) {
				t.Fatal("the sampling does not go on")
			}
			time.Sleep(10 * time.Millisecond)
		}
		s := sampler.Stop()
		if last := s.Times[len(s.Times)-1].Seconds; last > sampler.Elapsed() || last <= soFar.Times[len(soFar.Times)-1].Seconds {
			t.Errorf("the last sample is of %v", last)
		}
		if s.Samples < 2 || !s.HavePSS || s.PSS.Peak < s.PSS.P95 || s.PSS.Mean < 64*mb || s.RSS.Mean < 4*64*mb {
			t.Errorf("%+v", s)
		}
		kill(t, tree)
		if _, err := process.MemoryOf(pids); err != process.ErrGone {
			t.Errorf("memory of the ended: %v", err)
		}
	})
}

// A Ruby that allocates its first heap obeys no signal, and this one would be
// 40 GB.
func TestCeilingStopsAGrowingRuby(t *testing.T) {
	bothWays(t, func(t *testing.T, spec process.Spec) {
		spec.MemoryCeiling = 300 * mb
		spec.Env = append(spec.Env, "RUBY_GC_HEAP_INIT_SLOTS=1000000000")
		tree := start(t, spec, ruby(t), "-e", "sleep")
		waitDone(t, tree)
		if err := tree.ExitError(); !tree.CeilingExceeded() || err == nil || err.Error() != "killed by SIGKILL" {
			t.Errorf("ceiling exceeded: %v, ended with %v, %q", tree.CeilingExceeded(), err, tree.Tail(5))
		}
	})
}

func TestCeilingCountsAllProcessesAndSharedPagesOnce(t *testing.T) {
	for name, c := range map[string]struct {
		before, after int // MB allocated before and after the forks
		exceeded      bool
	}{"shared": {100, 0, false}, "own": {0, 100, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := start(t, process.Spec{MemoryCeiling: 250 * mb}, ruby(t), "--disable=gems", "-e", announce+
				`a = "x" * (ARGV[0].to_i << 20); 3.times { fork { b = "x" * (ARGV[1].to_i << 20); announce; sleep; b } }; announce; sleep; a`,
				strconv.Itoa(c.before), strconv.Itoa(c.after))
			if c.exceeded {
				waitDone(t, tree)
			} else {
				announced(t, tree, 4)
				memory, _ := tree.Memory()
				if memory.RSS < 400*mb {
					t.Fatalf("the test is none: %+v", memory)
				}
				time.Sleep(100 * time.Millisecond) // five looks of the guard
			}
			if tree.CeilingExceeded() != c.exceeded {
				t.Errorf("ceiling exceeded: %v", tree.CeilingExceeded())
			}
		})
	}
}

// The kernel's OOM killer at work, in a version 1 group that stands for a
// container's limit.
func TestOOMKillIsRecognised(t *testing.T) {
	group, err := os.MkdirTemp(versionOneMemory(t), "gctune-test")
	if err != nil {
		t.Skip("cannot make a version 1 memory group: ", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	write(t, filepath.Join(group, "memory.limit_in_bytes"), strconv.Itoa(150*mb))
	report, err := helper("starved", group, ruby(t), "-e", `x = []; loop { x << "x" * (1 << 20) }`).CombinedOutput()
	if got := string(report); err != nil || got != "true false killed by SIGKILL <nil>\n" {
		t.Errorf("%v: %s", err, got)
	}
}

// versionOneMemory is the version 1 memory group of this process.
func versionOneMemory(t *testing.T) string {
	t.Helper()
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		if _, path, found := strings.Cut(strings.TrimSpace(line), ":memory:"); found {
			return filepath.Join("/sys/fs/cgroup/memory", path)
		}
	}
	t.Skip("there is no version 1 memory controller")
	return ""
}

func TestOOMKilledIsFalseWithoutOne(t *testing.T) {
	tree := start(t, process.Spec{}, "sh", "-c", "kill -KILL $$")
	waitDone(t, tree)
	if tree.OOMKilled() || tree.CeilingExceeded() {
		t.Error("a SIGKILL is taken for an OOM kill")
	}
}
