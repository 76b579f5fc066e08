package studies

import (
	"context"
	"database/sql"
	"fmt"
)

// Trials returns a study's trials with their runs, by number. It sees one
// state of the store, also while another process writes.
func (s *Store) Trials(ctx context.Context, study int64) ([]Trial, error) {
	var all []Trial
	err := s.view(ctx, "read trials", func(tx *sql.Tx) (err error) {
		if _, err := studyByID(ctx, tx, study); err != nil {
			return fmt.Errorf("study %d: %w", study, err)
		}
		all, err = trials(ctx, tx, study, "")
		return err
	})
	return all, err
}

// trials reads those in one state, or all when state is empty.
func trials(ctx context.Context, tx *sql.Tx, study int64, state State) ([]Trial, error) {
	all, err := query(ctx, tx, scanTrial, `
		SELECT number, origin, setting, state, reason, attempts, started, finished, warnings, output_path, marker
		FROM trials WHERE study = ?1 AND (?2 = '' OR state = ?2) ORDER BY number`, study, state)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all, fillRuns(ctx, tx, study, all)
}

func scanTrial(row scanner) (Trial, error) {
	var t Trial
	err := row.Scan(&t.Number, &t.Origin, scanJSON(&t.Setting), &t.State, &t.Reason, &t.Attempts,
		scanTime(&t.Started), scanTime(&t.Finished), scanJSON(&t.Warnings), &t.OutputPath, &t.Marker)
	return t, err
}

// numberedRun is a run with its place.
type numberedRun struct {
	trial, number int
	Run
}

// fillRuns reads all runs and metrics of the study at once: a query for each
// trial would take a study of thousands of trials seconds.
func fillRuns(ctx context.Context, tx *sql.Tx, study int64, all []Trial) error {
	runs, err := query(ctx, tx, scanRun,
		"SELECT trial, number, seconds, started, warnings FROM runs WHERE study = ? ORDER BY trial, number", study)
	if err != nil {
		return err
	}
	if err := fillMetrics(ctx, tx, study, runs); err != nil {
		return err
	}
	byNumber := map[int]*Trial{}
	for i := range all {
		byNumber[all[i].Number] = &all[i]
	}
	for _, r := range runs {
		if t := byNumber[r.trial]; t != nil {
			t.Runs = append(t.Runs, r.Run)
		}
	}
	return nil
}

func scanRun(row scanner) (numberedRun, error) {
	r := numberedRun{Run: Run{Metrics: map[string]float64{}}}
	err := row.Scan(&r.trial, &r.number, &r.Seconds, scanTime(&r.Started), scanJSON(&r.Warnings))
	return r, err
}

func fillMetrics(ctx context.Context, tx *sql.Tx, study int64, runs []numberedRun) error {
	place := map[[2]int]map[string]float64{}
	for _, r := range runs {
		place[[2]int{r.trial, r.number}] = r.Metrics
	}
	rows, err := tx.QueryContext(ctx, "SELECT trial, run, name, value FROM metrics WHERE study = ?", study)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var trial, run int
		var name string
		var value float64
		if err := rows.Scan(&trial, &run, &name, &value); err != nil {
			return err
		}
		place[[2]int{trial, run}][name] = value
	}
	return rows.Err()
}
