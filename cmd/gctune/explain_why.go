package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner/explain"
	"github.com/gctune/gctune/tuner/gcmodel"
	"github.com/gctune/gctune/tuner/space"
)

// notes warn of what is predicted.
func (e *explanation) notes(f foretold) []string {
	var notes []string
	for _, text := range []string{beyondText(f, machineMemory()), e.offText(f)} {
		if text != "" {
			notes = append(notes, text)
		}
	}
	return notes
}

// beyondText warns of what this machine has not the memory for; 0 is not known.
func beyondText(f foretold, memory float64) string {
	if memory == 0 || f.expected.MemoryBytes.Estimate <= memory {
		return ""
	}
	return fmt.Sprintf("that is beyond the memory of this machine, which has %s: such a run would fail, or never fill its heap", formatBytes(memory))
}

// offText warns where the model is wrong about the defaults themselves.
func (e *explanation) offText(f foretold) string {
	baseline, found := e.definition.BaselineOf(e.trials)
	if !found {
		return ""
	}
	var off []string
	for _, row := range e.figures(f) {
		if row.measured == nil {
			continue
		}
		of := row.of(f.before)
		if value, known := row.measured(baseline); known && (value < of.Low || value > of.High) {
			off = append(off, fmt.Sprintf("%s %s where there were %s", strings.TrimSpace(row.title), row.unit.Format(of.Estimate), row.unit.Format(value)))
		}
	}
	if len(off) == 0 {
		return ""
	}
	return "of the defaults themselves the model expects other figures than were measured (" + strings.Join(off, "; ") + "): go by the change rather than by the figures"
}

// why says what makes the difference, in sentences.
func (e *explanation) why(f foretold) []string {
	var lines, idle []string
	for _, part := range f.parts {
		if !part.Alone.Matters() {
			idle = append(idle, part.Name)
			continue
		}
		lines = append(lines, e.partText(part))
		if text := e.initialText(part); text != "" {
			lines = append(lines, text)
		}
	}
	if len(idle) > 0 {
		lines = append(lines, "by themselves these change collections and memory by less than 1 %: "+strings.Join(idle, ", "))
	}
	lines = append(lines, e.idleText(f.parts)...)
	if text := e.roomText(f); text != "" && beyondText(f, machineMemory()) == "" {
		lines = append(lines, text)
	}
	return lines
}

// partText says what one value does by itself.
func (e *explanation) partText(p explain.Part) string {
	text := fmt.Sprintf("%s=%s by itself changes collections by %s and memory by %s", p.Name, p.Value, changeText(p.Alone.Collections), changeText(p.Alone.Memory))
	effect := ruby.Effect(e.heap.Ruby, p.Name)
	switch {
	case effect == "":
	case e.against(p, effect):
		text += " (a larger value, as a rule: " + effect + "; here it is the other way: the heap stands at the edge of a step of growth, where the least difference tips it)"
	default:
		text += " (a larger value: " + effect + ")"
	}
	return text
}

// against is true where a value is predicted to do to collections the contrary of what
// its parameter is known for.
func (e *explanation) against(p explain.Part, effect string) bool {
	direction := 0.0
	switch {
	case strings.Contains(effect, "fewer collections"):
		direction = -1
	case strings.Contains(effect, "more collections"):
		direction = 1
	}
	for _, searched := range e.definition.Parameters {
		usual := e.defaults()[p.Name]
		if usual == "" {
			usual = searched.Default
		}
		from, err := strconv.ParseFloat(usual, 64)
		to, err2 := strconv.ParseFloat(p.Value, 64)
		if searched.Name == p.Name && err == nil && err2 == nil {
			return direction*(to-from)*(p.Alone.Collections-1) < 0 && math.Abs(p.Alone.Collections-1) >= explain.Slight
		}
	}
	return false
}

// noChange is what is shown as none.
const noChange = 0.0005

func changeText(ratio float64) string {
	if math.Abs(ratio-1) < noChange {
		return "less than 0.1 %"
	}
	return report.Change.Format(ratio)
}

// idleText says of which values the trials have shown that they could not act.
func (e *explanation) idleText(parts []explain.Part) []string {
	var named []space.Parameter
	for _, part := range parts {
		named = append(named, space.Parameter{Name: part.Name})
	}
	return inertLines(named, e.inert())
}

// initialSlots are the names that say with how many slots the heap begins, where
// there is one heap.
var initialSlots = regexp.MustCompile(`^(RUBY_GC_HEAP_INIT_SLOTS|(RUBY_)?HEAP_MIN_SLOTS)$`)

// initialText says what a heap does that begins with so many slots.
func (e *explanation) initialText(p explain.Part) string {
	slots, err := strconv.ParseFloat(p.Value, 64)
	if err != nil || !initialSlots.MatchString(p.Name) {
		return ""
	}
	boot, _ := e.heap.Stage(gcmodel.Boot)
	end, _ := e.heap.Stage(gcmodel.Window)
	if end.Slots == 0 || boot.Slots == 0 || len(e.trial.Setting) > len(e.defaults()) {
		return ""
	}
	begins := fmt.Sprintf("the heap begins with %s slots, ", comma(slots))
	switch {
	case slots >= end.Slots:
		begins += fmt.Sprintf("more than the %s that it grows to by itself: it need not grow", comma(end.Slots))
	case slots >= boot.Slots:
		begins += fmt.Sprintf("more than the %s that it has by itself after boot, and less than the %s that it grows to", comma(boot.Slots), comma(end.Slots))
	default:
		return begins + fmt.Sprintf("less than the %s that it has by itself after boot: they are used up in boot, and it grows from there", comma(boot.Slots))
	}
	if most, known := e.heap.BootAtMost(slots); known {
		begins += fmt.Sprintf("; in boot %s, where there were %d", atMost(most), boot.Collections())
	}
	return begins
}

func atMost(collections int) string {
	switch collections {
	case 0:
		return "no collection starts for want of slots"
	case 1:
		return "at most 1 collection starts for want of slots"
	}
	return fmt.Sprintf("at most %d collections start for want of slots", collections)
}

// roomText says what the slots that are free after a collection come to.
func (e *explanation) roomText(f foretold) string {
	window, _ := e.heap.Stage(gcmodel.Window)
	free, before := room(f.expected), room(f.before)
	if window.Requests == 0 || window.Objects == 0 || e.heap.Processes != 1 || free <= 0 || before <= 0 {
		return ""
	}
	if byMalloc, of := mallocStarts(window); 2*byMalloc > of {
		return fmt.Sprintf("a collection leaves some %s slots free instead of %s, but they decide little: in the window malloc has started %d of %d collections",
			comma(free), comma(before), byMalloc, of)
	}
	if ruby.ManyHeaps(e.heap.Ruby) {
		return fmt.Sprintf("a collection leaves some %s slots of all heaps free instead of %s", comma(free), comma(before))
	}
	each := window.Objects / window.Requests
	if math.Abs(free/before-1) < explain.Slight {
		return fmt.Sprintf("a collection leaves as many slots free as with the defaults, some %s: at %s objects a %s they last for %s",
			comma(free), comma(each), e.oneUnit(), e.lasting(free/each))
	}
	return fmt.Sprintf("a collection leaves some %s slots free instead of %s: at %s objects a %s they last for %s instead of %s",
		comma(free), comma(before), comma(each), e.oneUnit(), e.lasting(free/each), insteadOf(before/each))
}

func room(p gcmodel.Prediction) float64 { return p.Slots.Estimate - p.Live.Estimate }
