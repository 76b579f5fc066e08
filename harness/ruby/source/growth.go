package source

import (
	"fmt"
	"slices"
	"strings"
)

// A heap of 1.8 grows by
//
//	heap_slots *= 1.8;
//	if (heap_slots <= 0) heap_slots = HEAP_MIN_SLOTS;
//
// and one of 1.9 and 2.0, which counts pages, by
//
//	size_t next_heaps_length = (size_t)(heaps_used * 1.8);
//
// Only the operator and the factor are replaced; the guard stays. A statement
// that was already given a fixed increment is recognised as well.
const growthLookedFor = "the statement heap_slots *= FACTOR or next_heaps_length = heaps_used * FACTOR"

// growth is one statement that grows the heap.
type growth struct {
	begin, end int // tokens of the whole statement
	from, to   int // tokens that are replaced
	perPage    bool
	fixed      string // the increment when there is one already
}

func (f *Found) findGrowth(u unit, p Parameter) {
	list := u.growths()
	missing := Missing{Name: p.Name, File: f.File, LookedFor: growthLookedFor}
	switch {
	case len(list) == 0:
		missing.Reason = "there is none"
	case len(list) > 1:
		var lines []string
		for _, g := range list {
			lines = append(lines, fmt.Sprint(lineOf(f.content, u.code[g.from].start)))
		}
		missing.Reason = "there is more than one, on lines " + strings.Join(lines, ", ")
	case u.code[list[0].from].taken != certain:
		missing.Reason = fmt.Sprintf("the file alone does not tell whether a build takes line %d", lineOf(f.content, u.code[list[0].from].start))
	case list[0].perPage && !u.knows("HEAP_OBJ_LIMIT"):
		missing.Reason = "HEAP_OBJ_LIMIT, the number of slots in a page, is not in the file"
	default:
		f.addGrowth(u, p, list[0])
		return
	}
	f.Missing = append(f.Missing, missing)
}

func (f *Found) addGrowth(u unit, p Parameter, g growth) {
	write := func(value string) string { return "+= " + value }
	if g.perPage {
		write = func(value string) string { return "+ " + value + " / HEAP_OBJ_LIMIT" }
	}
	place := Place{Parameter: p, Default: g.fixed, start: u.code[g.from].start, end: u.code[g.to-1].end, write: write}
	place.Text = string(f.content[u.code[g.begin].start:u.code[g.end].end])
	f.add(place)
}

// knows says whether a name is a macro or, as an enum's constant, in the code.
func (u unit) knows(name string) bool {
	return u.macros.defined(name) == certain ||
		slices.ContainsFunc(u.code, func(t codeToken) bool { return t.is(name) && t.taken == certain })
}

func (u unit) growths() []growth {
	var list []growth
	for i, t := range u.code {
		var g growth
		ok := false
		switch {
		case t.is("heap_slots") && u.beginsStatement(i):
			g, ok = u.slotGrowth(i + 1)
		case t.is("next_heaps_length"):
			g, ok = u.pageGrowth(i + 1)
		}
		if ok {
			g.begin, g.end = i, u.statementEnd(i)
			list = append(list, g)
		}
	}
	return list
}

// beginsStatement: heap_slots of something else, or inside an expression, is
// not the heap's size being changed.
func (u unit) beginsStatement(i int) bool {
	return i == 0 || slices.Contains([]string{";", "{", "}", ")", ":", "else", "do"}, u.code[i-1].text)
}

// slotGrowth reads the rest of heap_slots *= FACTOR; or heap_slots += N; where
// += 1 without the guard after it only makes room for alignment.
func (u unit) slotGrowth(i int) (growth, bool) {
	end := u.statementEnd(i)
	if end < i+2 {
		return growth{}, false
	}
	value := u.constantText(i+1, end)
	switch {
	case value == "":
		return growth{}, false
	case u.code[i].is("*="):
		return growth{from: i, to: end}, true
	case u.code[i].is("+=") && (value != "1" || u.matches(end+1, "if", "(", "heap_slots", "<=", "0", ")")):
		return growth{from: i, to: end, fixed: value}, true
	}
	return growth{}, false
}

// pageGrowth reads the rest of next_heaps_length = (size_t)(heaps_used * FACTOR);
// or, already fixed, of … (heaps_used + N / HEAP_OBJ_LIMIT);
func (u unit) pageGrowth(i int) (growth, bool) {
	end := u.statementEnd(i)
	if end < 0 || !u.matches(i, "=") {
		return growth{}, false
	}
	for _, open := range [][]string{{"(", "size_t", ")", "(", "heaps_used"}, {"heaps_used"}} {
		if !u.matches(i+1, open...) {
			continue
		}
		from, to := i+1+len(open), end
		if len(open) > 1 {
			to--
		}
		if to < from+2 || (len(open) > 1) != u.code[to].is(")") {
			return growth{}, false
		}
		return u.pageOperation(from, to)
	}
	return growth{}, false
}

func (u unit) pageOperation(from, to int) (growth, bool) {
	if u.code[from].is("*") && to == from+2 && u.constantText(from+1, to) != "" {
		return growth{from: from, to: to, perPage: true}, true
	}
	if u.code[from].is("+") && to == from+4 && u.matches(from+2, "/", "HEAP_OBJ_LIMIT") {
		fixed := u.constantText(from+1, from+2)
		return growth{from: from, to: to, perPage: true, fixed: fixed}, fixed != ""
	}
	return growth{}, false
}

// statementEnd returns the index of the semicolon after i, -1 for none near.
func (u unit) statementEnd(i int) int {
	for end := i; end < min(len(u.code), i+40); end++ {
		if u.code[end].is(";") {
			return end
		}
	}
	return -1
}

// constantText returns the value of code[from:to] when it is a known number.
func (u unit) constantText(from, to int) string {
	list := make([]token, 0, to-from)
	for _, t := range u.code[from:to] {
		list = append(list, t.token)
	}
	v, ok := u.macros.evaluate(list, 0)
	if !ok {
		return ""
	}
	if whole := canonical(v, false); whole != "" {
		return whole
	}
	return canonical(v, true)
}

func (u unit) matches(i int, texts ...string) bool {
	if i < 0 || i+len(texts) > len(u.code) {
		return false
	}
	for n, text := range texts {
		if !u.code[i+n].is(text) {
			return false
		}
	}
	return true
}
