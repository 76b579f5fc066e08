package main

import (
	"math"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

type predictionJSON struct {
	Setting        space.Setting                 `json:"setting"`
	Predicted      map[string]objective.Interval `json:"predicted"`
	CalibratedFrom []int                         `json:"calibrated_from"`
	// Defaults is what the model says of the defaults.
	Defaults map[string]objective.Interval `json:"defaults"`
	// Measured is the trial that has measured this setting; null where none has.
	Measured *trialJSON     `json:"measured"`
	Why      []string       `json:"why"`
	Notes    []string       `json:"notes"`
	Agrees   *agreementJSON `json:"agreement"`
}

func (e *explanation) predictionJSON(chosen selection) predictionJSON {
	f := e.foretell(chosen)
	j := predictionJSON{
		Setting: chosen.setting, Predicted: predictedJSON(f.expected), CalibratedFrom: e.foresight.From,
		Defaults: predictedJSON(f.before), Why: append([]string{}, e.why(f)...), Notes: append([]string{}, e.notes(f)...), Agrees: e.agreementJSON(),
	}
	if j.Setting == nil {
		j.Setting = space.Setting{}
	}
	if f.measured != nil {
		t := trialToJSON(e.definition, *f.measured, e.definition.Estimates(e.trials))
		j.Measured = &t
	}
	return j
}

func predictedJSON(p gcmodel.Prediction) map[string]objective.Interval {
	j := map[string]objective.Interval{}
	for name, e := range map[string]gcmodel.Estimate{
		"memory_bytes": p.MemoryBytes, "slots": p.Slots, "live_slots": p.Live,
		"collections_per_1000_requests":       p.CollectionsPer1000,
		"minor_collections_per_1000_requests": p.MinorPer1000,
		"major_collections_per_1000_requests": p.MajorPer1000,
	} {
		j[name] = objective.Interval{Estimate: e.Estimate, Low: e.Low, High: e.High}
	}
	if e := p.SecondsPer1000; e.Estimate > 0 {
		j["gc_seconds_per_1000_requests"] = objective.Interval{Estimate: e.Estimate, Low: e.Low, High: e.High}
	}
	return j
}

// agreementJSON is null where nothing was compared; its ranks are where not known.
type agreementJSON struct {
	Trials          int      `json:"trials"`
	MemoryError     *float64 `json:"memory_error"`
	MemoryRank      *float64 `json:"memory_rank_correlation"`
	CollectionsRank *float64 `json:"collections_rank_correlation"`
	Holds           bool     `json:"holds"`
}

func (e *explanation) agreementJSON() *agreementJSON {
	if e.foresight == nil {
		return nil
	}
	return agreementToJSON(e.agreement())
}

func agreementToJSON(a tuner.Agreement) *agreementJSON {
	if a.Trials == 0 {
		return nil
	}
	return &agreementJSON{a.Trials, finite(a.MemoryError), finite(a.Memory), finite(a.Collections), a.Holds()}
}

// finite is null for what JSON has no number for.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

type explanationJSON struct {
	Study     string        `json:"study"`
	Trial     int           `json:"trial"`
	Setting   space.Setting `json:"setting"`
	Ruby      string        `json:"ruby"`
	Processes int           `json:"processes"`
	Stages    []stageJSON   `json:"stages"`
	// ObjectsPerRequest and TimeShare are null where not known.
	ObjectsPerRequest *float64        `json:"objects_per_request"`
	TimeShare         *float64        `json:"gc_time_share"`
	Reasons           *reasonsJSON    `json:"reasons"`
	Parameters        []influenceJSON `json:"parameters"`
	CalibratedFrom    []int           `json:"calibrated_from"`
	Silent            *string         `json:"silent"`
	Agrees            *agreementJSON  `json:"agreement"`
}

type stageJSON struct {
	Stage       string         `json:"stage"`
	Requests    float64        `json:"requests"`
	Minor       pausesJSON     `json:"minor"`
	Major       pausesJSON     `json:"major"`
	Unseen      int            `json:"unseen"`
	Slots       *float64       `json:"slots"`
	Live        *float64       `json:"live_slots"`
	Objects     *float64       `json:"objects"`
	Memory      *float64       `json:"rss_bytes"`
	StartedBy   map[string]int `json:"started_by"`
	MadeMajorBy map[string]int `json:"made_major_by"`
}

type pausesJSON struct {
	Count   int      `json:"count"`
	Mean    *float64 `json:"mean_seconds"`
	Longest *float64 `json:"longest_seconds"`
}

// reasonsJSON are shares over the windows of all trials.
type reasonsJSON struct {
	Trials int                `json:"trials"`
	Seen   float64            `json:"seen"`
	Shares map[string]float64 `json:"shares"`
}

type influenceJSON struct {
	Parameter   string    `json:"parameter"`
	Collections *spanJSON `json:"collections_ratio"`
	Memory      *spanJSON `json:"memory_ratio"`
	Matters     *bool     `json:"matters"`
	// Inert is why it could not act in any trial; null where it could.
	Inert *string `json:"inert"`
}

// spanJSON has null for what is infinite: there was nothing to begin with.
type spanJSON struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

func (e *explanation) json() (explanationJSON, error) {
	j := explanationJSON{
		Study: e.Name, Trial: e.trial.Number, Setting: e.trial.Setting, Ruby: e.heap.Ruby, Processes: e.heap.Processes,
		Stages: []stageJSON{}, Parameters: []influenceJSON{}, CalibratedFrom: []int{}, Agrees: e.agreementJSON(), Reasons: e.reasonsJSON(),
	}
	if j.Setting == nil {
		j.Setting = space.Setting{}
	}
	for _, s := range e.heap.Stages {
		j.Stages = append(j.Stages, stageToJSON(s))
	}
	if w, found := e.heap.Stage(gcmodel.Window); found && w.Requests > 0 {
		j.ObjectsPerRequest = positive(w.Objects / w.Requests)
	}
	if share, known := e.trial.Metrics[shareMetric]; known {
		j.TimeShare = &share
	}
	if e.foresight == nil {
		why := e.whySilent()
		j.Silent = &why
	} else {
		j.CalibratedFrom = e.foresight.From
	}
	var err error
	j.Parameters, err = e.parametersJSON()
	return j, err
}

func stageToJSON(s explain.Stage) stageJSON {
	return stageJSON{
		Stage: s.Name, Requests: s.Requests, Minor: pausesToJSON(s.Minor), Major: pausesToJSON(s.Major), Unseen: s.Unseen,
		Slots: positive(s.Slots), Live: positive(s.Live), Objects: positive(s.Objects), Memory: positive(float64(s.RSSBytes)),
		StartedBy: s.By, MadeMajorBy: s.MajorBy,
	}
}

func pausesToJSON(p explain.Pauses) pausesJSON {
	longest := p.Longest
	if p.Timed > 1 && longest == p.Shortest { // a mean
		longest = 0
	}
	return pausesJSON{p.Count, positive(p.Mean()), positive(longest)}
}

// positive is null for 0, which stands for what is not known, and for what JSON has no
// number for.
func positive(x float64) *float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func (s *storedStudy) reasonsJSON() *reasonsJSON {
	reasons, known := tuner.ReasonsOf(s.trials)
	if !known {
		return nil
	}
	j := &reasonsJSON{reasons.Trials, reasons.Seen, map[string]float64{}}
	for _, name := range []string{
		"gc_by_slots_share", "gc_by_malloc_share", "gc_by_other_share", "gc_major_by_oldmalloc_share",
		"gc_major_by_oldobjects_share", "gc_major_by_unprotected_share", "gc_major_by_other_share",
	} {
		j.Shares[name] = reasons.Share(name)
	}
	return j
}

// parametersJSON has all that are searched, also where the model is silent.
func (e *explanation) parametersJSON() ([]influenceJSON, error) {
	inert, all := e.inert(), []influenceJSON{}
	add := func(j influenceJSON) {
		if why, idle := inert[j.Parameter]; idle {
			j.Inert = &why
		}
		all = append(all, j)
	}
	if e.foresight == nil {
		for _, p := range e.definition.Parameters {
			add(influenceJSON{Parameter: p.Name})
		}
		return all, nil
	}
	found, err := e.influences()
	for _, i := range found {
		matters := i.Matters()
		add(influenceJSON{
			Parameter: i.Name, Matters: &matters,
			Collections: &spanJSON{finite(i.Collections.Low), finite(i.Collections.High)}, Memory: &spanJSON{finite(i.Memory.Low), finite(i.Memory.High)},
		})
	}
	return all, err
}
