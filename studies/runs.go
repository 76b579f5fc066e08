package studies

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
)

// AddRun appends a run to a complete trial, as when the baseline is measured
// again or a contender is confirmed. Like Finish, it also works after ctx is
// cancelled. Errors are ErrNotFound for a trial that is absent or not
// complete, ErrDiskFull, and ErrInvalid for a metric that is not finite.
func (s *Store) AddRun(ctx context.Context, study int64, number int, run Run) error {
	ctx = context.WithoutCancel(ctx)
	return s.update(ctx, fmt.Sprintf("add a run to trial %d", number), func(tx *sql.Tx) error {
		var state State
		var next int
		err := tx.QueryRowContext(ctx, `
			SELECT state, (SELECT count(*) FROM runs r WHERE r.study = t.study AND r.trial = t.number)
			FROM trials t WHERE t.study = ? AND t.number = ?`, study, number).Scan(&state, &next)
		if err != nil {
			return err
		}
		if state != Complete {
			return fmt.Errorf("complete trial %w: it is %s", ErrNotFound, state)
		}
		return insertRuns(ctx, tx, study, number, next, []Run{run})
	})
}

// insertRuns stores runs under the numbers from first on.
func insertRuns(ctx context.Context, tx *sql.Tx, study int64, trial, first int, runs []Run) error {
	for i, run := range runs {
		if err := checkRun(run, i); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO runs (study, trial, number, seconds, started, warnings) VALUES (?, ?, ?, ?, ?, ?)",
			study, trial, first+i, run.Seconds, timeText(run.Started), jsonText(run.Warnings))
		if err != nil {
			return err
		}
		if err := insertMetrics(ctx, tx, study, trial, first+i, run.Metrics); err != nil {
			return err
		}
		if err := insertLog(ctx, tx, study, trial, first+i, run.Log); err != nil {
			return err
		}
	}
	return nil
}

func insertMetrics(ctx context.Context, tx *sql.Tx, study int64, trial, run int, metrics map[string]float64) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO metrics (study, trial, run, name, value) VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for name, value := range metrics {
		if _, err := insert.ExecContext(ctx, study, trial, run, name, value); err != nil {
			return err
		}
	}
	return nil
}

func checkRun(run Run, index int) error {
	if !finite(run.Seconds) {
		return fmt.Errorf("%w: the length of run %d is %v seconds", ErrInvalid, index, run.Seconds)
	}
	return checkMetrics(run.Metrics, fmt.Sprintf("run %d", index))
}

// checkMetrics refuses what would turn into NULL, or poison every mean.
func checkMetrics(metrics map[string]float64, of string) error {
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if value := metrics[name]; !finite(value) {
			return fmt.Errorf("%w: metric %q of %s is %v: leave out a metric that could not be measured", ErrInvalid, name, of, value)
		}
		if name == "" {
			return fmt.Errorf("%w: a metric of %s has no name", ErrInvalid, of)
		}
	}
	return nil
}

func finite(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}
