package studies

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// decodeBody reads a file of the current version. Unknown fields are refused:
// they would be lost silently.
func decodeBody(data []byte) (file, error) {
	var f file
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return file{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := checkTrials(f.Trials); err != nil {
		return f, err
	}
	return f, checkReplays(f)
}

// checkReplays refuses replays of trials that are not in the file. One of a setting
// given by hand has none, which a confirmation cannot be.
func checkReplays(f file) error {
	there := map[int]bool{}
	for _, t := range f.Trials {
		there[t.Number] = true
	}
	for i, r := range f.Replays {
		switch {
		case r.Trial == NoTrial && r.Purpose == Confirmation:
			return fmt.Errorf("%w: replay %d is a confirmation, but of no trial", ErrInvalid, i)
		case r.Trial != NoTrial && !there[r.Trial]:
			return fmt.Errorf("%w: replay %d is of trial %d, which is not in the file", ErrInvalid, i, r.Trial)
		case r.Against != nil && !there[*r.Against]:
			return fmt.Errorf("%w: replay %d is against trial %d, which is not in the file", ErrInvalid, i, *r.Against)
		}
	}
	return nil
}

func checkTrials(all []Trial) error {
	seen := map[int]bool{}
	for i := range all {
		t := &all[i]
		if t.Number < 0 || seen[t.Number] {
			return fmt.Errorf("%w: trial number %d is negative or there twice", ErrInvalid, t.Number)
		}
		seen[t.Number] = true
		if t.State == Running {
			t.State, t.Reason = Interrupted, "it was running when the study was written to a file"
		}
		if !t.State.final() {
			return fmt.Errorf("%w: trial %d has an unknown state %q", ErrInvalid, t.Number, t.State)
		}
		if t.Attempts < 1 {
			return fmt.Errorf("%w: trial %d was never begun: \"attempts\" is %d", ErrInvalid, t.Number, t.Attempts)
		}
	}
	return nil
}
