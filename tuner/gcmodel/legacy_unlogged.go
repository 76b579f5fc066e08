package gcmodel

import (
	"fmt"
	"math"
)

// Stock 1.8 and MBARI keep no log. There memory is what tells of a program, and
// the number of collections where it was counted: of many programs that could be,
// those that would have had what was measured are kept.

// legacyBlend predicts by programs of which any may be the true one.
type legacyBlend struct{ could []legacyHeap }

const (
	// retained is the share of a boot's objects that stay, and bootRate the malloc
	// bytes of each: as of programs whose logs are known.
	retained, bootRate = 0.45, 100
	// unlikely are relative errors (standard deviations) of what such a program
	// predicts of collections, of memory, and of the live slots of other runs.
	unlikelyCount, unlikelyMemory, unlikelyLive = 0.15, 0.04, 0.03
)

// unlogged gives what a run without a log tells, and false where there is none.
func unlogged(l Log) (legacyMarks, bool) {
	if len(l.Processes) == 0 || l.MemoryBytes <= 0 {
		return legacyMarks{}, false
	}
	m, err := marksOf(l.Processes[0], math.MaxInt32)
	if l.Requests > 0 {
		m.requests = l.Requests / float64(len(l.Processes))
	}
	return m, err == nil && m.requests > 0 && len(l.Processes[0].Collections) == 0
}

func calibrateUnlogged(logs []Log, rules legacyRules) (heap, error) {
	var read []legacyRead
	for _, l := range logs {
		if m, ok := unlogged(l); ok {
			read = append(read, legacyRead{log: l, tuning: rules.read(l.Setting), marks: m, processes: float64(len(l.Processes))})
		}
	}
	if len(read) == 0 {
		return nil, fmt.Errorf("no log of collections, and no memory of a run with its marks: %w", ErrTooLittle)
	}
	var could []legacyHeap
	var likely []float64
	for live := 3e3; live < 3e6; live *= 1.12 {
		for _, rate := range []float64{50, 100, 200, 400} {
			h, likelihood := supposed(read, rules, live, rate)
			could, likely = append(could, h), append(likely, likelihood)
		}
	}
	return legacyBlend{resample(could, likely)}, nil
}

// supposed is the program with so many live objects and so many malloc bytes an
// object, and the logarithm of how likely the runs are if it is that.
func supposed(read []legacyRead, rules legacyRules, live, rate float64) (legacyHeap, float64) {
	first := read[0]
	h := legacyHeap{rules: rules, processes: first.processes, requests: first.marks.requests}
	ready := live / retained
	h.program = legacyProgram{knots: []legacyKnot{{}, {ready, ready * bootRate, live}}, rate: rate, peak: rate, live: live, ready: ready}
	h.program.allocate(first)
	fixed := emptyBytes + liveBytes*live
	h.memory = h.program.newMemory(h.processes, fixed)
	h.memory.noise = unlikelyMemory
	likelihood := 0.0
	for _, r := range read {
		run := h.program.simulate(r.tuning, legacyChance{live: 1, rate: 1, patience: 1, overshoots: leastOvershoots, boot: bootOvershoots})
		likelihood += h.memory.learn(run, r.log.MemoryBytes)
		if counted := float64(r.marks.end - r.marks.warm); r.marks.end > 0 {
			x := math.Log((run.collections+0.5)/(counted+0.5)) / unlikelyCount
			likelihood -= x * x / 2
		}
	}
	return h, likelihood
}

// allocate sets how many objects a request takes, so that the first run has the
// collections that were counted; where none were, a hundred thousand.
func (p *legacyProgram) allocate(first legacyRead) {
	each := 1e5
	for range 3 {
		p.warm = p.ready + 0.3*each*first.marks.requests
		p.end = p.warm + each*first.marks.requests
		run := p.simulate(first.tuning, legacyChance{live: 1, rate: 1, patience: 1, overshoots: leastOvershoots, boot: bootOvershoots})
		if first.marks.end == 0 {
			p.doubt = 1
			return
		}
		each *= math.Max(0.5, float64(first.marks.end-first.marks.warm)) / math.Max(0.1, run.collections)
	}
	p.doubt = 0.05
}

// resample draws the runs' number of programs, each as often as it is likely.
func resample(could []legacyHeap, likely []float64) []legacyHeap {
	most, total := math.Inf(-1), 0.0
	for _, x := range likely {
		most = math.Max(most, x)
	}
	for _, x := range likely {
		total += math.Exp(x - most)
	}
	var drawn []legacyHeap
	sum := 0.0
	for i, x := range likely {
		sum += math.Exp(x-most) / total
		for len(drawn) < legacyRuns && (float64(len(drawn))+0.5)/legacyRuns <= sum {
			drawn = append(drawn, could[i])
		}
	}
	return drawn
}

func (b legacyBlend) predict(setting map[string]string) Prediction {
	var s legacySamples
	for i, h := range b.could {
		c := h.program.chances()[i]
		c.live = 1 + (c.live-1)*unlikelyLive/liveDoubt
		s.add(&h, h.program.simulate(h.rules.read(setting), c))
	}
	return s.prediction(&b.could[0])
}
