package studies

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// scanner is a *sql.Row or *sql.Rows.
type scanner interface {
	Scan(dest ...any) error
}

// query reads every row of a query's result with scan.
func query[T any](ctx context.Context, tx *sql.Tx, scan func(scanner) (T, error), text string, args ...any) ([]T, error) {
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// timeText is a time as stored: UTC to the nanosecond, NULL for the zero time.
func timeText(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// rawText is JSON text as stored, NULL for none.
func rawText(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return string(raw)
}

// jsonText is a map or list of texts as stored, NULL for an empty one. Such
// values always have a JSON form.
func jsonText(v any) any {
	if reflect.ValueOf(v).Len() == 0 {
		return nil
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// column reads a column of text that may be NULL into something else.
type column func(text string) error

// Scan implements sql.Scanner; NULL leaves the destination as it is.
func (c column) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		return c(v)
	case []byte:
		return c(string(v))
	}
	return fmt.Errorf("the store has a %T where text belongs", value)
}

func scanTime(t *time.Time) column {
	return func(text string) (err error) {
		*t, err = time.Parse(time.RFC3339Nano, text)
		return err
	}
}

func scanRaw(raw *json.RawMessage) column {
	return func(text string) error {
		*raw = json.RawMessage(text)
		return nil
	}
}

func scanJSON(v any) column {
	return func(text string) error { return json.Unmarshal([]byte(text), v) }
}
