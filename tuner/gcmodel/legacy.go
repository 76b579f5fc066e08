package gcmodel

import (
	"fmt"
	"math"
)

// isLegacy: the 1.8 line, whatever patches it has.
func isLegacy(v version, _ string) bool { return v.major == 1 && v.minor == 8 }

// legacyHeap predicts for the 1.8 line.
type legacyHeap struct {
	rules     legacyRules
	program   legacyProgram
	memory    legacyMemory
	processes float64
	requests  float64 // in the window, of one process
}

// calibrateLegacy learns most from the log that has most collections in its
// window, and from the others what that one does not tell.
func calibrateLegacy(_ version, logs []Log) (heap, error) {
	rules := legacyRulesOf(logs)
	var read []legacyRead
	var first error
	for _, l := range logs {
		r, err := readLegacy(l, rules, nil)
		if err == nil {
			read = append(read, r)
		} else if first == nil {
			first = err
		}
	}
	if len(read) == 0 {
		return nil, first
	}
	base := busiest(read)
	h := &legacyHeap{rules: rules, program: base.program, processes: base.processes, requests: base.marks.requests}
	if h.requests <= 0 {
		return nil, fmt.Errorf("a window without requests: %w", ErrTooLittle)
	}
	h.program.complete(read)
	h.remember(read)
	return h, nil
}

// legacyRead is a log as read: its busiest process stands for all.
type legacyRead struct {
	log       Log
	tuning    legacyTuning
	stretches []legacyStretch
	marks     legacyMarks
	program   legacyProgram
	processes float64
}

func readLegacy(l Log, rules legacyRules, rate func(float64) float64) (legacyRead, error) {
	if len(l.Processes) == 0 {
		return legacyRead{}, fmt.Errorf("a log of no process: %w", ErrTooLittle)
	}
	r := legacyRead{log: l, tuning: rules.read(l.Setting), processes: float64(len(l.Processes))}
	var busiest Process
	for _, p := range l.Processes {
		if len(p.Collections) >= len(busiest.Collections) {
			busiest = p
		}
	}
	r.stretches = legacyStretches(busiest, r.tuning, rate)
	var err error
	if r.marks, err = marksOf(busiest, len(r.stretches)); err != nil {
		return r, err
	}
	if l.Requests > 0 {
		r.marks.requests = l.Requests / r.processes
	}
	r.program, err = programOf(r.stretches, r.marks)
	return r, err
}

func busiest(read []legacyRead) legacyRead {
	best := read[0]
	for _, r := range read[1:] {
		if r.marks.end-r.marks.warm > best.marks.end-best.marks.warm {
			best = r
		}
	}
	return best
}

// complete takes from other logs the rate of malloc in the window where the
// program's own has no collection that malloc started.
func (p *legacyProgram) complete(read []legacyRead) {
	for _, r := range read {
		if p.blind && !r.program.blind {
			p.rate, p.blind = r.program.rate, false
		}
	}
}

// predict averages runs that differ in what is chance or not known.
func (h *legacyHeap) predict(setting map[string]string) Prediction {
	t := h.rules.read(setting)
	var collections, slots, live, memory sample
	var doubt float64
	for _, c := range h.program.chances() {
		r := h.program.simulate(t, c)
		collections.add(r.collections)
		slots.add(r.slots)
		live.add(r.live)
		memory.add(h.memory.of(r))
		doubt = math.Max(doubt, h.memory.doubt(r))
	}
	per1000 := 1000 / h.requests
	count := collections.estimate(math.Hypot(0.02, h.program.doubt), 0.5)
	for _, x := range []*float64{&count.Estimate, &count.Low, &count.High} {
		*x = finite(*x * per1000)
	}
	return Prediction{
		MajorPer1000: count, CollectionsPer1000: count,
		Slots:       slots.estimate(0.002, 0),
		Live:        live.estimate(0.005, 0),
		MemoryBytes: memory.estimate(memoryNoise, doubt+h.processes*memoryFloor),
	}
}
