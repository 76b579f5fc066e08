package tuner

import (
	"context"
	"fmt"

	"github.com/gctune/gctune/tuner/space"
)

// foreseer is what a loop knows of the model of the collector.
type foreseer struct {
	asked     bool
	foresight *Foresight // nil where there is none
	told      EventKind  // the latest word about it
}

// guess is what the model expects of settings; nil where there is no model, or the
// trials contradict it. It goes by the store alone, so that a study that is resumed
// proposes what it would have proposed.
func (l *Loop) guess(ctx context.Context, trials []Scored) (func(space.Setting) []float64, error) {
	if !l.Foresee || len(trials) == 0 {
		return nil, nil
	}
	if err := l.calibrate(ctx, trials); err != nil {
		return nil, err
	}
	f := l.foreseer.foresight
	if f == nil {
		return nil, nil
	}
	agreement := f.Agree(trials, l.Definition.Objectives.Memory)
	if !agreement.Holds() {
		l.tellOnce(Event{Kind: Contradicted, Trials: trials, Foresight: f, Agreement: agreement})
		return nil, nil
	}
	l.tellOnce(Event{Kind: Foreseen, Trials: trials, Foresight: f, Agreement: agreement})
	return f.Guess(trials), nil
}

// calibrate makes the model when the baseline is there, once.
func (l *Loop) calibrate(ctx context.Context, trials []Scored) error {
	if l.foreseer.asked {
		return nil
	}
	l.foreseer.asked = true
	logs, err := Logs(ctx, l.Store, l.Study)
	if logs == nil && err != nil {
		return fmt.Errorf("reading the logs of collections: %w", err)
	}
	if l.foreseer.foresight, err = l.Definition.Foresee(trials, logs, 0); err != nil {
		l.tellOnce(Event{Kind: Unforeseen, Trials: trials, Err: err})
	}
	return nil
}

func (l *Loop) tellOnce(e Event) {
	if l.foreseer.told != e.Kind {
		l.foreseer.told = e.Kind
		l.Observe(e)
	}
}
