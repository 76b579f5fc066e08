package report

import (
	"os"

	"golang.org/x/term"
)

// ScreenOf returns what output to f may use: the terminal's size, and colour
// unless NO_COLOR is set (https://no-color.org) or TERM is dumb. A file or
// pipe has the default size and no colour.
func ScreenOf(f *os.File, getenv func(string) string) Screen {
	descriptor := int(f.Fd())
	if !term.IsTerminal(descriptor) {
		return Screen{}
	}
	s := Screen{Color: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
	if width, height, err := term.GetSize(descriptor); err == nil {
		s.Width, s.Height = width, height
	}
	return s
}
