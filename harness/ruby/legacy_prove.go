package ruby

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// How a value is known to be taken where its number is not reported.
const (
	proofText   = "the interpreter repeated the text, in which every reader sees the same number"
	proofBinary = "the interpreter's binary contains the name, and its initial slots were seen to be taken from the environment"
)

func (l legacy) prove(ctx context.Context, in Interpreter, setting map[string]string, limits Limits) (map[string]Verdict, error) {
	s, e, err := l.examined(ctx, in)
	if err != nil {
		return nil, err
	}
	peak, said, err := legacyLaunch(ctx, in, setting, limits, tellPeak)
	if err != nil {
		return nil, err
	}
	verdicts := map[string]Verdict{}
	for name, text := range setting {
		v := l.judge(s, said, name, text)
		if name == minSlots && v.Taken {
			v = seenInMemory(in, v, peak-e.usual, e.measured())
		}
		verdicts[name] = v
	}
	return verdicts, nil
}

// judge goes by what the interpreter said; values that it would misread are
// told from the text alone.
func (legacy) judge(s Support, said map[string]legacyEcho, name, text string) Verdict {
	p, ok := s.Parameter(name)
	if !ok {
		return Verdict{Reason: s.whyDead(name)}
	}
	v := Verdict{Default: p.Default, Value: said[name].number}
	var wrong *ValueError
	if errors.As(CheckValue(p, text), &wrong) {
		v.Reason = wrong.Reason
		return v
	}
	_, canonical, _ := ParseValue(p, text) // checked above
	switch {
	case v.Value != "" && v.Value != canonical:
		v.Reason = "read as " + v.Value
		return v
	case v.Value != "":
	case said[name].text == text:
		v.Proof = proofText
	case len(said) > 0:
		v.Reason = "the interpreter did not say that it read it, as it did of others"
		return v
	default:
		v.Proof = proofBinary
	}
	v.Taken, v.Value = true, canonical
	return v
}

// seenInMemory holds the initial slots to what they must cost.
func seenInMemory(in Interpreter, v Verdict, added int64, measured bool) Verdict {
	slots, _ := strconv.ParseFloat(v.Value, 64) // canonical
	least := paidFor(in, slots)
	switch {
	case !measured || least < clearInMemory:
	case added < least:
		v.Taken, v.Reason, v.Proof = false, fmt.Sprintf("a start took %.1f MB more memory, but its slots alone need %.1f MB", mb(added), mb(least*4/3)), ""
	default:
		v.Proof = fmt.Sprintf("a start took %.1f MB more memory, as its slots must", mb(added))
	}
	return v
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
