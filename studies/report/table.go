// Package report shows figures to people and to programs: tables in four
// formats, and the front as a plot in the terminal or as a picture.
package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Format is a way to write a table.
type Format string

// The formats. People's formats show rounded figures with units; CSV and JSON
// hold them in full, in base units.
const (
	Text     Format = "table"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	JSON     Format = "json"
)

// ErrFormat: there is no such format.
var ErrFormat = errors.New("unknown format")

// Formats returns all formats of a table.
func Formats() []Format { return []Format{Text, JSON, CSV, Markdown} }

// ParseFormat returns the format of that name, or an ErrFormat that lists them.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("%w %q: use one of %s", ErrFormat, name, strings.Join(names, ", "))
}

// Unit says how people see the figures of a column.
type Unit int

// The units.
const (
	// Plain figures are shown with four significant digits.
	Plain Unit = iota
	// Bytes are shown as kB, MB, GB (powers of ten).
	Bytes
	// Seconds are shown as ms or s, long ones as hours and minutes.
	Seconds
	// Share is a fraction of one, shown in per cent.
	Share
	// Change is a ratio, shown as the per cent that it is above or below one.
	Change
)

// Column describes the cells below it.
type Column struct {
	// Name is the key in JSON and the heading in CSV; the unit is part of it.
	Name string
	// Title is the heading that people see; Name when empty.
	Title string
	Unit  Unit
	// Interval says that the cells are Intervals, which take three columns
	// in CSV: NAME, NAME_low and NAME_high.
	Interval bool
	// Width, if not 0, is where people's tables wrap the column's text.
	Width int
}

// Interval is an estimate with the limits that it lies between.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Table is columns and rows. A cell is a string, bool, int, float64, an
// Interval, or nil for what is not known; so is a figure that is not finite.
type Table struct {
	Columns []Column
	Rows    [][]any
}

// Write writes the table to w. A row with another number of cells than there
// are columns is an error.
func (t Table) Write(w io.Writer, f Format) error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("write table: row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
	}
	write, ok := map[Format]func(io.Writer) error{
		Text: t.writeText, Markdown: t.writeMarkdown, CSV: t.writeCSV, JSON: t.writeJSON,
	}[f]
	if !ok {
		return fmt.Errorf("write table: %w %q", ErrFormat, f)
	}
	if err := write(w); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}
