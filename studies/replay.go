package studies

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// SaveReplay stores a replay of one of the study's settings. Like Finish, it
// also works after ctx is cancelled. Errors are ErrNotFound for a study or
// trial that is absent, ErrDiskFull, and ErrInvalid for figures that are not
// finite.
func (s *Store) SaveReplay(ctx context.Context, study int64, r Replay) (Replay, error) {
	ctx = context.WithoutCancel(ctx)
	err := s.update(ctx, "save replay", func(tx *sql.Tx) (err error) {
		r.ID, err = insertReplay(ctx, tx, study, r)
		return err
	})
	if err != nil {
		return Replay{}, err
	}
	return r, nil
}

// UpdateReplay stores a replay that goes on in place of what SaveReplay stored
// under its ID, so that a replay that is killed has lost no pair but the one under
// way. Like SaveReplay, it also works after ctx is cancelled. Errors are
// ErrNotFound for a replay that is gone, ErrDiskFull and ErrInvalid.
func (s *Store) UpdateReplay(ctx context.Context, r Replay) error {
	ctx = context.WithoutCancel(ctx)
	return s.update(ctx, "update replay", func(tx *sql.Tx) error {
		if err := checkReplay(r); err != nil {
			return err
		}
		document, err := json.Marshal(r)
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, "UPDATE replays SET document = ? WHERE id = ?", string(document), r.ID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return sql.ErrNoRows
	})
}

func insertReplay(ctx context.Context, tx *sql.Tx, study int64, r Replay) (int64, error) {
	if err := checkReplay(r); err != nil {
		return 0, err
	}
	document, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	setting := jsonText(r.Setting)
	if setting == nil {
		setting = "{}"
	}
	result, err := tx.ExecContext(ctx,
		"INSERT INTO replays (study, trial, setting, created, document) VALUES (?, ?, ?, ?, ?)",
		study, sql.NullInt64{Int64: int64(r.Trial), Valid: r.Trial != NoTrial}, setting, timeText(r.Created), string(document))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func checkReplay(r Replay) error {
	for i, pair := range r.Pairs {
		if err := checkMetrics(pair.Setting, fmt.Sprintf("the setting in pair %d", i)); err != nil {
			return err
		}
		if err := checkMetrics(pair.Baseline, fmt.Sprintf("the baseline in pair %d", i)); err != nil {
			return err
		}
	}
	if err := checkMetrics(r.Throughput.figures(), "the throughput ratio"); err != nil {
		return err
	}
	if !finite(r.Confidence) {
		return fmt.Errorf("%w: the confidence of a replay is %v", ErrInvalid, r.Confidence)
	}
	return checkMetrics(r.Memory.figures(), "the memory ratio")
}

func (r Ratio) figures() map[string]float64 {
	return map[string]float64{"low": r.Low, "estimate": r.Estimate, "high": r.High}
}

// Replays returns a study's replays, oldest first.
func (s *Store) Replays(ctx context.Context, study int64) ([]Replay, error) {
	var all []Replay
	err := s.view(ctx, "read replays", func(tx *sql.Tx) (err error) {
		all, err = replays(ctx, tx, study)
		return err
	})
	return all, err
}

func replays(ctx context.Context, tx *sql.Tx, study int64) ([]Replay, error) {
	return query(ctx, tx, scanReplay, "SELECT id, document FROM replays WHERE study = ? ORDER BY id", study)
}

func scanReplay(row scanner) (Replay, error) {
	var r Replay
	var id int64
	err := row.Scan(&id, scanJSON(&r))
	r.ID = id
	return r, err
}
