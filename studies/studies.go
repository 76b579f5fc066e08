// Package studies keeps studies, their trials and their replays in one SQLite
// file, so that nothing measured is lost and an interrupted study goes on.
//
// A trial is begun before its command is launched and finished in one
// transaction. A study is claimed by one process at a time; readers never wait
// for the writer and the writer never waits for readers.
//
// The package holds plain values and gives no meaning to them: it starts no
// command, ranks nothing and knows neither losses nor fronts.
package studies

import (
	"encoding/json"
	"time"
)

// Study is one search: one application, interpreter, load and search space.
type Study struct {
	// ID identifies the study within its store; the store assigns it and
	// never gives it again, even after the study is deleted.
	ID int64 `json:"-"`
	// Name is unique within a store: one line of text, not empty.
	Name    string    `json:"name"`
	Created time.Time `json:"created,omitzero"`
	// Seed is what the sampler was seeded with. It is text in JSON, since
	// readers with only floating-point numbers would round it.
	Seed    uint64 `json:"seed,string"`
	Sampler string `json:"sampler"`
	// Config is the configuration as the user wrote it, kept as a record.
	// It is never executed: what runs comes from the local configuration.
	Config string `json:"config"`
	// Definition is the study as the program understood it, any JSON.
	Definition json.RawMessage `json:"definition,omitempty"`
	// Fingerprint names the interpreter, application, machine and
	// configuration that the figures hold for.
	Fingerprint map[string]string `json:"fingerprint,omitempty"`
}

// State says how far a trial came.
type State string

// The states of a trial.
const (
	// Running: begun, not finished.
	Running State = "running"
	// Interrupted: its process ended before the trial did.
	Interrupted State = "interrupted"
	// Complete: measured.
	Complete State = "complete"
	// Infeasible: the setting cannot be used; Reason says why.
	Infeasible State = "infeasible"
	// Failed: something other than the setting went wrong.
	Failed State = "failed"
	// Void: measured, but the figures cannot be trusted.
	Void State = "void"
)

// repeatable says whether a trial in this state may be begun again.
func (s State) repeatable() bool {
	return s == Interrupted || s == Failed || s == Void
}

// final says whether a trial may be finished in this state.
func (s State) final() bool {
	return s.repeatable() || s == Complete || s == Infeasible
}

// Trial is one setting measured.
type Trial struct {
	// Number counts the study's trials from 0, which is the baseline.
	Number int `json:"number"`
	// Origin is what proposed the setting: baseline, public, a sampler's name.
	Origin string `json:"origin"`
	// Setting holds canonical texts; a missing name is left to the interpreter.
	Setting map[string]string `json:"setting"`
	State   State             `json:"state"`
	// Reason is one sentence on why the trial is not complete.
	Reason string `json:"reason,omitempty"`
	// Attempts counts how often the trial was begun.
	Attempts int       `json:"attempts"`
	Started  time.Time `json:"started,omitzero"`
	// Finished is zero while the trial runs, and when it was interrupted,
	// since nobody saw when.
	Finished time.Time `json:"finished,omitzero"`
	Runs     []Run     `json:"runs,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	// OutputPath is the file with the measured program's output. Like Marker
	// it means something on this machine only, and is not written to files.
	OutputPath string `json:"-"`
	// Marker is the text in the environment of every process started for the
	// trial, by which processes left over from it are found.
	Marker string `json:"-"`
}

// Run is one measurement of a trial's setting.
type Run struct {
	// Metrics are finite and in base units; the unit is part of the name.
	Metrics map[string]float64 `json:"metrics"`
	// Seconds is the run's length on the wall clock, start and stop included.
	Seconds  float64   `json:"seconds"`
	Started  time.Time `json:"started,omitzero"`
	Warnings []string  `json:"warnings,omitempty"`
	// Log is what was recorded of the program's collections, packed. Trials leaves it
	// out; Logs has it.
	Log []byte `json:"collections,omitempty"`
}

// Outcome is how a trial ended.
type Outcome struct {
	// State is any but Running.
	State      State
	Reason     string
	Runs       []Run
	Warnings   []string
	OutputPath string
	Finished   time.Time
}

// Ratio is an effect relative to the baseline, with its interval.
type Ratio struct {
	Low      float64 `json:"low"`
	Estimate float64 `json:"estimate"`
	High     float64 `json:"high"`
}

// Pair is the metrics of one pair of processes that were measured together.
type Pair struct {
	Setting  map[string]float64 `json:"setting"`
	Baseline map[string]float64 `json:"baseline"`
	// BaselineFirst says which of the two was started first.
	BaselineFirst bool `json:"baseline_first,omitempty"`
}

// NoTrial is Replay.Trial for a setting that is not one of the study's trials.
const NoTrial = -1

// Confirmation is Replay.Purpose of what was measured to confirm a front.
const Confirmation = "confirmation"

// Replay is a setting measured again, paired with the baseline.
type Replay struct {
	// ID identifies the replay within its store, which assigns it.
	ID int64 `json:"-"`
	// Trial is the number of the trial replayed, or NoTrial.
	Trial   int               `json:"trial"`
	Setting map[string]string `json:"setting"`
	// Purpose is Confirmation, or empty where a person asked for it.
	Purpose string `json:"purpose,omitempty"`
	// Against is the trial in the baseline's place; nil for the baseline itself.
	Against *int `json:"against,omitempty"`
	// Ended says that no more pairs are to come, as far as one may know.
	Ended bool `json:"ended,omitempty"`
	// Failure is why the setting could not be measured; empty where it could.
	Failure string `json:"failure,omitempty"`
	// Accident says that the failure was not the setting's doing, as far as one may
	// know: another attempt is worth while.
	Accident bool `json:"accident,omitempty"`
	// Planned is how many settings the confirmation was to measure again; 0 in what
	// earlier versions stored.
	Planned int `json:"planned,omitempty"`
	// Confidence is that of each interval, which is more than 95 % where several
	// hold together with 95 %; 0 in what earlier versions stored.
	Confidence float64 `json:"confidence,omitempty"`
	Pairs      []Pair  `json:"pairs,omitempty"`
	Throughput Ratio   `json:"throughput"`
	Memory     Ratio   `json:"memory"`
	// ThroughputVerdict and MemoryVerdict are better, worse or none.
	ThroughputVerdict string    `json:"throughput_verdict"`
	MemoryVerdict     string    `json:"memory_verdict"`
	Created           time.Time `json:"created,omitzero"`
	// Fingerprint is that of the replay, which may differ from the study's.
	Fingerprint map[string]string `json:"fingerprint,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
}
