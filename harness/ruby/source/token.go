package source

import "strings"

// kind of a preprocessing token.
type kind int

const (
	word kind = iota
	number
	quote
	mark // an operator or any other character
)

type token struct {
	kind       kind
	text       string
	start, end int // in the original
}

func (t token) is(text string) bool { return t.kind != quote && t.text == text }

// marks longer than one character, the longest first.
var marks = []string{"<<=", ">>=", "...", "*=", "+=", "-=", "/=", "%=", "&=", "|=", "^=",
	"==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "++", "--", "##"}

// tokens reads the tokens of code[from:to].
func (t text) tokens(from, to int) []token {
	var list []token
	for i := from; i < to; {
		k, n := lex(t.code[i:to])
		if n == 0 {
			i++ // a blank
			continue
		}
		list = append(list, token{k, string(t.code[i : i+n]), t.at[i], t.at[i+n-1] + 1})
		i += n
	}
	return list
}

// lex returns the kind and length of the token at the start, 0 for a blank.
func lex(rest []byte) (kind, int) {
	switch c := rest[0]; {
	case blank(c):
		return mark, 0
	case letter(c):
		return word, run(rest, func(i int) bool { return letter(rest[i]) || digit(rest[i]) })
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		return number, run(rest, func(i int) bool { return inNumber(rest, i) })
	case c == '"' || c == '\'':
		return quote, quoted(rest)
	}
	for _, m := range marks {
		if strings.HasPrefix(string(rest[:min(3, len(rest))]), m) {
			return mark, len(m)
		}
	}
	return mark, 1
}

func run(rest []byte, belongs func(int) bool) int {
	n := 1
	for n < len(rest) && belongs(n) {
		n++
	}
	return n
}

// inNumber: C's preprocessing numbers also hold letters, dots and the sign of
// an exponent.
func inNumber(rest []byte, i int) bool {
	c := rest[i]
	if c == '+' || c == '-' {
		return strings.IndexByte("eEpP", rest[i-1]) >= 0 && !hexadecimal(rest) || strings.IndexByte("pP", rest[i-1]) >= 0
	}
	return digit(c) || letter(c) || c == '.'
}

func hexadecimal(rest []byte) bool {
	return len(rest) > 1 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X')
}

func blank(c byte) bool  { return c == ' ' || '\t' <= c && c <= '\r' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
func letter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
