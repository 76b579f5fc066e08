package source

import (
	"bytes"
	"slices"
)

// unit is a file taken apart: its definitions and its code, each with the
// chance that a build takes the branch it stands in.
type unit struct {
	macros  *macros
	defines []define
	code    []codeToken
}

type define struct {
	name  string
	call  bool // with parameters
	body  []token
	start int // offset of the name
	taken chance
	// guarded: inside an #ifndef of its own name
	guarded bool
}

type codeToken struct {
	token
	taken chance
}

// branch is one open #if.
type branch struct {
	start   int    // offset of the #if
	guards  string // the name after #ifndef
	around  chance // that the code around is taken
	earlier chance // that an earlier branch was
	taken   chance // that this one is
	last    bool   // after #else
}

type preprocessor struct {
	text text
	unit unit
	open []branch
}

// fault is a place where the file is no C.
type fault struct {
	at     int
	reason string
}

// preprocess takes a source apart for a word of so many bytes.
func preprocess(src []byte, wordBytes int) (unit, *fault) {
	t, at, err := newText(src)
	if err != nil {
		return unit{}, &fault{at, err.Error()}
	}
	p := preprocessor{text: t, unit: unit{macros: newMacros(wordBytes)}}
	for from := 0; from < len(t.code); {
		to := from + untilNewline(t.code[from:])
		if f := p.line(from, to); f != nil {
			return unit{}, f
		}
		from = to + 1
	}
	if n := len(p.open); n > 0 {
		return unit{}, &fault{p.open[n-1].start, "#if without #endif"}
	}
	return p.unit, nil
}

func (p *preprocessor) taken() chance {
	if n := len(p.open); n > 0 {
		return p.open[n-1].taken
	}
	return certain
}

func (p *preprocessor) line(from, to int) *fault {
	if trimmed := bytes.TrimLeft(p.text.code[from:to], " \t\v\f\r"); len(trimmed) > 0 && trimmed[0] == '#' {
		return p.directive(p.text.tokens(to-len(trimmed), to))
	}
	if taken := p.taken(); taken != never {
		for _, t := range p.text.tokens(from, to) {
			p.unit.code = append(p.unit.code, codeToken{t, taken})
		}
	}
	return nil
}

func (p *preprocessor) directive(list []token) *fault {
	if len(list) < 2 {
		return nil // a lone #
	}
	hash, name, rest := list[0], list[1].text, list[2:]
	switch name {
	case "if", "ifdef", "ifndef":
		p.enter(hash.start, p.condition(name, rest))
		if name == "ifndef" && len(rest) > 0 {
			p.open[len(p.open)-1].guards = rest[0].text
		}
		return nil
	case "elif", "elifdef", "elifndef", "else", "endif":
		return p.turn(hash.start, name, rest)
	case "define":
		p.define(rest)
	case "undef":
		if len(rest) > 0 {
			p.unit.macros.set(rest[0].text, nil, never, p.taken())
		}
	}
	return nil
}

// condition is the chance that a directive's condition holds, seen alone.
func (p *preprocessor) condition(name string, rest []token) chance {
	if name == "if" || name == "elif" {
		v, _ := p.unit.macros.evaluate(rest, 0)
		return truth(v)
	}
	if len(rest) == 0 {
		return perhaps
	}
	is := p.unit.macros.defined(rest[0].text)
	if name == "ifndef" || name == "elifndef" {
		return certain - is
	}
	return is
}

func (p *preprocessor) enter(start int, holds chance) {
	around := p.taken()
	p.open = append(p.open, branch{start: start, around: around, earlier: holds, taken: min(around, holds)})
}

func (p *preprocessor) turn(start int, name string, rest []token) *fault {
	if len(p.open) == 0 {
		return &fault{start, "#" + name + " without #if"}
	}
	b := &p.open[len(p.open)-1]
	switch {
	case name == "endif":
		p.open = p.open[:len(p.open)-1]
		return nil
	case b.last:
		return &fault{start, "#" + name + " after #else"}
	}
	holds := certain
	if name == "else" {
		b.last = true
	} else {
		holds = p.condition(name, rest)
	}
	b.taken = min(b.around, certain-b.earlier, holds)
	b.earlier = max(b.earlier, holds)
	return nil
}

func (p *preprocessor) define(rest []token) {
	if len(rest) == 0 || rest[0].kind != word {
		return
	}
	name, body := rest[0], rest[1:]
	d := define{name: name.text, body: body, start: name.start, taken: p.taken()}
	d.guarded = slices.ContainsFunc(p.open, func(b branch) bool { return b.guards == d.name })
	d.call = len(body) > 0 && body[0].is("(") && body[0].start == name.end
	if d.call {
		body = noValue
	}
	p.unit.macros.set(d.name, body, certain, d.taken)
	p.unit.defines = append(p.unit.defines, d)
}
