package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// writeCSV follows RFC 4180. Unknown cells are empty.
func (t Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
		if c.Interval {
			names = append(names, c.Name+"_low", c.Name+"_high")
		}
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for _, row := range t.Rows {
		var record []string
		for i, c := range t.Columns {
			record = append(record, fields(c, row[i])...)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// fields is a cell in CSV.
func fields(c Column, cell any) []string {
	interval, ok := cell.(Interval)
	switch {
	case ok && c.Interval:
		return []string{field(interval.Estimate), field(interval.Low), field(interval.High)}
	case ok:
		return []string{field(interval.Estimate)}
	case c.Interval:
		return []string{field(cell), "", ""}
	}
	return []string{field(cell)}
}

func field(cell any) string {
	switch v := known(cell).(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// known turns figures that are not finite into nil.
func known(cell any) any {
	if v, ok := cell.(float64); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return nil
	}
	return cell
}

// writeJSON writes an array with an object for each row, keys in the order of
// the columns. Unknown cells are null.
func (t Table) writeJSON(w io.Writer) error {
	var out bytes.Buffer
	out.WriteString("[")
	for i, row := range t.Rows {
		if i > 0 {
			out.WriteString(",")
		}
		object, err := t.object(row)
		if err != nil {
			return err
		}
		out.WriteString("\n  ")
		out.Write(object)
	}
	if len(t.Rows) > 0 {
		out.WriteString("\n")
	}
	out.WriteString("]\n")
	_, err := w.Write(out.Bytes())
	return err
}

func (t Table) object(row []any) ([]byte, error) {
	out := []byte("{")
	for i, c := range t.Columns {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(value(row[i]))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

// value is a cell in JSON.
func value(cell any) any {
	if v, ok := cell.(Interval); ok {
		return struct {
			Estimate any `json:"estimate"`
			Low      any `json:"low"`
			High     any `json:"high"`
		}{known(v.Estimate), known(v.Low), known(v.High)}
	}
	return known(cell)
}
