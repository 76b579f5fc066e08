package studies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mattn/go-sqlite3"
)

// applicationID marks a file as a store ("gctn"); SQLite keeps it in the
// file's header for that purpose: https://sqlite.org/fileformat2.html#application_id.
const applicationID = 0x6763746e

// admit refuses a file that is no store, or a store that is too new. It does
// not touch the file and leaves nothing beside it. An absent or empty file is
// admitted: it can become a store.
func admit(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	if !info.Mode().IsRegular() {
		return notAStore(path, "it is not a regular file")
	}
	if info.Size() == 0 {
		return nil
	}
	return admitHeader(ctx, path)
}

func admitHeader(ctx context.Context, path string) error {
	id, version, err := readHeader(ctx, path, reading().with("mode", "ro").with("immutable", "1"))
	if hasPendingWrites(path) && (isCorrupt(err) || id == applicationID) {
		// The file is not whole without what is in the -wal file, where the
		// version that was written last may stand, too.
		id, version, err = readHeader(ctx, path, reading().with("mode", "ro"))
	}
	if err != nil {
		return cannotRead(path, err)
	}
	if id != applicationID {
		return notAStore(path, "it is the SQLite database of another program")
	}
	return admitVersion(path, version)
}

// hasPendingWrites tells of commits that are not in the file itself yet.
func hasPendingWrites(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

func admitVersion(path string, version int) error {
	latest, err := latestVersion()
	if err != nil {
		return err
	}
	if version > latest {
		return fmt.Errorf("%w: %s has version %d, this one knows %d: update gctune, or choose another file with --store",
			ErrNewerVersion, path, version, latest)
	}
	return nil
}

// readHeader asks SQLite, rather than reading the bytes itself: closing a file
// descriptor of its own would drop the locks that this process's other
// connections hold on the file, see https://sqlite.org/howtocorrupt.html.
func readHeader(ctx context.Context, path string, o options) (id, version int, err error) {
	db, err := connect(path, o)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err != nil {
		return 0, 0, failed("read its header", err)
	}
	version, err = userVersion(ctx, db)
	return id, version, err
}

func isCorrupt(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrCorrupt
}

// cannotRead explains the failures that SQLite's messages do not.
func cannotRead(path string, err error) error {
	if errors.Is(err, ErrNotAStore) || isCorrupt(err) {
		return notAStore(path, "it is not an SQLite database, or a damaged one")
	}
	var e sqlite3.Error
	if errors.As(err, &e) && e.Code == sqlite3.ErrCantOpen && hasPendingWrites(path) {
		return fmt.Errorf("open store %s: %w: %s-wal holds writes that can be read only where files can be created: copy both to such a directory",
			path, ErrReadOnly, path)
	}
	return fmt.Errorf("open store %s: %w", path, err)
}

func userVersion(ctx context.Context, db *sql.DB) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, failed("read the store's version", err)
}

func notAStore(path, why string) error {
	return fmt.Errorf("%w: %s: %s; choose another file with --store", ErrNotAStore, path, why)
}
