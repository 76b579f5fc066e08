package studies

import (
	"context"
	"database/sql"
	"fmt"
)

// largestLog is far more than a run of half an hour needs; a file from elsewhere may
// not fill the disk.
const largestLog = 16 << 20

// logsSince is the version of the store in which runs have logs.
const logsSince = 2

// Logs returns what was recorded of the collections of a study's runs, by the number
// of the trial, in the order of its runs. Runs without a log are left out, and so is
// all in a store of before there were any.
func (s *Store) Logs(ctx context.Context, study int64) (map[int][][]byte, error) {
	found := map[int][][]byte{}
	err := s.view(ctx, "read logs of collections", func(tx *sql.Tx) error {
		logs, err := logs(ctx, tx, study)
		for _, l := range logs {
			found[l.trial] = append(found[l.trial], l.log)
		}
		return err
	})
	return found, err
}

type runLog struct {
	trial, run int
	log        []byte
}

func logs(ctx context.Context, tx *sql.Tx, study int64) ([]runLog, error) {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return nil, err
	}
	if version < logsSince {
		return nil, nil
	}
	return query(ctx, tx, func(row scanner) (l runLog, err error) {
		err = row.Scan(&l.trial, &l.run, &l.log)
		return l, err
	}, "SELECT trial, run, log FROM collections WHERE study = ? ORDER BY trial, run", study)
}

// fillLogs adds the logs to all runs of a study.
func fillLogs(ctx context.Context, tx *sql.Tx, study int64, all []Trial) error {
	logs, err := logs(ctx, tx, study)
	if err != nil {
		return err
	}
	byNumber := map[int]*Trial{}
	for i := range all {
		byNumber[all[i].Number] = &all[i]
	}
	for _, l := range logs {
		if t := byNumber[l.trial]; t != nil && l.run < len(t.Runs) {
			t.Runs[l.run].Log = l.log
		}
	}
	return nil
}

func insertLog(ctx context.Context, tx *sql.Tx, study int64, trial, run int, log []byte) error {
	if len(log) == 0 {
		return nil
	}
	if len(log) > largestLog {
		return fmt.Errorf("%w: the log of collections of run %d has %d bytes: %d are the most", ErrInvalid, run, len(log), largestLog)
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO collections (study, trial, run, log) VALUES (?, ?, ?, ?)", study, trial, run, log)
	return err
}
