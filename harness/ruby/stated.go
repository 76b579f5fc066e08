package ruby

import (
	"regexp"
	"slices"
)

var ofCRuby = regexp.MustCompile(`^ruby (\d+\.\d+\.\d+)`)

// Stated is what the catalogue has an interpreter read that describes itself so, for
// those who have no interpreter at hand to ask. It is false for all but CRuby from
// 2.1 on: before that descriptions do not tell.
func Stated(description string) (Support, bool) {
	in, found := statedInterpreter(description)
	m := modern{}
	if !found || !m.covers(in) {
		return Support{}, false
	}
	s := Support{Interpreter: in}
	var names []string
	for _, r := range modernRows {
		if names = append(names, r.Name); m.spans(in, r.from, r.below) {
			p := r.Parameter
			p.reader = readerOf(in)
			s.Parameters = append(s.Parameters, p)
		}
	}
	for _, r := range retired {
		names = append(names, r.name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !listed(s.Parameters, name) {
			s.Dead = append(s.Dead, Dead{name, m.whyNotRead(in, name)})
		}
	}
	return s, true
}

func statedInterpreter(description string) (Interpreter, bool) {
	found := ofCRuby.FindStringSubmatch(description)
	if found == nil {
		return Interpreter{}, false
	}
	return Interpreter{Engine: "ruby", Version: found[1], Description: description}, true
}

// ManyHeaps says whether an interpreter that describes itself so has heaps for slots
// of several sizes, each with free slots of its own (internal/gc.h, SIZE_POOL_COUNT:
// five from 3.2 on, where USE_RVARGC is on).
func ManyHeaps(description string) bool {
	in, found := statedInterpreter(description)
	return found && in.AtLeast("3.2.0")
}

// Effect says in one line what a larger value of a parameter does to an interpreter
// that describes itself so; empty where no catalogue has the name.
func Effect(description, name string) string {
	if s, modern := Stated(description); modern {
		p, _ := s.Parameter(name)
		return p.Effect
	}
	for _, v := range variants {
		for _, p := range v.parameters {
			if p.Name == name {
				return p.Effect
			}
		}
	}
	return ""
}
