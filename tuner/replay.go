package tuner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/space"
)

// Replay measures a setting against the baseline, or another setting in its place,
// in pairs of processes.
type Replay struct {
	Workload   harness.Workload
	Objectives objective.Objectives
	Setting    space.Setting
	Baseline   space.Setting
	// Have are pairs that were measured before, with which it goes on.
	Have []studies.Pair
	// MinPairs and MaxPairs bound the number of pairs. Between them it ends at an
	// even number of pairs when both intervals are settled: see
	// objective.SettledTwins, which Precision is for.
	MinPairs, MaxPairs int
	Precision          float64
	// Confidence is that of each of the intervals.
	Confidence float64
	// Deadline, unless zero, is when no further pair is begun; Now is the clock.
	Deadline time.Time
	Now      func() time.Time
	// Marker begins the markers of what is started.
	Marker string
	// OutputPath names the file for the output of "setting" or "baseline".
	OutputPath func(which string) string
	// Observe is told of each pair, with the effect as known so far; an error ends
	// the replay.
	Observe func(Effect) error

	alone string // why there are no twins, once that is known
}

// Effect is what a setting does, relative to the baseline.
type Effect struct {
	Pairs []studies.Pair
	// Throughput and Memory are ratios to the baseline; zero before there are
	// two pairs.
	Throughput, Memory objective.Interval
	Warnings           []string
}

// Keep writes the effect into what is stored of a replay.
func (e Effect) Keep(r *studies.Replay, confidence float64) {
	r.Pairs, r.Warnings, r.Confidence = e.Pairs, appendNew(r.Warnings, e.Warnings), confidence
	r.Throughput, r.Memory = stored(e.Throughput), stored(e.Memory)
	r.ThroughputVerdict, r.MemoryVerdict = string(objective.None), string(objective.None)
	if len(e.Pairs) > 1 {
		r.ThroughputVerdict = string(objective.ThroughputVerdict(e.Throughput))
		r.MemoryVerdict = string(objective.MemoryVerdict(e.Memory))
	}
}

func stored(i objective.Interval) studies.Ratio {
	return studies.Ratio{Low: i.Low, Estimate: i.Estimate, High: i.High}
}

// SettingError says that one side of a replay could not be measured.
type SettingError struct {
	// Setting is empty for the baseline.
	Setting space.Setting
	State   harness.State
	Reason  string
	// Accident says that another attempt may well succeed.
	Accident bool
}

func (e *SettingError) Error() string {
	what := "the baseline"
	if len(e.Setting) > 0 {
		what = e.Setting.Key()
	}
	return fmt.Sprintf("%s could not be measured (%s): %s", what, e.State, e.Reason)
}

// voidPairs is how many pairs may be void before the replay gives up.
const voidPairs = 3

// Run measures pair after pair until the effect is known well enough, or the pairs
// or the time are spent.
func (r *Replay) Run(ctx context.Context) (Effect, error) {
	effect := Effect{Pairs: slices.Clone(r.Have)}
	if err := r.estimate(&effect); err != nil {
		return effect, err
	}
	for voids := 0; !r.enough(effect); {
		pair, warnings, err := r.pair(ctx, effect.Pairs)
		var unmeasured *SettingError
		if errors.As(err, &unmeasured) && unmeasured.State == harness.Void && voids < voidPairs {
			voids++
			continue
		}
		if err != nil {
			return effect, err
		}
		effect.Pairs = append(effect.Pairs, pair)
		effect.Warnings = appendNew(effect.Warnings, warnings)
		if err := r.estimate(&effect); err != nil {
			return effect, err
		}
		if err := r.Observe(effect); err != nil {
			return effect, err
		}
	}
	return effect, nil
}

// baselineIsDue balances the order of starting: of two equal servers the second to
// start is often the faster.
func baselineIsDue(pairs []studies.Pair) bool {
	first := 0
	for _, p := range pairs {
		if p.BaselineFirst {
			first++
		}
	}
	return 2*first <= len(pairs)
}

// sideBySide says of which side of which pair the warnings are, and what is true of
// both once.
func (r *Replay) sideBySide(pair int, ofSetting, ofBaseline []string) (warnings []string) {
	baseline := "the defaults"
	if len(r.Baseline) > 0 {
		baseline = r.Baseline.Key()
	}
	same := func(a string) func(string) bool {
		return func(b string) bool { return withoutFigures(a) == withoutFigures(b) }
	}
	for _, w := range ofSetting {
		who := "the setting"
		if slices.ContainsFunc(ofBaseline, same(w)) {
			who = "both sides"
		}
		warnings = append(warnings, fmt.Sprintf("pair %d, %s: %s", pair, who, w))
	}
	for _, w := range ofBaseline {
		if !slices.ContainsFunc(ofSetting, same(w)) {
			warnings = append(warnings, fmt.Sprintf("pair %d, %s: %s", pair, baseline, w))
		}
	}
	return warnings
}

// windowOf is the number of requests in a window, which is that of the first pair; 0
// leaves it to the workload.
func windowOf(pairs []studies.Pair) int {
	if len(pairs) == 0 {
		return 0
	}
	return int(pairs[0].Baseline["requests"])
}

// phase spreads the beginnings of windows, among the pairs of either order alike.
func phase(pairs []studies.Pair, baselineFirst bool) float64 {
	same := 0
	for _, p := range pairs {
		if p.BaselineFirst == baselineFirst {
			same++
		}
	}
	return harness.Phase(same)
}

