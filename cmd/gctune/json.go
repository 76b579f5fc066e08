package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/pareto"
	"github.com/gctune/gctune/tuner/space"
)

// The JSON forms are read by other programs: fields are added, never changed.

type trialJSON struct {
	Trial      int                `json:"trial"`
	State      string             `json:"state"`
	Reason     string             `json:"reason"`
	Setting    space.Setting      `json:"setting"`
	Throughput *float64           `json:"throughput"`
	Memory     *float64           `json:"memory_bytes"`
	Metrics    map[string]float64 `json:"metrics"`
	Seconds    float64            `json:"seconds"`
	// What the search believes of the throughput, and the standard error of its
	// logarithm; null where it is not known.
	Estimate *float64 `json:"throughput_estimate"`
	Error    *float64 `json:"throughput_estimate_error"`
	// What was recorded of the collections of its runs; of `trials` alone.
	Collections []gcmodel.Log `json:"collections,omitempty"`
}

// trialToJSON is told what the search believes of the trials, by their numbers.
func trialToJSON(d tuner.Definition, t tuner.Scored, believed map[int]objective.Estimate) trialJSON {
	j := trialJSON{
		Trial:   t.Number,
		State:   string(t.State),
		Reason:  t.Reason,
		Setting: t.Setting,
		Metrics: t.Metrics,
		Seconds: seconds(t),
	}
	if j.Setting == nil {
		j.Setting = space.Setting{}
	}
	if j.Metrics == nil {
		j.Metrics = map[string]float64{}
	}
	if t.Losses != nil {
		throughput, memory := t.Metrics[d.Objectives.Throughput], t.Metrics[d.Objectives.Memory]
		j.Throughput, j.Memory = &throughput, &memory
	}
	if e, known := believed[t.Number]; known {
		throughput := math.Exp(e.Log)
		j.Estimate, j.Error = &throughput, &e.Error
	}
	return j
}

// seconds is what the trial took, all of its runs together.
func seconds(t tuner.Scored) float64 {
	total := 0.0
	for _, run := range t.Runs {
		total += run.Seconds
	}
	if total == 0 && !t.Finished.IsZero() {
		total = t.Finished.Sub(t.Started).Seconds()
	}
	return total
}

type paretoJSON struct {
	Study       string         `json:"study"`
	Baseline    *trialJSON     `json:"baseline"`
	Front       []trialJSON    `json:"front"`
	Choices     map[string]int `json:"choices"`
	Hypervolume *float64       `json:"hypervolume"`
	// What more trials promise; null where it is not known.
	ExpectedGain      *float64 `json:"expected_gain"`
	TrialsSinceGrowth *int     `json:"trials_since_growth"`
	// Confirmed is null where the front was not measured again.
	Confirmed *confirmedJSON `json:"confirmed"`
}

func paretoToJSON(s *storedStudy, front []tuner.Scored, choices []pareto.Choice) (paretoJSON, error) {
	j := paretoJSON{Study: s.Name, Front: []trialJSON{}, Choices: map[string]int{}, Confirmed: s.confirmedJSON()}
	if baseline, ok := s.definition.BaselineOf(s.trials); ok {
		b := trialToJSON(s.definition, baseline, s.estimates)
		j.Baseline = &b
	}
	for _, t := range front {
		j.Front = append(j.Front, trialToJSON(s.definition, t, s.estimates))
	}
	for _, choice := range choices {
		j.Choices[choice.Name] = choice.Point.ID
	}
	if h := s.definition.Hypervolume(s.trials); !math.IsNaN(h) {
		j.Hypervolume = &h
	}
	outlook, known, err := s.outlook()
	if known {
		j.ExpectedGain, j.TrialsSinceGrowth = &outlook.Gain, &outlook.Since
	}
	return j, err
}

type replayJSON struct {
	Setting    space.Setting      `json:"setting"`
	Throughput objective.Interval `json:"throughput_ratio"`
	Memory     objective.Interval `json:"memory_ratio"`
	Verdict    verdictJSON        `json:"verdict"`
	Pairs      int                `json:"pairs"`
	// Confidence is that of each interval: both together hold with 95 %.
	Confidence float64  `json:"confidence"`
	Warnings   []string `json:"warnings"`
}

type verdictJSON struct {
	Throughput objective.Verdict `json:"throughput"`
	Memory     objective.Verdict `json:"memory"`
}

// writeJSON writes one value on one line.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
