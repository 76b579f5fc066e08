package gcmodel_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// recorded is a file of testdata: logs of real runs, and what other runs of the
// same program came to under settings drawn at random, from all that can be set.
type recorded struct {
	Logs     []gcmodel.Log `json:"logs"`
	Measured []measured    `json:"measured"`
}

// measured are a setting's collections in the window, and memory.
type measured struct {
	Setting     map[string]string `json:"setting"`
	Collections float64           `json:"collections"`
	Major       float64           `json:"major"`
	MemoryBytes float64           `json:"memory_bytes"`
	Slots       float64           `json:"slots"` // 0 where not known
}

func readRecorded(tb testing.TB, name string) recorded {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		tb.Fatal(err)
	}
	return r
}

func mustCalibrate(tb testing.TB, logs ...gcmodel.Log) *gcmodel.Profile {
	tb.Helper()
	profile, err := gcmodel.Calibrate(logs)
	if err != nil {
		tb.Fatal(err)
	}
	return profile
}

// comparison is how predictions compare with what was measured.
type comparison struct {
	rank, memoryRank           float64 // Spearman's correlation
	memoryError                float64 // median, relative
	within, memoryWithin, runs int     // their bounds
}

func compare(tb testing.TB, r recorded, logs ...gcmodel.Log) comparison {
	tb.Helper()
	profile := mustCalibrate(tb, logs...)
	var predicted, seen, memory, seenMemory, wrong []float64
	c := comparison{runs: len(r.Measured)}
	for _, m := range r.Measured {
		p := profile.Predict(m.Setting)
		of := p.CollectionsPer1000
		n := m.Collections * 1000 / logs[0].Requests
		if of.Low <= n && n <= of.High {
			c.within++
		}
		if p.MemoryBytes.Low <= m.MemoryBytes && m.MemoryBytes <= p.MemoryBytes.High {
			c.memoryWithin++
		}
		tb.Logf("collections %6.1f of %6.0f, memory %6.1f of %6.1f MiB", of.Estimate*logs[0].Requests/1000, m.Collections,
			p.MemoryBytes.Estimate/(1<<20), m.MemoryBytes/(1<<20))
		predicted, seen = append(predicted, of.Estimate), append(seen, n)
		memory, seenMemory = append(memory, p.MemoryBytes.Estimate), append(seenMemory, m.MemoryBytes)
		wrong = append(wrong, math.Abs(p.MemoryBytes.Estimate/m.MemoryBytes-1))
	}
	c.rank, c.memoryRank = spearman(predicted, seen), spearman(memory, seenMemory)
	slices.Sort(wrong)
	c.memoryError = wrong[len(wrong)/2]
	return c
}

func TestSettingsNeverRun(t *testing.T) {
	for name, most := range map[string]float64{"blog-3.1.json": 0.04, "blog-3.3.json": 0.045, "blog-3.4.json": 0.045} {
		t.Run(name, func(t *testing.T) {
			r := readRecorded(t, name)
			c := compare(t, r, r.Logs[0])
			if c.rank < 0.93 {
				t.Errorf("rank correlation of collections %.3f, want 0.93", c.rank)
			}
			if c.memoryRank < 0.93 || c.memoryError > most {
				t.Errorf("memory: rank correlation %.3f, want 0.93; median error %.1f %%, want at most %.1f %%",
					c.memoryRank, 100*c.memoryError, 100*most)
			}
			// 95 % of 12, less what chance allows.
			if c.within < c.runs-2 || c.memoryWithin < c.runs-2 {
				t.Errorf("of %d runs, %d collections and %d memories were within the bounds", c.runs, c.within, c.memoryWithin)
			}
		})
	}
}

