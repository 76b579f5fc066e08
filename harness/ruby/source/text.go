package source

import (
	"bytes"
	"errors"
)

// text is a source as the preprocessor sees it: lines that a backslash
// continues are joined and each comment is one blank. Every byte remembers
// where it stood, so that a place found here can be edited there.
type text struct {
	code []byte
	at   []int // offset in the original of each byte of code
}

var errOpenComment = errors.New("a comment is not closed")

// newText reads a source. The offset of a comment that is not closed is
// returned with errOpenComment.
func newText(src []byte) (text, int, error) {
	return splice(src).withoutComments()
}

// splice joins continued lines. As compilers do, it allows blanks between the
// backslash and the end of the line.
func splice(src []byte) text {
	t := text{code: make([]byte, 0, len(src)), at: make([]int, 0, len(src))}
	for i := 0; i < len(src); i++ {
		if src[i] == '\\' {
			if n := lineEnd(src[i+1:]); n > 0 {
				i += n
				continue
			}
		}
		t.add(src[i], i)
	}
	return t
}

// lineEnd returns the length of blanks and the line end after them, or 0.
func lineEnd(rest []byte) int {
	for i, c := range rest {
		switch c {
		case '\n':
			return i + 1
		case ' ', '\t', '\r', '\f', '\v':
		default:
			return 0
		}
	}
	return 0
}

func (t *text) add(c byte, at int) {
	t.code = append(t.code, c)
	t.at = append(t.at, at)
}

func (t text) withoutComments() (text, int, error) {
	out := text{code: make([]byte, 0, len(t.code)), at: make([]int, 0, len(t.at))}
	for i := 0; i < len(t.code); {
		end, comment := i+1, false
		switch rest := t.code[i:]; {
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				return out, t.at[i], errOpenComment
			}
			end, comment = i+n+4, true
		case bytes.HasPrefix(rest, []byte("//")):
			end, comment = i+untilNewline(rest), true
		case rest[0] == '"' || rest[0] == '\'':
			end = i + quoted(rest)
		}
		if comment {
			out.add(' ', t.at[i])
		} else {
			out.code = append(out.code, t.code[i:end]...)
			out.at = append(out.at, t.at[i:end]...)
		}
		i = end
	}
	return out, 0, nil
}

func untilNewline(rest []byte) int {
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		return n
	}
	return len(rest)
}

// quoted returns the length of a string or character constant. One that is not
// closed, as an apostrophe in skipped text, ends with its line.
func quoted(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			if i+1 < len(rest) && rest[i+1] != '\n' {
				i++
			}
		case rest[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(rest)
}
