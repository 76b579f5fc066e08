package studies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Begin records that a trial is about to be launched, and returns it as
// stored. A number that was interrupted, failed or void is begun again: its
// runs are dropped, its attempts go up, and how it ended before is kept among
// its warnings. Errors are ErrExists for any other number that is taken, and
// ErrNotFound for a study that is gone.
//
// Of the trial given, State, Reason, Attempts, Finished and Runs are not used.
func (s *Store) Begin(ctx context.Context, study int64, t Trial) (Trial, error) {
	err := s.update(ctx, fmt.Sprintf("begin trial %d", t.Number), func(tx *sql.Tx) (err error) {
		t.State, t.Reason, t.Attempts, t.Runs = Running, "", 1, nil
		if t, err = again(ctx, tx, study, t); err != nil {
			return err
		}
		return insertTrial(ctx, tx, study, t)
	})
	if err != nil {
		return Trial{}, err
	}
	return t, nil
}

// again clears the way for another attempt at a number.
func again(ctx context.Context, tx *sql.Tx, study int64, t Trial) (Trial, error) {
	var state State
	var attempts int
	var reason string
	var warnings []string
	err := tx.QueryRowContext(ctx,
		"SELECT state, attempts, reason, warnings FROM trials WHERE study = ? AND number = ?", study, t.Number).
		Scan(&state, &attempts, &reason, scanJSON(&warnings))
	if errors.Is(err, sql.ErrNoRows) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	if !state.repeatable() {
		return t, fmt.Errorf("%w: trial %d is %s", ErrExists, t.Number, state)
	}
	t.Attempts = attempts + 1
	warnings = append(warnings, fmt.Sprintf("attempt %d was %s: %s", attempts, state, reason))
	t.Warnings = append(warnings, t.Warnings...)
	_, err = tx.ExecContext(ctx, "DELETE FROM runs WHERE study = ? AND trial = ?", study, t.Number)
	return t, err
}

// insertTrial writes the trial's row, and stamps it with the study's owner.
func insertTrial(ctx context.Context, tx *sql.Tx, study int64, t Trial) error {
	setting := jsonText(t.Setting)
	if setting == nil {
		setting = "{}"
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO trials (study, number, origin, setting, state, reason, attempts, started, finished, warnings,
		                    output_path, marker, owner_pid)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT pid FROM claims WHERE study = ?))
		ON CONFLICT (study, number) DO UPDATE
		SET origin = excluded.origin, setting = excluded.setting, state = excluded.state, reason = excluded.reason,
		    attempts = excluded.attempts, started = excluded.started, finished = excluded.finished,
		    warnings = excluded.warnings, output_path = excluded.output_path, marker = excluded.marker,
		    owner_pid = excluded.owner_pid`,
		study, t.Number, t.Origin, setting, t.State, t.Reason, t.Attempts, timeText(t.Started), timeText(t.Finished),
		jsonText(t.Warnings), t.OutputPath, t.Marker, study)
	return err
}

// Finish records how a running trial ended, all of it or nothing. It also
// works after ctx is cancelled, so that an interrupt loses no measurement.
// Errors are ErrNotFound, ErrNotRunning, ErrDiskFull, and ErrInvalid for a
// metric that is not finite.
func (s *Store) Finish(ctx context.Context, study int64, number int, o Outcome) error {
	ctx = context.WithoutCancel(ctx)
	doing := fmt.Sprintf("finish trial %d", number)
	if !o.State.final() {
		return fmt.Errorf("%s: %w: a trial does not end as %q", doing, ErrInvalid, o.State)
	}
	return s.update(ctx, doing, func(tx *sql.Tx) error {
		warnings, path, err := running(ctx, tx, study, number)
		if err != nil {
			return err
		}
		if o.OutputPath != "" {
			path = o.OutputPath
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE trials SET state = ?, reason = ?, finished = ?, warnings = ?, output_path = ?
			WHERE study = ? AND number = ?`,
			o.State, o.Reason, timeText(o.Finished), jsonText(append(warnings, o.Warnings...)), path, study, number)
		if err != nil {
			return err
		}
		return insertRuns(ctx, tx, study, number, 0, o.Runs)
	})
}

// running returns what a trial's row says before it is finished.
func running(ctx context.Context, tx *sql.Tx, study int64, number int) (warnings []string, path string, err error) {
	var state State
	err = tx.QueryRowContext(ctx,
		"SELECT state, warnings, output_path FROM trials WHERE study = ? AND number = ?", study, number).
		Scan(&state, scanJSON(&warnings), &path)
	if err == nil && state != Running {
		err = fmt.Errorf("%w: it is %s", ErrNotRunning, state)
	}
	return warnings, path, err
}
