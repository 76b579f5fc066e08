package source

import (
	"regexp"
	"slices"
)

var collectorVariable = regexp.MustCompile(`^"(RUBY_HEAP_[A-Z_]+|RUBY_GC_MALLOC_LIMIT|RUBY_FREE_MIN)"$`)

// railsbench looks for the function by which the Railsbench patch and those
// that grew from it read the environment. It returns the offset of the
// function's name and the variables that set the collector.
func railsbench(code []codeToken) (int, []string) {
	u := unit{code: code}
	for i := range code {
		from := i + 3
		if !u.matches(i, "set_gc_parameters", "(") {
			continue
		}
		if u.matches(i+2, "void") {
			from++
		}
		if !u.matches(from-1, ")", "{") {
			continue // a call or a declaration
		}
		if names := u.variables(from + 1); len(names) > 0 {
			return code[i].start, names
		}
	}
	return 0, nil
}

// variables are the names that a function's body, which begins at i, gets from
// the environment.
func (u unit) variables(i int) []string {
	var names []string
	for open := 1; i < len(u.code) && open > 0; i++ {
		switch t := u.code[i]; {
		case t.is("{"):
			open++
		case t.is("}"):
			open--
		case u.matches(i, "getenv", "(") && i+2 < len(u.code):
			if m := collectorVariable.FindStringSubmatch(u.code[i+2].text); m != nil && !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}
