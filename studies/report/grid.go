package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is the area of a plot in characters, row 0 at the bottom.
type grid struct {
	columns, rows int
	color         bool
	cells         map[[2]int]symbol
}

func newGrid(columns, rows int, color bool) grid {
	return grid{columns: columns, rows: rows, color: color, cells: map[[2]int]symbol{}}
}

func (g grid) set(column, row int, s symbol) {
	g.cells[[2]int{column, row}] = s
}

// label writes to the right of a point, or to its left, where there is room;
// where there is none it leaves the point alone.
func (g grid) label(column, row int, label string) {
	for _, start := range []int{column + 1, column - len(label)} {
		if g.free(start, row, len(label)) {
			for i, r := range label {
				g.set(start+i, row, symbol{rune: r})
			}
			return
		}
	}
}

func (g grid) free(start, row, n int) bool {
	if start < 0 || start+n > g.columns {
		return false
	}
	for column := start - 1; column <= start+n; column++ {
		// A neighbour's number beside this one would read as one number.
		if s, taken := g.cells[[2]int{column, row}]; taken && (column >= start && column < start+n || s.color == 0) {
			return false
		}
	}
	return true
}

// draw writes the rows from the top, each with its label before the axis.
func (g grid) draw(out *strings.Builder, margin int, labels map[int]string) {
	for row := g.rows - 1; row >= 0; row-- {
		axis := "│"
		if labels[row] != "" {
			axis = "┤"
		}
		padding := margin - text.StringWidthWithoutEscSequences(labels[row])
		fmt.Fprintf(out, "%s%s %s%s\n", strings.Repeat(" ", padding), labels[row], axis, g.row(row))
	}
}

func (g grid) row(row int) string {
	var line strings.Builder
	for column := range g.columns {
		if s, taken := g.cells[[2]int{column, row}]; taken {
			line.WriteString(s.draw(g.color))
		} else {
			line.WriteByte(' ')
		}
	}
	return strings.TrimRight(line.String(), " ")
}
