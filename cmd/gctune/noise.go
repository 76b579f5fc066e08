package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner"
)

// nullPairs of equal runs tell the noise roughly: within a factor of two or three.
const nullPairs = 4

// pairNoise is the noise of a pair of runs, in either objective.
type pairNoise struct {
	throughput, memory objective.Noise
	source             string // where it is known from, in a few words
}

func (n pairNoise) known() bool { return n.throughput.Degrees > 0 && n.memory.Degrees > 0 }

// noise says how small an effect can be seen, by what is known of the noise or else
// by measuring the baseline against itself.
func (d *diagnosis) noise(t *target) error {
	if !d.c.IsSet("pairs") {
		noise, err := d.storedNoise(t)
		if err != nil {
			return err
		}
		if noise.known() {
			return d.sayEffect(noise)
		}
	}
	pairs := d.c.Int("pairs")
	if pairs == 0 || !t.definition.HasBaseline {
		return d.say("warn", "noise", "not measured")
	}
	effect, err := d.measureNull(t, pairs)
	if err != nil {
		return err
	}
	noise := noiseOfPairs(t.definition.Objectives, "the pairs just measured", effect.Pairs)
	if err := d.sayEffect(noise); err != nil {
		return err
	}
	return d.sayWindow(t, effect.Pairs, noise)
}

// leastStored are the degrees of freedom from which a study knows its noise better
// than a few new pairs would tell.
const leastStored = 4

// storedNoise is what the study knows: of twins from its replays, else of single
// runs from the repeated baseline. Of those, two make a pair, which is as noisy as
// two runs that nothing has in common; twins do better.
func (d *diagnosis) storedNoise(t *target) (pairNoise, error) {
	s, err := readStudyNamed(d.c, string(t.config.Study))
	if errors.Is(err, studies.ErrNotFound) {
		return pairNoise{}, nil
	}
	if err != nil || len(differences(s.Fingerprint, t.fingerprint())) > 0 {
		return pairNoise{}, err
	}
	var measurements [][]studies.Pair
	for _, r := range s.replays {
		if len(differences(r.Fingerprint, s.Fingerprint)) == 0 {
			measurements = append(measurements, r.Pairs)
		}
	}
	o := t.definition.Objectives
	noise := noiseOfPairs(o, "the pairs of the study's replays", measurements...)
	if noise.known() && noise.throughput.Degrees >= leastStored {
		return noise, nil
	}
	noise = pairNoise{tuner.NoiseOf(s.trials, o.Throughput), tuner.NoiseOf(s.trials, o.Memory), "repeated runs of the study's baseline: twins do better"}
	noise.throughput.SD *= math.Sqrt2
	noise.memory.SD *= math.Sqrt2
	if noise.throughput.Degrees < leastStored {
		return pairNoise{}, nil
	}
	return noise, nil
}

func noiseOfPairs(o objective.Objectives, source string, measurements ...[]studies.Pair) pairNoise {
	of := func(metric string) objective.Noise {
		var ratios [][]objective.TwinRatio
		for _, pairs := range measurements {
			ratios = append(ratios, tuner.TwinRatios(pairs, metric))
		}
		return objective.TwinNoise(ratios...)
	}
	return pairNoise{of(o.Throughput), of(o.Memory), source}
}

// measureNull measures the baseline against itself.
func (d *diagnosis) measureNull(t *target, pairs int) (tuner.Effect, error) {
	dir, err := outputDirectory(d.c.String("store"), string(t.config.Study))
	if err != nil {
		return tuner.Effect{}, err
	}
	marker, err := sweepOnce(d.c)
	if err != nil {
		return tuner.Effect{}, err
	}
	length := time.Duration(2 * float64(pairs) * d.trialSeconds * float64(time.Second))
	fmt.Fprintf(d.c.App.ErrWriter, "noise: measuring %s of equal runs, about %s (--pairs 0 skips it)\n", count(pairs, "pair"), length.Round(time.Second))
	r := &tuner.Replay{
		Workload: t.workload, Objectives: t.definition.Objectives,
		Setting: t.definition.Baseline, Baseline: t.definition.Baseline,
		MinPairs: pairs, MaxPairs: pairs, Confidence: replayConfidence, Now: time.Now, Marker: marker,
		OutputPath: func(which string) string { return filepath.Join(dir, "doctor-"+which+".log") },
		Observe: func(e tuner.Effect) error {
			_, err := fmt.Fprintf(d.c.App.ErrWriter, "noise: pair %d of %d\n", len(e.Pairs), pairs)
			return err
		},
	}
	return r.Run(d.c.Context)
}

// sayEffect says what the noise is, and which effects a replay shows in spite of it.
func (d *diagnosis) sayEffect(n pairNoise) error {
	budget := d.c.Int("budget")
	for _, o := range []struct {
		name  string
		noise objective.Noise
	}{{"throughput", n.throughput}, {"memory", n.memory}} {
		if err := d.say("ok", "noise", "%s: pairs differ by %.2f %% (standard deviation, %s of freedom, from %s)",
			o.name, 100*o.noise.SD, count(o.noise.Degrees, "degree"), n.source); err != nil {
			return err
		}
		if err := d.say("ok", "effect", "%s: a replay of %d pairs shows effects from about %s up, one of %d pairs from %s up, in four of five cases",
			o.name, budget, visible(o.noise, budget), objective.LeastTwins, visible(o.noise, objective.LeastTwins)); err != nil {
			return err
		}
	}
	return nil
}

// visible is the smallest effect that shows, at the confidence of a replay.
func visible(n objective.Noise, pairs int) string {
	return fmt.Sprintf("%.1f %%", 100*n.VisibleEffect(pairs, replayConfidence))
}

// wantedEffect is what a window is said to be long enough for.
const wantedEffect = 0.02

func (d *diagnosis) sayWindow(t *target, pairs []studies.Pair, n pairNoise) error {
	if t.config.Server == nil {
		return nil // there is no window to choose
	}
	var seconds, requests float64
	for _, pair := range pairs {
		seconds += pair.Baseline["window_seconds"] / float64(len(pairs))
		requests += pair.Baseline["requests"] / float64(len(pairs))
	}
	budget := d.c.Int("budget")
	precise := n.throughput.VisibleEffect(budget, replayConfidence) / wantedEffect
	return d.say("ok", "window", "of %.1f s now (%.0f requests as twins); to see %.0f %% with %d pairs it has to be about %.0f s",
		seconds, requests, 100*wantedEffect, budget, math.Ceil(seconds*precise*precise))
}
