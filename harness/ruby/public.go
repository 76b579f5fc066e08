package ruby

import "strconv"

// published are settings that operators recommend in public, many of them for
// another line: each value is used where its name is read and it is legal.
var published = []map[string]string{
	{"RUBY_GC_HEAP_GROWTH_FACTOR": "1.1", "RUBY_GC_HEAP_GROWTH_MAX_SLOTS": "40000"},
	{"RUBY_GC_HEAP_GROWTH_FACTOR": "1.25", "RUBY_GC_HEAP_GROWTH_MAX_SLOTS": "300000", "RUBY_GC_HEAP_INIT_SLOTS": "600000", "RUBY_GC_HEAP_FREE_SLOTS": "600000"},
	{"RUBY_GC_HEAP_GROWTH_FACTOR": "1.3", "RUBY_GC_HEAP_GROWTH_MAX_SLOTS": "200000", "RUBY_GC_HEAP_INIT_SLOTS": "400000"},
	{"RUBY_GC_HEAP_INIT_SLOTS": "600000"},
	{"RUBY_GC_HEAP_INIT_SLOTS": "2000000"},
	{"RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR": "0.9"},
	{"RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR": "1.5"},
	{"RUBY_GC_MALLOC_LIMIT": "33554432", "RUBY_GC_MALLOC_LIMIT_MAX": "67108864"},
	{"RUBY_GC_MALLOC_LIMIT": "67108864", "RUBY_GC_MALLOC_LIMIT_MAX": "1073741824", "RUBY_GC_OLDMALLOC_LIMIT": "67108864", "RUBY_GC_OLDMALLOC_LIMIT_MAX": "2147483648"},
}

// publishedLegacy are those for the patched Rubies before 2.1: the hand-set
// values of the study of 2008, and two in wide use since.
var publishedLegacy = []map[string]string{
	{minSlots: "600000", increment: "600000", heapFreeMin: "100000", mallocLimit: "60000000"},
	{minSlots: "600000", heapFreeMin: "100000", mallocLimit: "59000000"},
	{minSlots: "600000", heapFreeMin: "20000", mallocLimit: "60000000"},
}

// successors are the names under which a published value reaches a later line.
var successors = map[string][]string{
	heapFreeMin: {freeMin},
	"RUBY_GC_HEAP_INIT_SLOTS": {
		"RUBY_GC_HEAP_0_INIT_SLOTS", "RUBY_GC_HEAP_1_INIT_SLOTS", "RUBY_GC_HEAP_2_INIT_SLOTS",
		"RUBY_GC_HEAP_3_INIT_SLOTS", "RUBY_GC_HEAP_4_INIT_SLOTS",
	},
}

// PublicSettings returns the published settings that fit an interpreter, as
// starting points for a search. Most set few names and leave the rest alone.
func PublicSettings(s Support) []map[string]string {
	candidates := published
	if (legacy{}).covers(s.Interpreter) {
		candidates = publishedLegacy
	}
	var fitting []map[string]string
	for _, setting := range candidates {
		if translated := translate(s, setting); len(translated) > 0 && s.Check(translated) == nil {
			fitting = append(fitting, translated)
		}
	}
	return fitting
}

func translate(s Support, setting map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range setting {
		if p, ok := s.Parameter(name); ok {
			out[name] = withinSearch(p, s.Interpreter, text)
			continue
		}
		for _, successor := range successors[name] {
			if p, ok := s.Parameter(successor); ok {
				out[successor] = withinSearch(p, s.Interpreter, text)
			}
		}
	}
	return out
}

// withinSearch moves a value to the nearest end of the range searched, so that
// a search can start from it: a number meant for one heap of 40-byte slots is
// gigabytes in the heaps of larger slots.
func withinSearch(p Parameter, in Interpreter, text string) string {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || p.Search == nil {
		return text
	}
	r := searchParameter(p, in)
	return strconv.FormatFloat(min(max(value, r.Min), r.Max), 'f', -1, 64)
}
