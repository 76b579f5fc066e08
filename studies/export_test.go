package studies

import "database/sql"

// Pools gives the tests the connections behind a store.
func Pools(s *Store) (write, read *sql.DB) { return s.write, s.read }

// LatestVersion is the schema version that this package writes.
func LatestVersion() (int, error) { return latestVersion() }
