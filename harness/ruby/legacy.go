package ruby

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// legacy covers CRuby before 2.1. Whether one reads its environment at all, and
// which names, is a matter of patches: it is found by looking and by trying.
type legacy struct{}

func (legacy) name() string               { return "legacy" }
func (legacy) covers(in Interpreter) bool { return in.Engine == "ruby" && !in.AtLeast("2.1") }

func (l legacy) support(ctx context.Context, in Interpreter) (Support, error) {
	s, _, err := l.examined(ctx, in)
	return s, err
}

func (l legacy) examined(ctx context.Context, in Interpreter) (Support, evidence, error) {
	s := Support{Interpreter: in}
	e, err := examine(ctx, in)
	if err != nil {
		return s, e, err
	}
	v := variantOf(in, e)
	for _, p := range v.parameters {
		if e.unread(in, p.Name) == "" {
			s.Parameters = append(s.Parameters, p.on(in, e, v))
		}
	}
	s.Dead = l.dead(s, e, v)
	if len(s.Parameters) == 0 {
		s.Variant = l.unsettableVariant(in, e)
		return s, e, l.unsettable(in, e)
	}
	s.Variant = v.name
	return s, e, nil
}

// variantOf returns the first variant that fits; the last fits every one.
func variantOf(in Interpreter, e evidence) variant {
	for _, v := range variants {
		versions := in.AtLeast(v.from) && semver.Compare("v"+in.Version, "v"+v.below) < 0
		contains := !slices.ContainsFunc(v.contains, func(text string) bool { return !e.contains[text] })
		if versions && contains && strings.Contains(in.Description, v.says) && (e.fractions || !v.fractions) {
			return v
		}
	}
	return variants[len(variants)-1]
}

// on completes a row with what the interpreter shows of itself.
func (p Parameter) on(in Interpreter, e evidence, v variant) Parameter {
	p.reader, p.Source = lenient{}, v.source
	if p.SlotBytes > 0 {
		p.SlotBytes = in.SlotBytes
	}
	if usual := e.said[p.Name].usual; usual != "" {
		p.Default = usual
	}
	if p.Name == increment && p.Search.Paged {
		p.Bounds.InertBelow, p.Bounds.InertReason = float64(in.SlotsPerPage), "no effect below one heap page: it is counted in whole ones"
	}
	return p
}

// counterparts are the names under which later Rubies, or other patches, read
// the same thing.
var counterparts = []struct{ name, alike string }{
	{"RUBY_GC_HEAP_INIT_SLOTS", minSlots}, {"RUBY_GC_HEAP_FREE_SLOTS", heapFreeMin}, {"RUBY_GC_HEAP_FREE_SLOTS", freeMin},
	{"RUBY_GC_HEAP_GROWTH_FACTOR", growthFactor}, {freeMin, heapFreeMin}, {heapFreeMin, freeMin},
}

// dead lists the names that one might try and that have no effect.
func (legacy) dead(s Support, e evidence, v variant) []Dead {
	var list []Dead
	say := func(name, reason string) {
		if _, alive := s.Parameter(name); !alive && !slices.ContainsFunc(list, func(d Dead) bool { return d.Name == name }) {
			list = append(list, Dead{name, reason})
		}
	}
	for _, d := range v.dead {
		if e.contains[d.Name] {
			say(d.Name, d.Reason)
		}
	}
	for _, c := range counterparts {
		if _, ok := s.Parameter(c.alike); ok && !e.contains[c.name] {
			say(c.name, "no effect on this Ruby: its binary does not contain the name; use "+c.alike)
		}
	}
	for _, name := range legacyNames {
		say(name, cmp.Or(e.unread(s.Interpreter, name), "read, but its effect on this build is not known"))
	}
	if e.contains[talkative] {
		say(talkative, "makes the collector talk, and sets nothing")
	}
	return list
}

// unsettableVariant names a form that reads no environment. The MBARI patches
// show in the description; what was patched without a trace passes for stock.
func (legacy) unsettableVariant(in Interpreter, e evidence) string {
	switch {
	case len(e.trial()) > 0:
		return "" // it has the names and does not read them: of no known form
	case strings.Contains(strings.ToLower(in.Description), "mbari"):
		return "MBARI patches, " + in.Line()
	}
	return "stock " + in.Line()
}

// unsettable says why nothing can be set, and what can be done about it.
func (legacy) unsettable(in Interpreter, e evidence) error {
	reason := "its binary contains none of the names of variables that a patched Ruby reads"
	if len(e.trial()) > 0 {
		reason = "its binary contains names of variables, but was not seen to read any of them"
	}
	return &UnsettableError{in.Description, "this build takes no setting from the environment: " + reason +
		". Give its source tree as `source:`, and gctune builds it with the constants compiled in; or measure it as it is"}
}

// legacyHeap gives the size of a heap page in slots and of a slot in bytes,
// which these Rubies do not tell: five words a slot. Up to 1.9.2 the heap grows
// in pieces of any size.
func legacyHeap(in Interpreter, wordBytes int) (slotsPerPage, slotBytes int) {
	slotBytes = 5 * cmp.Or(wordBytes, 8)
	switch {
	case in.AtLeast("2.0"): // 16 KiB without malloc's five words and a header of as many
		return ((16 << 10) - 2*slotBytes) / slotBytes, slotBytes
	case in.AtLeast("1.9.3"):
		return (16 << 10) / slotBytes, slotBytes
	}
	return 0, slotBytes
}
