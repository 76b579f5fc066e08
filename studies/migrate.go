package studies

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"
	"github.com/sethvargo/go-retry"
)

//go:embed migrations/*.sql
var migrations embed.FS

// latestVersion is that of the last migration; their files are numbered from 1.
func latestVersion() (int, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("list migrations: %w", err)
	}
	return len(files), nil
}

// oldestReadable is the oldest version that can be read without a migration.
const oldestReadable = 1

// upToDate refuses a store that only a migration would make readable.
func (s *Store) upToDate(ctx context.Context, path string) error {
	version, err := userVersion(ctx, s.read)
	if err != nil {
		return err
	}
	if version < oldestReadable {
		return fmt.Errorf("%w: %s has version %d, this one needs %d: open it once with a command that writes, such as `gctune optimize`",
			ErrOlderVersion, path, version, oldestReadable)
	}
	return nil
}

// prepare makes the file a store of the latest version. Two processes may do
// so at once: every step is a transaction, so the one that comes second either
// finds it done, or fails and finds it done when it tries again.
func prepare(ctx context.Context, path string) error {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("open store: %w; create the directory first", err)
	}
	if err := checkWritable(path); err != nil {
		return err
	}
	backoff := retry.WithMaxRetries(5, retry.NewConstant(20*time.Millisecond))
	return retry.Do(ctx, backoff, func(ctx context.Context) error {
		err := markThenMigrate(ctx, path)
		if errors.Is(err, ErrBusy) || isStatementError(err) {
			return retry.RetryableError(err)
		}
		return err
	})
}

// isStatementError is true of a statement that does not fit the schema, such
// as one that creates a table that another process just created.
func isStatementError(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrError
}

func markThenMigrate(ctx context.Context, path string) error {
	// Marked before WAL is switched on, the mark stands in the file's header
	// from the first commit on, so a process killed here leaves a store.
	marker, err := connect(path, writing().with("mode", "rwc").with("_journal_mode", ""))
	if err != nil {
		return err
	}
	err = transact(ctx, marker, "open store", func(tx *sql.Tx) error { return mark(tx, path) })
	if err = errors.Join(err, marker.Close()); err != nil {
		return err
	}
	return migrate(ctx, path)
}

// mark checks again, now under the lock, that the file is ours or empty.
func mark(tx *sql.Tx, path string) error {
	var id, objects int
	if err := tx.QueryRow("PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if id == applicationID {
		return nil
	}
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return err
	}
	if id != 0 || objects > 0 {
		return notAStore(path, "it is the SQLite database of another program")
	}
	_, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	return err
}

func migrate(ctx context.Context, path string) (err error) {
	db, err := connect(path, writing())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	_, err = provider.Up(ctx)
	return failed("bring the store up to date", err)
}
