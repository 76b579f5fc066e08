package ruby

import (
	"math"
	"strconv"
)

// SearchParameter is one dimension of a search, in plain values.
type SearchParameter struct {
	Name     string
	Integer  bool
	Log      bool
	Min, Max float64
	Default  string  // text that acts as when the name is unset; "" when none does
	Digits   int     // significant digits kept; 0 keeps all
	Step     float64 // values are multiples of it; 0 for none
	AtLeast  string  // an earlier parameter that this one stays at or above
	Gap      float64 // by this much
}

// SearchSpace returns the parameters that are worth searching, each with a
// range in which all values are taken by the interpreter. Dependent ones follow
// those that they depend on.
func SearchSpace(s Support) []SearchParameter {
	var space []SearchParameter
	for _, p := range s.Parameters {
		if p.Search != nil {
			space = append(space, searchParameter(p, s.Interpreter))
		}
	}
	return space
}

func searchParameter(p Parameter, in Interpreter) SearchParameter {
	r := *p.Search
	out := SearchParameter{
		Name: p.Name, Integer: p.Kind == Size, Log: r.Log, Min: r.Min, Max: r.Max,
		Default: p.Default, Digits: r.Digits, Step: r.Step, AtLeast: r.AtLeast, Gap: r.Gap,
	}
	if r.Paged {
		out.page(in, p.SlotBytes)
	}
	if _, ok := p.reader.(lenient); ok && out.Integer && out.Max > math.MaxInt32 {
		out.Max = out.stepped(math.MaxInt32 - out.Step)
	}
	if value, _, err := ParseValue(p, p.Default); err != nil || value < p.Bounds.AbortsBelow { // it cannot be written
		out.Default = ""
	}
	if r.UnsetActsAsMax {
		out.Min, out.Max = out.stepped(out.Min), out.stepped(out.Max)
		out.Default = strconv.FormatFloat(out.Max, 'f', -1, 64)
	}
	return out
}

// page makes the step one heap page where the interpreter divides by the page,
// so that no two settings differ only in what is thrown away. From 3.4 on slots
// are counted singly.
func (sp *SearchParameter) page(in Interpreter, slotBytes int) {
	if in.SlotsPerPage > 0 && in.SlotBytes > 0 && slotBytes > 0 && !in.AtLeast("3.4") {
		sp.Step = float64(in.SlotsPerPage * in.SlotBytes / slotBytes)
		return
	}
	sp.Digits = 3
}

// stepped moves an end of the range to the next multiple of the step.
func (sp *SearchParameter) stepped(value float64) float64 {
	if sp.Step == 0 {
		return value
	}
	return math.Ceil(value/sp.Step) * sp.Step
}
