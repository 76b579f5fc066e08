package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const unknown = "–"

func (t Table) writeText(w io.Writer) error {
	_, err := fmt.Fprintln(w, t.pretty().Render())
	return err
}

func (t Table) writeMarkdown(w io.Writer) error {
	_, err := fmt.Fprintln(w, t.pretty().RenderMarkdown())
	return err
}

func (t Table) pretty() table.Writer {
	out := table.NewWriter()
	out.SetStyle(table.StyleLight)
	out.Style().Format.Header = text.FormatDefault // as written, not in capitals
	var header table.Row
	var configs []table.ColumnConfig
	for i, c := range t.Columns {
		header = append(header, c.title())
		align := t.alignment(i)
		configs = append(configs, table.ColumnConfig{
			Number: i + 1, Align: align, AlignHeader: align, WidthMax: c.Width, WidthMaxEnforcer: text.WrapSoft,
		})
	}
	out.AppendHeader(header)
	out.SetColumnConfigs(configs)
	for _, row := range t.Rows {
		var shown table.Row
		for i, cell := range row {
			shown = append(shown, show(t.Columns[i].Unit, cell))
		}
		out.AppendRow(shown)
	}
	return out
}

func (c Column) title() string {
	if c.Title == "" {
		return c.Name
	}
	return c.Title
}

// alignment puts figures to the right, where their sizes compare.
func (t Table) alignment(column int) text.Align {
	for _, row := range t.Rows {
		switch row[column].(type) {
		case string, bool:
			return text.AlignLeft
		}
	}
	return text.AlignRight
}

// show is a cell as people see it.
func show(u Unit, cell any) string {
	switch v := known(cell).(type) {
	case nil:
		return unknown
	case float64:
		return u.Format(v)
	case int:
		if u == Plain {
			return strconv.Itoa(v) // numbers of things are shown in full
		}
		return u.Format(float64(v))
	case Interval:
		return showInterval(u, v)
	default:
		return printable(fmt.Sprint(v))
	}
}

func showInterval(u Unit, v Interval) string {
	if known(v.Estimate) == nil {
		return unknown
	}
	if known(v.Low) == nil || known(v.High) == nil {
		return u.Format(v.Estimate)
	}
	return fmt.Sprintf("%s (%s to %s)", u.Format(v.Estimate), u.Format(v.Low), u.Format(v.High))
}

// printable keeps the output of measured programs, which reasons quote, from
// driving the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Format is a figure in the unit as people see it.
func (u Unit) Format(x float64) string {
	switch {
	case known(x) == nil:
		return unknown
	case u == Bytes:
		return sign(x) + humanize.BytesN(uint64(math.Abs(x)), 4)
	case u == Seconds:
		return seconds(x)
	case u == Share:
		return number(100*x) + " %"
	case u == Change && x > mostChange:
		return fmt.Sprintf("more than %d times", mostChange)
	case u == Change:
		return fmt.Sprintf("%+.1f %%", 100*(x-1))
	}
	return number(x)
}

// mostChange is the ratio above which its digits say nothing.
const mostChange = 1000

func sign(x float64) string {
	if x < 0 {
		return "-"
	}
	return ""
}

// number shows four significant digits, but never drops one before the point.
func number(x float64) string {
	if math.Abs(x) >= 1000 {
		return humanize.Commaf(math.Round(x))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

func seconds(x float64) string {
	switch {
	case math.Abs(x) >= 120 && math.Abs(x) < math.MaxInt64/1e9:
		return time.Duration(x * 1e9).Round(time.Second).String()
	case math.Abs(x) >= 1:
		return number(x) + " s"
	}
	return humanize.SIWithDigits(x, 2, "s")
}
