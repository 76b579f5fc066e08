package explain

import (
	"math"
	"strconv"

	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

// Predict is gcmodel's.
type Predict func(setting map[string]string) gcmodel.Prediction

// Change is by what figures are multiplied; 1 is no change.
type Change struct{ Collections, Slots, Memory float64 }

func changeOf(from, to gcmodel.Prediction) Change {
	return Change{
		Collections: ratio(from.CollectionsPer1000, to.CollectionsPer1000),
		Slots:       ratio(from.Slots, to.Slots),
		Memory:      ratio(from.MemoryBytes, to.MemoryBytes),
	}
}

func ratio(from, to gcmodel.Estimate) float64 {
	if from.Estimate == to.Estimate {
		return 1
	}
	return to.Estimate / from.Estimate
}

// Slight is a change that is not worth a word.
const Slight = 0.01

// Matters says whether collections or memory change.
func (c Change) Matters() bool {
	return math.Abs(c.Collections-1) >= Slight || math.Abs(c.Memory-1) >= Slight
}

// Influence is what one parameter does by itself over the range that is searched.
type Influence struct {
	Name                string
	Collections, Memory Span
}

// Matters says whether anything changes.
func (i Influence) Matters() bool { return i.Collections.wide() || i.Memory.wide() }

// Weight orders influences.
func (i Influence) Weight() float64 {
	return max(i.Collections.High-i.Collections.Low, i.Memory.High-i.Memory.Low)
}

// Span are the least and the most that a figure is multiplied by, and the values at
// which it is.
type Span struct {
	Low, High     float64
	AtLow, AtHigh string
}

func (s *Span) add(x float64, value string) {
	if x < s.Low {
		s.Low, s.AtLow = x, value
	}
	if x > s.High {
		s.High, s.AtHigh = x, value
	}
}

func (s Span) wide() bool { return s.Low <= 1-Slight || s.High >= 1+Slight }

// steps are the values of a range that are tried.
const steps = 17

// Influences vary one parameter at a time, all others as in the defaults. Values that
// the defaults of the others forbid are passed over.
func Influences(predict Predict, defaults space.Setting, searched space.Space) []Influence {
	base := predict(defaults)
	var all []Influence
	for _, p := range searched.Parameters() {
		found := Influence{Name: p.Name, Collections: Span{Low: 1, High: 1}, Memory: Span{Low: 1, High: 1}}
		for _, value := range values(p) {
			setting := with(defaults, p.Name, value)
			if searched.Check(setting) != nil {
				continue
			}
			change := changeOf(base, predict(setting))
			found.Collections.add(change.Collections, value)
			found.Memory.add(change.Memory, value)
		}
		all = append(all, found)
	}
	return all
}

// values are spread evenly over the range of a parameter, on its scale.
func values(p space.Parameter) []string {
	if p.Kind == space.Choice {
		return p.Values
	}
	var all []string
	for k := range steps {
		x := p.Min + (p.Max-p.Min)*float64(k)/(steps-1)
		if p.Scale == space.Log {
			x = p.Min * math.Pow(p.Max/p.Min, float64(k)/(steps-1))
		}
		all = append(all, text(p, x))
	}
	return all
}

func text(p space.Parameter, x float64) string {
	x = min(max(x, p.Min), p.Max)
	if p.Kind == space.Int {
		return strconv.FormatFloat(min(max(math.Round(x), p.Min), p.Max), 'f', -1, 64)
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		short = x
	}
	return strconv.FormatFloat(min(max(short, p.Min), p.Max), 'f', -1, 64)
}

func with(setting space.Setting, name, value string) space.Setting {
	changed := space.Setting{}
	for n, v := range setting {
		changed[n] = v
	}
	changed[name] = value
	return changed
}

// Part is what one value of a setting does.
type Part struct {
	Name, Value string
	// Alone is what it changes in the defaults.
	Alone Change
}

// Parts are in the order of their names.
func Parts(predict Predict, defaults, setting space.Setting) []Part {
	base := predict(defaults)
	var all []Part
	for _, name := range setting.Names() {
		if defaults[name] != setting[name] {
			all = append(all, Part{name, setting[name], changeOf(base, predict(with(defaults, name, setting[name])))})
		}
	}
	return all
}

// BootAtMost are the collections for want of slots that the boot of a program with
// one heap can have where it begins with so many slots: the first comes when they are
// used up, each later one when those are that were not live. It is false where the
// log does not tell enough.
func (h Heap) BootAtMost(slots float64) (int, bool) {
	boot, found := h.Stage(gcmodel.Boot)
	if !found || boot.Objects == 0 || h.Processes != 1 {
		return 0, false
	}
	if boot.Objects < slots {
		return 0, true
	}
	live := 0.0
	for _, c := range h.process.Collections[:within(h.process, h.process.Marks[0].Collections)] {
		live = max(live, float64(c.Live))
	}
	if live == 0 || live >= slots {
		return 0, false
	}
	return 1 + int((boot.Objects-slots)/(slots-live)), true
}
