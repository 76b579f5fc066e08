package ruby

import (
	"context"
	"math"
	"slices"
	"strconv"

	"golang.org/x/mod/semver"
)

// modern covers CRuby from 2.1 on, where RUBY_GC_* variables are read at start
// and a verbose launch says what was made of each.
type modern struct{}

func (modern) name() string               { return "modern" }
func (modern) covers(in Interpreter) bool { return in.Engine == "ruby" && in.AtLeast("2.1") }

func (m modern) support(ctx context.Context, in Interpreter) (Support, error) {
	candidates, trial := m.candidates(in)
	verdicts, err := m.prove(ctx, in, trial, Limits{})
	if err != nil {
		return Support{Interpreter: in}, err
	}
	s := Support{Interpreter: in}
	for _, p := range candidates {
		verdict := verdicts[p.Name]
		if verdict.Value != "" {
			p.Default = verdict.Default
			s.Parameters = append(s.Parameters, p)
		} else {
			s.Dead = append(s.Dead, Dead{p.Name, m.whyNotRead(in, p.Name)})
		}
	}
	for _, r := range retired {
		if m.spans(in, r.from, r.below) && !listed(candidates, r.name) {
			s.Dead = append(s.Dead, Dead{r.name, r.reason})
		}
	}
	return s, nil
}

// candidates are all names of the catalogue, also those of other lines, each
// with the row that fits best and a legal value to ask about it.
func (m modern) candidates(in Interpreter) ([]Parameter, map[string]string) {
	var list []Parameter
	index := map[string]int{}
	trial := map[string]string{}
	for _, r := range modernRows {
		p := r.Parameter
		p.reader = readerOf(in)
		at, seen := index[p.Name]
		switch {
		case !seen:
			index[p.Name] = len(list)
			list = append(list, p)
		case m.spans(in, r.from, r.below):
			list[at] = p
		}
	}
	for _, p := range list {
		trial[p.Name] = p.Default
		if CheckValue(p, p.Default) != nil { // "off", which cannot be written, or one that aborts if it is
			trial[p.Name] = strconv.FormatFloat(p.Search.Max, 'f', -1, 64)
		}
	}
	return list, trial
}

func (modern) spans(in Interpreter, from, below string) bool {
	return in.AtLeast(from) && (below == "" || semver.Compare("v"+in.Version, "v"+below) < 0)
}

// whyNotRead says why a name has no effect on an interpreter.
func (m modern) whyNotRead(in Interpreter, name string) string {
	for _, r := range retired {
		if r.name == name && m.spans(in, r.from, r.below) {
			return r.reason
		}
	}
	for _, r := range modernRows {
		if r.Name == name && !in.AtLeast(r.from) {
			return "no effect on this Ruby; read from " + r.from + " on"
		}
	}
	return "no effect on this Ruby: it does not read the name"
}

func listed(parameters []Parameter, name string) bool {
	return slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Name == name })
}

func (m modern) prove(ctx context.Context, in Interpreter, setting map[string]string, limits Limits) (map[string]Verdict, error) {
	out, err := launch(ctx, in, setting, limits, "-w", "-e", "")
	if err != nil {
		return nil, err
	}
	if err := out.crash(); err != nil {
		return nil, err
	}
	echoes := parseEcho(out.stderr)
	verdicts := map[string]Verdict{}
	for name, text := range setting {
		verdicts[name] = m.judge(in, echoes, name, text)
	}
	return verdicts, nil
}

// judge compares what was set with what the interpreter echoed.
func (m modern) judge(in Interpreter, echoes map[string]Verdict, name, text string) Verdict {
	verdict, said := echoes[name]
	if !said {
		return Verdict{Reason: m.whyNotRead(in, name)}
	}
	if !verdict.Taken {
		return verdict
	}
	set, whole := readerOf(in).read(kindOf(name), text)
	got, err := strconv.ParseFloat(verdict.Value, 64)
	if err != nil || !whole || math.Abs(set-got) > echoPrecision {
		verdict.Taken, verdict.Reason = false, "read as "+verdict.Value
	}
	return verdict
}

func kindOf(name string) Kind {
	at := slices.IndexFunc(modernRows, func(r row) bool { return r.Name == name })
	if at < 0 {
		return Size
	}
	return modernRows[at].Kind
}

// echoPrecision: reals are echoed with six decimals.
const echoPrecision = 1e-6
