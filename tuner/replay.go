package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/objective"
	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/tuner/space"
)

// Replay measures a setting against the baseline in pairs.
type Replay struct {
	Workload   harness.Workload
	Objectives objective.Objectives
	Setting    space.Setting
	Baseline   space.Setting
	// MinPairs and MaxPairs bound the number of pairs; between them it ends when
	// both intervals are narrower than Precision to each side, or much narrower
	// than the effect itself.
	MinPairs, MaxPairs int
	// Precision is relative: 0.01 is 1 %.
	Precision float64
	// Requests is the size of a server's window; 0 leaves it to the workload.
	Requests int
	// Marker begins the markers of what is started.
	Marker string
	// OutputPath names the file for the output of "setting" or "baseline".
	OutputPath func(which string) string
	// Observe is told of each pair, with the effect as known so far.
	Observe func(Effect)
}

// Effect is what a setting does, relative to the baseline.
type Effect struct {
	Pairs []studies.Pair
	// Throughput and Memory are ratios to the baseline; zero before there are
	// two pairs.
	Throughput, Memory objective.Interval
	Warnings           []string
}

// SettingError says that one side of a replay could not be measured.
type SettingError struct {
	// Setting is empty for the baseline.
	Setting space.Setting
	State   harness.State
	Reason  string
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

// Run measures pair after pair until the effect is known well enough.
func (r *Replay) Run(ctx context.Context) (Effect, error) {
	var effect Effect
	voids := 0
	for !r.enough(effect) {
		// The order of starting is balanced: of two equal servers the second to
		// start is often the faster.
		pair, warnings, err := r.pair(ctx, len(effect.Pairs)%2 == 0)
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
		r.Observe(effect)
	}
	return effect, nil
}

func (r *Replay) enough(e Effect) bool {
	pairs := len(e.Pairs)
	known := r.wellKnown(e.Throughput) && r.wellKnown(e.Memory)
	return pairs >= r.MaxPairs || pairs >= r.MinPairs && known
}

// largeEffect is how many times its own uncertainty an effect has to be for the
// precision not to matter.
const largeEffect = 5

// wellKnown is an interval that is narrow, or that leaves no doubt of a large
// effect.
func (r *Replay) wellKnown(i objective.Interval) bool {
	half := narrowness(i)
	return half <= r.Precision || largeEffect*half <= math.Abs(math.Log(i.Estimate))
}

// narrowness is half the width of an interval of a ratio, in logarithms.
func narrowness(i objective.Interval) float64 {
	if i.Low <= 0 {
		return math.Inf(1)
	}
	return math.Log(i.High/i.Low) / 2
}

func (r *Replay) pair(ctx context.Context, baselineFirst bool) (studies.Pair, []string, error) {
	trial := harness.Trial{Setting: r.Setting, Marker: r.Marker + "setting", OutputPath: r.OutputPath("setting"), Requests: r.Requests}
	baseline := harness.Trial{Setting: r.Baseline, Marker: r.Marker + "baseline", OutputPath: r.OutputPath("baseline"), Requests: r.Requests}
	run := r.inTurn
	if twins, ok := r.Workload.(harness.PairedWorkload); ok {
		run = twins.RunPair
	}
	ofSetting, ofBaseline, err := run(ctx, trial, baseline, baselineFirst)
	if err != nil {
		return studies.Pair{}, nil, err
	}
	for _, side := range []struct {
		result  harness.Result
		setting space.Setting
	}{{ofSetting, r.Setting}, {ofBaseline, r.Baseline}} {
		if side.result.State != harness.Complete && side.result.State != "" {
			return studies.Pair{}, nil, &SettingError{side.setting, side.result.State, side.result.Reason}
		}
	}
	warnings := append(ofSetting.Warnings, ofBaseline.Warnings...)
	return studies.Pair{Setting: ofSetting.Metrics, Baseline: ofBaseline.Metrics}, warnings, nil
}

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
func (r *Replay) estimate(e *Effect) error {
	if len(e.Pairs) < 2 {
		return nil
	}
	for _, o := range []struct {
		metric string
		to     *objective.Interval
	}{{r.Objectives.Throughput, &e.Throughput}, {r.Objectives.Memory, &e.Memory}} {
		var baseline, setting []float64
		for _, pair := range e.Pairs {
			baseline = append(baseline, pair.Baseline[o.metric])
			setting = append(setting, pair.Setting[o.metric])
		}
		ratio, err := objective.PairedRatio(baseline, setting)
		if err != nil {
			return fmt.Errorf("%s: %w", o.metric, err)
		}
		*o.to = ratio
	}
	return nil
}

func appendNew(have, more []string) []string {
	for _, text := range more {
		if !slices.Contains(have, text) {
			have = append(have, text)
		}
	}
	return have
}