func (r *Replay) enough(e Effect) bool {
	pairs := len(e.Pairs)
	switch {
	case pairs >= r.MaxPairs:
		return true
	case pairs >= 2 && !r.Deadline.IsZero() && !r.Now().Before(r.Deadline):
		return true
	case pairs < r.MinPairs || pairs%2 == 1:
		return false
	}
	return objective.SettledTwins(e.Throughput, r.Precision) && objective.SettledTwins(e.Memory, r.Precision)
}

// pair measures the next one after those that there are.
func (r *Replay) pair(ctx context.Context, earlier []studies.Pair) (studies.Pair, []string, error) {
	baselineFirst := baselineIsDue(earlier)
	trial := harness.Trial{Setting: r.Setting, Marker: r.Marker + "setting", OutputPath: r.OutputPath("setting")}
	baseline := harness.Trial{Setting: r.Baseline, Marker: r.Marker + "baseline", OutputPath: r.OutputPath("baseline")}
	for _, t := range []*harness.Trial{&trial, &baseline} {
		t.Requests, t.Phase = windowOf(earlier), phase(earlier, baselineFirst)
	}
	ofSetting, ofBaseline, err := r.run(ctx, trial, baseline, baselineFirst)
	if err != nil {
		return studies.Pair{}, nil, err
	}
	for _, side := range []struct {
		result  harness.Result
		setting space.Setting
	}{{ofSetting, r.Setting}, {ofBaseline, r.Baseline}} {
		if side.result.State != harness.Complete && side.result.State != "" {
			return studies.Pair{}, nil, &SettingError{
				side.setting, side.result.State, side.result.Reason,
				side.result.Accident || side.result.State == harness.Void,
			}
		}
	}
	warnings := r.sideBySide(len(earlier)+1, ofSetting.Warnings, ofBaseline.Warnings)
	if r.alone != "" {
		warnings = append(warnings, r.alone)
	}
	return studies.Pair{Setting: ofSetting.Metrics, Baseline: ofBaseline.Metrics, BaselineFirst: baselineFirst}, warnings, nil
}

// run measures twins where the workload can have them and the memory allows for
// two at once, and otherwise one after the other.
func (r *Replay) run(ctx context.Context, setting, baseline harness.Trial, baselineFirst bool) (ofSetting, ofBaseline harness.Result, err error) {
	twins, able := r.Workload.(harness.PairedWorkload)
	if !able || r.alone != "" {
		return r.inTurn(ctx, setting, baseline, baselineFirst)
	}
	ofSetting, ofBaseline, err = twins.RunPair(ctx, setting, baseline, baselineFirst)
	switch {
	case errors.Is(err, harness.ErrNoTwins):
		return r.inTurn(ctx, setting, baseline, baselineFirst)
	case err == nil && (ofSetting.LackedMemory || ofBaseline.LackedMemory):
		r.alone = noRoom
		return r.inTurn(ctx, setting, baseline, baselineFirst)
	}
	return ofSetting, ofBaseline, err
}

const noRoom = "there is not memory enough for two servers at once: they were measured one after the other, which takes more pairs to see as much"

// inTurn is for workloads that cannot run as twins.
func (r *Replay) inTurn(ctx context.Context, setting, baseline harness.Trial, baselineFirst bool) (ofSetting, ofBaseline harness.Result, err error) {
	sides := []struct {
		trial  harness.Trial
		result *harness.Result
	}{{setting, &ofSetting}, {baseline, &ofBaseline}}
	if baselineFirst {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		if *side.result, err = r.Workload.Run(ctx, side.trial); err != nil {
			break
		}
	}
	return ofSetting, ofBaseline, err
}

// estimate brings the intervals up to date with the pairs.
func (r *Replay) estimate(e *Effect) (err error) {
	if len(e.Pairs) < 2 {
		return nil
	}
	if e.Throughput, err = TwinInterval(e.Pairs, r.Objectives.Throughput, r.Confidence); err != nil {
		return err
	}
	e.Memory, err = TwinInterval(e.Pairs, r.Objectives.Memory, r.Confidence)
	return err
}

// TwinInterval is the effect on one metric that pairs show.
func TwinInterval(pairs []studies.Pair, metric string, confidence float64) (objective.Interval, error) {
	i, err := objective.TwinInterval(TwinRatios(pairs, metric), confidence)
	if err != nil {
		return i, fmt.Errorf("%s: %w", metric, err)
	}
	return i, nil
}

// TwinRatios are the ratios of one metric in pairs of processes.
func TwinRatios(pairs []studies.Pair, metric string) []objective.TwinRatio {
	ratios := make([]objective.TwinRatio, len(pairs))
	for i, p := range pairs {
		ratios[i] = objective.TwinRatio{Ratio: p.Setting[metric] / p.Baseline[metric], BaselineFirst: p.BaselineFirst}
	}
	return ratios
}

// appendNew leaves out what is there already, if with other figures.
func appendNew(have, more []string) []string {
	for _, text := range more {
		if !slices.ContainsFunc(have, func(h string) bool { return withoutFigures(h) == withoutFigures(text) }) {
			have = append(have, text)
		}
	}
	return have
}

func withoutFigures(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == '.' {
			return -1
		}
		return r
	}, text)
}
