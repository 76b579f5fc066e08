package studies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Store is an open file of studies. It is safe for concurrent use.
type Store struct {
	write *sql.DB // nil in a store opened for reading; one connection
	read  *sql.DB

	path string
	file fs.FileInfo // as it was when opened for writing
}

// Open opens the store at path for reading and writing, creates it when the
// file is absent or empty, and brings an older one up to date. Errors are
// ErrNotAStore, ErrNewerVersion, ErrReadOnly, ErrDiskFull, ErrBusy, or of the
// operating system. A file that is refused is not touched.
func Open(ctx context.Context, path string) (*Store, error) {
	// SQLite would take dir/../ for nothing, also where there is no dir.
	if dir, _ := filepath.Split(path); dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	}
	if err := admit(ctx, path); err != nil {
		return nil, err
	}
	if err := prepare(ctx, path); err != nil {
		return nil, err
	}
	write, err := connect(path, writing())
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := connect(path, reading())
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	s := &Store{write: write, read: read, path: path}
	if s.file, err = os.Stat(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), s.Close())
	}
	if err := s.probe(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// inPlace says whether the file is still where it was opened: what is written to
// one that was deleted is lost with the last connection.
func (s *Store) inPlace() error {
	now, err := os.Stat(s.path)
	if err == nil && os.SameFile(now, s.file) {
		return nil
	}
	return fmt.Errorf("%w: %s was deleted, moved or replaced by another file since it was opened", ErrMoved, s.path)
}

// OpenReadOnly opens an existing store for reading only, also while another
// process writes to it and also from media that cannot be written. Errors are
// those of Open and ErrNotFound, ErrOlderVersion.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open store: %s: %w; `gctune optimize` creates it", path, ErrNotFound)
	} else if err == nil && info.Size() == 0 {
		return nil, notAStore(path, "it is empty")
	}
	if err := admit(ctx, path); err != nil {
		return nil, err
	}
	read, err := connectReader(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{read: read}
	if err := s.upToDate(ctx, path); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close releases the file. The last one out folds the -wal file into it.
func (s *Store) Close() error {
	err := s.read.Close()
	if s.write != nil {
		err = errors.Join(err, s.write.Close())
	}
	return err
}

// probe opens a connection of each pool, so that an unusable store fails here
// and not at the first trial.
func (s *Store) probe(ctx context.Context) error {
	if err := s.update(ctx, "open store", func(*sql.Tx) error { return nil }); err != nil {
		return err
	}
	return failed("open store", s.read.PingContext(ctx))
}

// update runs do in one transaction, which holds the write lock from its
// start. Nothing of it is kept when do fails.
func (s *Store) update(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	if s.write == nil {
		return fmt.Errorf("%s: %w: it was opened for reading only", doing, ErrReadOnly)
	}
	if err := s.inPlace(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return transact(ctx, s.write, doing, do)
}

// view runs do on one consistent state of the store, without locking it.
func (s *Store) view(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	return transact(ctx, s.read, doing, do)
}

func transact(ctx context.Context, db *sql.DB, doing string, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return failed(doing, err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := do(tx); err != nil {
		return failed(doing, err)
	}
	return failed(doing, tx.Commit())
}
