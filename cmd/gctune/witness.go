package main

import (
	"context"
	"maps"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies"
)

// observed are the facts of a fingerprint that only a running program tells.
var observed = []string{harness.FactWorkers, harness.FactAllocator, harness.FactRuby}

// witness compares what the first measured run turns out to be with what a study
// has recorded.
type witness struct {
	study   string
	before  map[string]string
	instead string
	// anyway takes the new facts for the study's.
	anyway bool
	// keep records facts that the study has not; nil keeps none.
	keep func(facts map[string]string) error
	done bool
}

func (w *witness) check(r harness.Result) error {
	if w.done || r.State != harness.Complete || len(r.Facts) == 0 {
		return nil
	}
	before, now := map[string]string{}, map[string]string{}
	for _, name := range observed {
		if value, known := w.before[name]; known {
			before[name] = value
		}
		if value, known := r.Facts[name]; known {
			now[name] = value
		}
	}
	if differ := differences(before, now); len(differ) > 0 && !w.anyway {
		return otherCircumstances(w.study, differ, w.instead)
	}
	w.done = true
	if w.keep == nil || maps.Equal(before, now) {
		return nil
	}
	return w.keep(now)
}

// witnessed is a workload whose runs are looked at.
func (w *witness) witnessed(inner harness.Workload) harness.Workload {
	if pairs, ok := inner.(harness.PairedWorkload); ok {
		return witnessedPairs{witnessedRuns{inner, w}, pairs}
	}
	return witnessedRuns{inner, w}
}

type witnessedRuns struct {
	harness.Workload
	witness *witness
}

// Run refuses a run that is not what the study was of.
func (w witnessedRuns) Run(ctx context.Context, t harness.Trial) (harness.Result, error) {
	result, err := w.Workload.Run(ctx, t)
	if err == nil {
		err = w.witness.check(result)
	}
	return result, err
}

type witnessedPairs struct {
	witnessedRuns
	pairs harness.PairedWorkload
}

// RunPair refuses a pair that is not what the study was of.
func (w witnessedPairs) RunPair(ctx context.Context, setting, baseline harness.Trial, baselineFirst bool) (ofSetting, ofBaseline harness.Result, err error) {
	ofSetting, ofBaseline, err = w.pairs.RunPair(ctx, setting, baseline, baselineFirst)
	if err == nil {
		err = w.witness.check(ofBaseline)
	}
	return ofSetting, ofBaseline, err
}

// keepFacts records them with the study.
func keepFacts(ctx context.Context, store *studies.Store, study studies.Study) func(map[string]string) error {
	return func(facts map[string]string) error {
		fingerprint := maps.Clone(study.Fingerprint)
		maps.Copy(fingerprint, facts)
		study.Fingerprint = fingerprint
		return store.UpdateStudy(context.WithoutCancel(ctx), study)
	}
}
