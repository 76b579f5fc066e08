package studies

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	_ "github.com/mattn/go-sqlite3" // registers the driver
)

// busyTimeout is how long a statement waits for another process's write.
// Writes here take milliseconds; a process that is stopped while it holds the
// lock must not hang every other one for ever.
const busyTimeout = 10 * time.Second

// options are the pragmas of one pool. They go into the data source name,
// because a pragma executed on a pool reaches only one of its connections.
type options map[string]string

// writing is for the one connection that writes.
func writing() options {
	return options{
		"mode": "rw",
		// Readers see the last committed state and never block the writer.
		"_journal_mode": "WAL",
		// The driver's build lowers this to NORMAL for WAL, which can lose
		// the last commits at a power cut.
		"_synchronous":  "FULL",
		"_foreign_keys": "on",
		"_busy_timeout": milliseconds(busyTimeout),
		// A transaction that starts as a reader and then writes fails at once
		// when another wrote in between, without waiting; so start as writer.
		"_txlock": "immediate",
	}
}

// reading is for connections that must not write nor wait: their transactions
// are deferred, so that they never take the write lock.
func reading() options {
	return options{
		"mode":          "rw", // lets the last one out tidy the -wal file
		"_query_only":   "on",
		"_foreign_keys": "on",
		"_busy_timeout": milliseconds(busyTimeout),
		"_txlock":       "deferred",
	}
}

// with returns a copy of o with one option changed; an empty value removes it.
func (o options) with(name, value string) options {
	c := options{name: value}
	for k, v := range o {
		if k != name {
			c[k] = v
		}
	}
	if value == "" {
		delete(c, name)
	}
	return c
}

func milliseconds(d time.Duration) string {
	return fmt.Sprint(d.Milliseconds())
}

// connect makes a pool; no connection is opened yet. Paths may hold any
// character: in a URI, ?, # and % would otherwise begin something else.
func connect(path string, o options) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	query := url.Values{}
	for name, value := range o {
		query.Set(name, value)
	}
	source := "file:" + (&url.URL{Path: abs}).EscapedPath() + "?" + query.Encode()
	db, err := sql.Open("sqlite3", source)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return db, nil
}
