package ruby

import (
	"context"
	"math"
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
		} else if reason, known := m.retired(in, p.Name); known {
			s.Dead = append(s.Dead, Dead{p.Name, reason})
		} else {
			s.Dead = append(s.Dead, Dead{p.Name, "not read by this interpreter"})
		}
	}
	for _, r := range retired {
		if m.spans(in, r.from, r.below) && !known(candidates, r.name) {
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
		if p.Default == "0" { // "off", which cannot be written
			trial[p.Name] = strconv.FormatFloat(p.Search.Max, 'f', -1, 64)
		}
	}
	return list, trial
}

func (modern) spans(in Interpreter, from, below string) bool {
	return in.AtLeast(from) && (below == "" || semver.Compare("v"+in.Version, "v"+below) < 0)
}

func (m modern) retired(in Interpreter, name string) (string, bool) {
	for _, r := range retired {
		if r.name == name && m.spans(in, r.from, r.below) {
			return r.reason, true
		}
	}
	return "", false
}

func known(parameters []Parameter, name string) bool {
	for _, p := range parameters {
		if p.Name == name {
			return true
		}
	}
	return false
}

func (m modern) prove(ctx context.Context, in Interpreter, setting map[string]string, limits Limits) (map[string]Verdict, error) {
	out, err := launch(ctx, in.Path, setting, limits, "-w", "-e", "")
	if err != nil {
		return nil, err
	}
	if err := out.crash(); err != nil {
		return nil, err
	}
	echoes := parseEcho(out.stderr)
	verdicts := map[string]Verdict{}
	for name, text := range setting {
		verdicts[name] = judge(in, echoes, name, text)
	}
	return verdicts, nil
}

// judge compares what was set with what the interpreter echoed.
func judge(in Interpreter, echoes map[string]Verdict, name, text string) Verdict {
	verdict, said := echoes[name]
	if !said {
		reason, known := modern{}.retired(in, name)
		if !known {
			reason = "this interpreter does not read the name"
		}
		return Verdict{Reason: reason}
	}
	set, err := strconv.ParseFloat(text, 64)
	got, gotErr := strconv.ParseFloat(verdict.Value, 64)
	// Reals are echoed with six decimals.
	if verdict.Taken && (err != nil || gotErr != nil || math.Abs(set-got) > 1e-6) {
		verdict.Taken, verdict.Reason = false, "read as "+verdict.Value
	}
	return verdict
}