// Two workers of Puma, forked when the application was loaded: memory is the sum of
// the parent's and the workers' proportional sets. What the workers write to is no
// longer shared. No constant was set by these runs.
func TestForkedProcesses(t *testing.T) {
	r := readRecorded(t, "workers-3.1.json")
	c := compare(t, r, r.Logs[0])
	if c.rank < 0.98 || c.memoryRank < 0.99 || c.memoryError > 0.04 {
		t.Errorf("rank correlations %.3f of collections, %.3f of memory, whose median error is %.3f; want 0.98, 0.99, 0.04", c.rank, c.memoryRank, c.memoryError)
	}
	if c.within < c.runs-1 || c.memoryWithin < c.runs-1 {
		t.Errorf("of %d runs, %d collections and %d memories were within the bounds", c.runs, c.within, c.memoryWithin)
	}
}

// Initial slots that are never needed take no pages: in these runs nothing was
// collected after boot, and the heap has what was allocated.
func TestInitialSlotsBeyondNeed(t *testing.T) {
	r := readRecorded(t, "init-3.3.json")
	profile := mustCalibrate(t, r.Logs[0])
	for _, m := range r.Measured {
		p := profile.Predict(m.Setting)
		if math.Abs(p.Slots.Estimate/m.Slots-1) > 0.1 {
			t.Errorf("%v: %.0f slots, measured %.0f", m.Setting, p.Slots.Estimate, m.Slots)
		}
		if p.MemoryBytes.Low > m.MemoryBytes || m.MemoryBytes > p.MemoryBytes.High {
			t.Errorf("%v: memory %v, measured %.0f", m.Setting, p.MemoryBytes, m.MemoryBytes)
		}
	}
}

// A heap has no more slots than objects were allocated, and what is left of a page
// of each size.
func TestNoMoreSlotsThanObjects(t *testing.T) {
	for _, name := range []string{"init-3.3.json", "blog-3.3.json"} {
		for _, ruby := range []string{"ruby 3.3.8 (2025-04-09)", "ruby 3.4.5 (2025-07-16)"} {
			l := readRecorded(t, name).Logs[0]
			l.Ruby = ruby
			objects := l.Processes[0].Marks[2].Stat["total_allocated_objects"]
			setting := map[string]string{"RUBY_GC_HEAP_0_INIT_SLOTS": "1000000000", "RUBY_GC_MALLOC_LIMIT": "100g", "RUBY_GC_OLDMALLOC_LIMIT": "100g"}
			if p := mustCalibrate(t, l).Predict(setting); p.Slots.Estimate > objects+5*1638 {
				t.Errorf("%s, %s: %.0f slots of %.0f objects", name, ruby, p.Slots.Estimate, objects)
			}
		}
	}
}

// A small heap does not show how much a program allocates beside its slots. The
// bounds must say so, and one run of a large heap must tell it.
func TestSecondLogTellsWhatStringsTake(t *testing.T) {
	r := readRecorded(t, "strings-3.1.json")
	alone, both := compare(t, r, r.Logs[0]), compare(t, r, r.Logs...)
	if alone.within < alone.runs-2 {
		t.Errorf("from the first log, of %d runs %d were within the bounds of collections", alone.runs, alone.within)
	}
	if both.rank < 0.85 || both.memoryRank < 0.8 || both.rank < alone.rank+0.1 {
		t.Errorf("from both logs, rank correlations %.3f of collections and %.3f of memory; from one, %.3f and %.3f",
			both.rank, both.memoryRank, alone.rank, alone.memoryRank)
	}
	if both.memoryError > alone.memoryError/3 {
		t.Errorf("median error of memory %.2f from both logs, %.2f from one", both.memoryError, alone.memoryError)
	}
}

func spearman(x, y []float64) float64 { return pearson(ranks(x), ranks(y)) }

// ranks gives equal values their mean rank.
func ranks(x []float64) []float64 {
	r := make([]float64, len(x))
	for i := range x {
		for j := range x {
			switch {
			case x[j] < x[i]:
				r[i]++
			case x[j] == x[i]:
				r[i] += 0.5
			}
		}
	}
	return r
}

func pearson(x, y []float64) float64 {
	var mx, my, xy, xx, yy float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(y))
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}
