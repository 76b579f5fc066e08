package source

import (
	"go/constant"
	gotoken "go/token"
	"strings"
)

// expression evaluates C's constant expressions. What depends on something
// that the file does not say is unknown, which go/constant carries through.
type expression struct {
	rest   []token
	macros *macros
	depth  int  // of brackets and macros
	bad    bool // not an expression
}

var (
	unknown = constant.MakeUnknown()
	levels  = map[string]int{"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7,
		">": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
	operators = map[string]gotoken.Token{"|": gotoken.OR, "^": gotoken.XOR, "&": gotoken.AND,
		"==": gotoken.EQL, "!=": gotoken.NEQ, "<": gotoken.LSS, "<=": gotoken.LEQ, ">": gotoken.GTR, ">=": gotoken.GEQ,
		"<<": gotoken.SHL, ">>": gotoken.SHR, "+": gotoken.ADD, "-": gotoken.SUB, "*": gotoken.MUL, "/": gotoken.QUO, "%": gotoken.REM}
)

const deepest = 200

// evaluate returns the value of a whole list of tokens, and whether they are
// an expression at all.
func (m *macros) evaluate(list []token, depth int) (constant.Value, bool) {
	e := expression{rest: list, macros: m, depth: depth}
	v := e.conditional()
	if e.bad || len(e.rest) > 0 {
		return unknown, false
	}
	return v, true
}

func (e *expression) peek(text string) bool { return len(e.rest) > 0 && e.rest[0].is(text) }

func (e *expression) accept(text string) bool {
	if !e.peek(text) {
		return false
	}
	e.rest = e.rest[1:]
	return true
}

func (e *expression) expect(text string) {
	if !e.accept(text) {
		e.bad = true
	}
}

func (e *expression) conditional() constant.Value {
	if e.depth++; e.depth > deepest {
		e.bad = true
		return unknown
	}
	defer func() { e.depth-- }()
	v := e.binary(1)
	if e.bad || !e.accept("?") {
		return v
	}
	yes := e.conditional()
	e.expect(":")
	no := e.conditional()
	switch truth(v) {
	case certain:
		return yes
	case never:
		return no
	}
	return unknown
}

func (e *expression) binary(lowest int) constant.Value {
	left := e.unary()
	for !e.bad && len(e.rest) > 0 {
		op := e.rest[0].text
		level := levels[op]
		if level == 0 || level < lowest || e.rest[0].kind != mark {
			break
		}
		e.rest = e.rest[1:]
		left = apply(op, left, e.binary(level+1))
	}
	return left
}

// apply is one operation of C on values that may be unknown.
func apply(op string, a, b constant.Value) constant.Value {
	switch op {
	case "&&":
		return fromChance(min(truth(a), truth(b)))
	case "||":
		return fromChance(max(truth(a), truth(b)))
	}
	if a.Kind() == constant.Unknown || b.Kind() == constant.Unknown {
		return unknown
	}
	whole := a.Kind() == constant.Int && b.Kind() == constant.Int
	switch op {
	case "==", "!=", "<", "<=", ">", ">=":
		return fromBool(constant.Compare(a, operators[op], b))
	case "+", "-", "*":
		return bounded(constant.BinaryOp(a, operators[op], b))
	case "<<", ">>":
		return shift(op, a, b, whole)
	case "/", "%":
		return divide(op, a, b, whole)
	}
	if !whole {
		return unknown
	}
	return bounded(constant.BinaryOp(a, operators[op], b))
}

func shift(op string, a, b constant.Value, whole bool) constant.Value {
	n, exact := constant.Uint64Val(b)
	if !whole || !exact || n > 63 {
		return unknown
	}
	return bounded(constant.Shift(a, operators[op], uint(n)))
}

func divide(op string, a, b constant.Value, whole bool) constant.Value {
	switch {
	case constant.Sign(b) == 0, op == "%" && !whole:
		return unknown
	case op == "/" && whole:
		return bounded(constant.BinaryOp(a, gotoken.QUO_ASSIGN, b))
	}
	return bounded(constant.BinaryOp(a, operators[op], b))
}

// bounded forgets what C's types would not hold.
func bounded(v constant.Value) constant.Value {
	if v.Kind() == constant.Int && constant.BitLen(v) > 64 {
		return unknown
	}
	return v
}

func (e *expression) unary() constant.Value {
	if e.depth++; e.depth > deepest {
		e.bad = true
		return unknown
	}
	defer func() { e.depth-- }()
	switch {
	case e.accept("!"):
		return fromChance(certain - truth(e.unary()))
	case e.accept("+"):
		return e.unary()
	case e.accept("-"):
		return apply("-", constant.MakeInt64(0), e.unary())
	case e.accept("~"):
		return apply("-", constant.MakeInt64(-1), e.unary())
	}
	return e.primary()
}

func (e *expression) primary() constant.Value {
	if len(e.rest) == 0 {
		e.bad = true
		return unknown
	}
	t := e.rest[0]
	e.rest = e.rest[1:]
	switch {
	case t.kind == number:
		return e.literal(t.text)
	case t.kind == quote:
		e.bad = t.text[0] == '"'
		return character(t.text)
	case t.is("("):
		return e.bracket()
	case t.is("defined"):
		return e.defined()
	case t.is("sizeof"):
		return e.sizeof()
	case t.kind == word && e.peek("("): // a call
		e.skipBrackets()
		return unknown
	case t.kind == word:
		return e.macros.value(t.text, e.depth)
	}
	e.bad = true
	return unknown
}

// bracket reads what follows an opening bracket: an expression, or a type and
// what is cast to it.
func (e *expression) bracket() constant.Value {
	if n := typeLength(e.rest); n > 0 && n < len(e.rest) && e.rest[n].is(")") {
		e.rest = e.rest[n+1:]
		if v := e.unary(); v.Kind() == constant.Int {
			return v
		}
		return unknown
	}
	v := e.conditional()
	e.expect(")")
	return v
}

func (e *expression) defined() constant.Value {
	bracket := e.accept("(")
	if len(e.rest) == 0 || e.rest[0].kind != word {
		e.bad = true
		return unknown
	}
	name := e.rest[0].text
	e.rest = e.rest[1:]
	if bracket {
		e.expect(")")
	}
	return fromChance(e.macros.defined(name))
}

func (e *expression) sizeof() constant.Value {
	if !e.peek("(") {
		e.bad = true
		return unknown
	}
	inside := e.skipBrackets()
	names := make([]string, len(inside))
	for i, t := range inside {
		names[i] = t.text
	}
	if size := sizeOf(strings.Join(names, " "), e.macros.word); size > 0 {
		return constant.MakeInt64(int64(size))
	}
	return unknown
}

// skipBrackets passes over a bracket and returns what is between.
func (e *expression) skipBrackets() []token {
	for i, open := 0, 0; i < len(e.rest); i++ {
		switch {
		case e.rest[i].is("("):
			open++
		case e.rest[i].is(")"):
			open--
		}
		if open == 0 {
			inside := e.rest[1:i]
			e.rest = e.rest[i+1:]
			return inside
		}
	}
	e.bad = true
	return nil
}

// literal reads a number with C's suffixes.
func (e *expression) literal(text string) constant.Value {
	kind, suffixes := gotoken.INT, "uUlL"
	hex := hexadecimal([]byte(text))
	if !hex && strings.ContainsAny(text, ".eE") || hex && strings.ContainsAny(text, "pP") {
		kind, suffixes = gotoken.FLOAT, "fFlL"
	}
	text = strings.TrimRight(text, suffixes)
	if len(text) > 64 || strings.ContainsAny(text, "_oO") { // Go's own forms
		e.bad = true
		return unknown
	}
	v := constant.MakeFromLiteral(text, kind, 0)
	e.bad = e.bad || v.Kind() == constant.Unknown
	return bounded(v)
}

func character(text string) constant.Value {
	if len(text) == 3 && text[1] != '\\' && text[1] < 0x80 {
		return constant.MakeInt64(int64(text[1]))
	}
	return unknown
}
