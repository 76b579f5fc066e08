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
	seconds   float64 // of CPU time for an effort of 1
}

// calibrateLegacy learns from logs, or where there are none from memory.
func calibrateLegacy(_ version, logs []Log) (heap, error) {
	rules := legacyRulesOf(logs)
	h, read, err := learnLegacy(logs, rules)
	if err == nil {
		h.remember(read)
		return h, nil
	}
	if len(read) == 0 {
		if h, err := calibrateUnlogged(logs, rules); err == nil {
			return h, nil
		}
	}
	return nil, err
}

// learnLegacy learns most from the log that has most collections in its
// window, and from the others what that one does not tell. What memory tells is left.
func learnLegacy(logs []Log, rules legacyRules) (*legacyHeap, []legacyRead, error) {
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
		return nil, nil, first
	}
	base := busiest(read)
	for i, r := range read {
		if !base.program.blind {
			if again, err := readLegacy(r.log, rules, base.program.rateAt); err == nil {
				read[i] = again
			}
		}
	}
	h := &legacyHeap{rules: rules, program: base.program, processes: base.processes, requests: base.marks.requests, seconds: base.seconds}
	if h.requests <= 0 || base.marks.end == base.marks.warm {
		return nil, read, fmt.Errorf("a window without requests, or without a collection: %w", ErrTooLittle)
	}
	h.program.complete(read)
	return h, read, nil
}

// legacyRead is a log as read: its busiest process stands for all.
type legacyRead struct {
	log       Log
	tuning    legacyTuning
	stretches []legacyStretch
	marks     legacyMarks
	program   legacyProgram
	processes float64
	seconds   float64
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
	r.seconds = secondsPerEffort(busiest)
	r.stretches = legacyStretches(busiest, r.tuning, rate)
	if rules.counts {
		shareBytes(r.stretches, rules.early)
	}
	var err error
	if r.marks, err = marksOf(busiest, len(r.stretches)); err != nil {
		return r, err
	}
	r.marks.requests /= r.processes
	if l.Requests > 0 {
		r.marks.requests = l.Requests / r.processes
	}
	r.program, err = programOf(r.stretches, r.marks, rules.early)
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
			p.blind = false
			p.takeShare(math.Min(1, r.program.rate/p.rate))
		}
	}
}

// predict averages runs that differ in what is chance or not known.
func (h *legacyHeap) predict(setting map[string]string) Prediction {
	t := h.rules.read(setting)
	var s legacySamples
	for _, c := range h.program.chances() {
		s.add(h, h.program.simulate(t, c))
	}
	for _, c := range edges() {
		s.widen(h, h.program.simulate(t, c))
	}
	return s.prediction(h)
}

// legacySamples are the figures of some simulated runs of one process.
type legacySamples struct {
	collections, slots, live, seconds, memory sample
	doubt                                     float64 // of memory, the most of any run
}

func (s *legacySamples) add(h *legacyHeap, r legacyRun) {
	s.collections.add(r.collections)
	s.slots.add(r.slots)
	s.live.add(r.live)
	s.seconds.add(r.collections * h.seconds * legacyEffort(r.live, r.slots))
	s.memory.add(h.memory.of(r))
	s.doubt = math.Max(s.doubt, h.memory.doubt(r))
}

// widen takes a run into the bounds and not into the means.
func (s *legacySamples) widen(h *legacyHeap, r legacyRun) {
	s.collections.widen(r.collections)
	s.slots.widen(r.slots)
	s.memory.widen(h.memory.of(r))
}

func (s *legacySamples) prediction(h *legacyHeap) Prediction {
	per1000 := 1000 / h.requests // processes alike, each with its share of the requests
	count := s.collections.estimate(math.Hypot(countNoise, h.program.doubt), countFloor).times(per1000)
	return Prediction{
		MajorPer1000: count, CollectionsPer1000: count,
		SecondsPer1000: s.seconds.estimate(secondsNoise, 0).times(per1000),
		Slots:          s.slots.estimate(slotsNoise, 0),
		Live:           s.live.estimate(liveNoise, 0),
		MemoryBytes:    s.memory.estimate(h.memory.noise, s.doubt+h.processes*memoryFloor),
	}
}

// What the runs of a prediction do not differ by: relative standard deviations,
// and for collections one that the moment when a window begins adds.
const (
	countNoise, countFloor              = 0.02, 0.5
	secondsNoise, slotsNoise, liveNoise = 0.25, 0.002, 0.005
)

func (e Estimate) times(x float64) Estimate {
	return Estimate{finite(e.Estimate * x), finite(e.Low * x), finite(e.High * x)}
}
