package studies

import (
	"context"
	"database/sql"
	"errors"
)

// connectReader opens the file in the first of three ways that works.
// Normally a reader takes part in the locking through the files beside the
// store. Where those cannot be made it uses those that are there, and where
// there are none nobody writes, so that the file can be read as it lies.
func connectReader(ctx context.Context, path string) (*sql.DB, error) {
	ways := []options{reading(), reading().with("mode", "ro")}
	if !hasPendingWrites(path) {
		ways = append(ways, reading().with("mode", "ro").with("immutable", "1"))
	}
	var last error
	for _, way := range ways {
		db, err := tryReader(ctx, path, way)
		if err == nil {
			return db, nil
		}
		last = err
	}
	return nil, cannotRead(path, last)
}

func tryReader(ctx context.Context, path string, way options) (*sql.DB, error) {
	db, err := connect(path, way)
	if err != nil {
		return nil, err
	}
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return nil, errors.Join(failed("read it", err), db.Close())
	}
	return db, nil
}
