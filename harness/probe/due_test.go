package probe_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// collector is a process that collects each period of CPU time, give or take, for a
// known cost; at returns its report at a moment.
type collector struct{ begun, costs []float64 }

func newCollector(random *rand.Rand, period, jitter, cost float64) collector {
	c, at := collector{}, period*random.Float64()
	for range 200 {
		c.begun, c.costs = append(c.begun, at), append(c.costs, cost)
		at += period * (1 + jitter*random.NormFloat64())
	}
	return c
}

func (c collector) at(moment float64) probe.Report {
	r := probe.Report{PID: 1, Counted: true, Clock: "total_time", CPU: moment}
	for i, begun := range c.begun {
		if begun > moment {
			break
		}
		r.Count++
		r.Seconds += c.costs[i]
		r.Invoked = begun
	}
	return r
}

// Windows of two and a half cycles have two collections or three; what is due does
// not depend on which, and on average is what it is.
func TestDueSeconds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct{ cycles, jitter, noise float64 }{
		"regular, 2.5 cycles":         {2.5, 0, 0.001},
		"regular, 1.2 cycles":         {1.2, 0, 0.001},
		"by a tenth, 2.5 cycles":      {2.5, 0.1, 0.1},
		"by a tenth, a dozen or so":   {12.4, 0.1, 0.04},
		"by a quarter, four or five":  {4.5, 0.25, 0.15},
		"by a quarter, nine or so":    {9, 0.25, 0.1},
		"by a quarter, two or a half": {2.2, 0.25, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			var sum, squares, raw, n float64
			truth := 0.06 * c.cycles
			for range 2000 {
				process := newCollector(random, 1, c.jitter, 0.06)
				from := 20 + random.Float64()
				d, err := probe.Between(process.at(from), process.at(from+c.cycles))
				if err != nil {
					t.Fatal(err)
				}
				error := d.DueSeconds()/truth - 1
				sum, squares, n = sum+error, squares+error*error, n+1
				raw += math.Pow(d.Seconds/truth-1, 2)
			}
			mean, deviation := sum/n, math.Sqrt(squares/n)
			t.Logf("%s: off by %.3f, %.3f; as seen %.3f", name, mean, deviation, math.Sqrt(raw/n))
			if math.Abs(mean) > 0.03 || deviation > c.noise || deviation > math.Sqrt(raw/n) {
				t.Errorf("off by %.3f on average and %.3f as a standard deviation; as seen %.3f", mean, deviation, math.Sqrt(raw/n))
			}
		})
	}
}

// Two collections in a row, and none for a long time after them, are no short cycle.
func TestDueSecondsOfABurst(t *testing.T) {
	c := collector{begun: []float64{1, 1.99, 2.01}, costs: []float64{0.06, 0.06, 0.06}}
	d, err := probe.Between(c.at(2), c.at(4))
	if err != nil || d.Count != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if due := d.DueSeconds(); due < 0.06 || due > 0.12 {
		t.Errorf("%v s are due to 2 s with one collection, 1.99 s of which had none", due)
	}
	if none, _ := probe.Between(c.at(2.5), c.at(4)); none.DueSeconds() != 0 {
		t.Errorf("%v s without a collection", none.DueSeconds())
	}
}
