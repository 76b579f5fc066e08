package gcmodel

import (
	"errors"
	"fmt"
)

// Errors of Calibrate, for callers to decide on.
var (
	// ErrUnknown: there is no model of the interpreter that a log is from.
	ErrUnknown = errors.New("no model of this interpreter's collector")
	// ErrTooLittle: a log has too few collections, or lacks a mark, to tell what
	// the program does, or figures that no run has.
	ErrTooLittle = errors.New("too little in the log to calibrate a model")
)

// Calibrate learns from logs what a program does to a heap. All must be of the
// same program under the same load, on the same interpreter; their settings may
// be any, and differ. What cannot be learnt from the first log (such as what the
// malloc limits hide) is learnt from the others.
//
// Its errors are ErrUnknown and ErrTooLittle, wrapped.
func Calibrate(logs []Log) (*Profile, error) {
	if len(logs) == 0 {
		return nil, fmt.Errorf("calibrate the model of the collector: no log: %w", ErrTooLittle)
	}
	version, ok := parseVersion(logs[0].Ruby)
	if !ok {
		return nil, fmt.Errorf("calibrate the model of the collector: interpreter %q: %w", logs[0].Ruby, ErrUnknown)
	}
	for _, l := range logs[1:] {
		if other, _ := parseVersion(l.Ruby); other != version {
			return nil, fmt.Errorf("calibrate the model of the collector: logs of %q and %q: %w", logs[0].Ruby, l.Ruby, ErrUnknown)
		}
	}
	for _, l := range lines {
		if l.covers(version, logs[0].Ruby) {
			h, err := l.calibrateBelieved(version, logs)
			if err != nil {
				return nil, fmt.Errorf("calibrate the model of the collector: %w", err)
			}
			return &Profile{heap: h}, nil
		}
	}
	return nil, fmt.Errorf("calibrate the model of the collector: interpreter %q: %w", logs[0].Ruby, ErrUnknown)
}

// line is a line of interpreters with one collector.
type line struct {
	covers func(version, string) bool
	// calibrate gives a heap to simulate, or an error that wraps ErrTooLittle.
	calibrate func(version, []Log) (heap, error)
}

func (l line) calibrateBelieved(v version, logs []Log) (heap, error) {
	for _, log := range logs {
		if err := believable(log); err != nil {
			return nil, err
		}
	}
	return l.calibrate(v, logs)
}

// lines are asked in this order; a new one is one more entry.
var lines = []line{
	{isModern, calibrateModern},
	{isEarly, calibrateEarly},
	{isPerHeap, calibratePerHeap},
	{isLegacy, calibrateLegacy},
	{isLazy, calibrateLazy},
}

// heap predicts from what its line of interpreters has learnt of a program.
type heap interface {
	// predict must be safe for concurrent use, and finite in all it says.
	predict(setting map[string]string) Prediction
}
