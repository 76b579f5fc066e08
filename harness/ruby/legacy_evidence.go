package ruby

import (
	"context"
	"maps"
	"strconv"
	"strings"
)

// evidence is what a Ruby before 2.1 shows of how its collector is set.
type evidence struct {
	contains map[string]bool       // by its binary
	said     map[string]legacyEcho // when all that it contains were set
	usual    int64                 // peak memory of a start with nothing set, in bytes; 0 where it cannot be read
	large    int64                 // the same with largeStart slots to begin with
	// fractions: half a growth factor was taken, so that it is read as a real.
	fractions bool
}

// legacyNames are those that make a variant, in the order that they are shown.
var legacyNames = []string{minSlots, increment, growthFactor, heapFreeMin, freeMin, mallocLimit, listStep}

// largeStart costs 16 MB where it is read; a start varies by less than 1 MB.
const (
	largeStart    = 400000
	initialSlots  = 10000
	clearInMemory = 8 << 20 // bytes: an effect of less than this is not looked for
)

// examine scans and launches an interpreter. One that contains none of the
// names is not launched.
func examine(ctx context.Context, in Interpreter) (evidence, error) {
	var e evidence
	var err error
	if e.contains, err = contained(in, append([]string{laterGrowth, talkative}, legacyNames...)); err != nil {
		return e, err
	}
	trial := e.trial()
	if len(trial) == 0 {
		return e, nil
	}
	if e.usual, _, err = legacyLaunch(ctx, in, nil, Limits{}, tellPeak); err != nil {
		return e, err
	}
	if e.large, e.said, err = legacyLaunch(ctx, in, trial, Limits{}, tellPeak); err != nil {
		return e, err
	}
	if e.readsIncrements(in) {
		e.fractions, err = takesFractions(ctx, in)
	}
	return e, err
}

// trial has a legal value for each name that the binary contains, and one for
// the initial slots that must show. Of two names of one thing only one is set.
func (e evidence) trial() map[string]string {
	setting := map[string]string{}
	for name, text := range map[string]string{
		minSlots: strconv.Itoa(largeStart), increment: "10000", growthFactor: "1",
		heapFreeMin: "4096", freeMin: "4096", mallocLimit: "8000000",
	} {
		if e.contains[name] {
			setting[name] = text
		}
	}
	if e.contains[freeMin] {
		delete(setting, heapFreeMin)
	}
	return setting
}

func (e evidence) measured() bool { return e.usual > 0 && e.large > 0 }

// startsLarge reports whether the slots asked for were paid for.
func (e evidence) startsLarge(in Interpreter) bool {
	return e.measured() && e.large-e.usual >= paidFor(in, largeStart)
}

// paidFor is the memory that a number of initial slots must at least add. A
// quarter is allowed for what the smaller heap would have grown to.
func paidFor(in Interpreter, slots float64) int64 {
	return int64((slots - initialSlots) * float64(in.SlotBytes) * 3 / 4)
}

// unread says why a name is taken to be without effect, or "" when the
// interpreter reads it.
func (e evidence) unread(in Interpreter, name string) string {
	_, said := e.said[name]
	switch {
	case !e.contains[name]:
		return "no effect on this Ruby: its binary does not contain the name"
	case name == minSlots && e.measured() && !e.startsLarge(in):
		return "no effect on this Ruby: its binary contains the name, but a start with " + strconv.Itoa(largeStart) + " slots takes no more memory"
	case len(e.said) > 0 && !said:
		return "no effect on this Ruby: its binary contains the name, but does not say that it reads it, as it does of others"
	case len(e.said) == 0 && !e.startsLarge(in):
		return "no effect on this Ruby: its binary contains the name, but nothing shows that it reads it"
	}
	return ""
}

// readsIncrements: 1.8 alone takes a whole increment at once, which shows.
func (e evidence) readsIncrements(in Interpreter) bool {
	return !in.AtLeast("1.9") && e.unread(in, increment) == "" && e.unread(in, growthFactor) == ""
}

// takesFractions grows the heap twice by large increments. The factor 0.01
// makes the second one small where it is read as a real; atoi makes 0 of it,
// which is ignored.
func takesFractions(ctx context.Context, in Interpreter) (bool, error) {
	setting := map[string]string{increment: "200000"}
	ignored, _, err := legacyLaunch(ctx, in, setting, Limits{}, growTwice+tellPeak)
	if err != nil {
		return false, err
	}
	setting[growthFactor] = "0.01"
	taken, _, err := legacyLaunch(ctx, in, setting, Limits{}, growTwice+tellPeak)
	return ignored-taken > clearInMemory, err
}

// tellPeak prints the peak memory of the process. Its resource usage would not
// do: on Linux a child begins with the peak of the process that started it.
const tellPeak = `
begin; puts "gctune\tpeak\t" + File.read('/proc/self/status')[/VmHWM:\s*(\d+)/, 1].to_s; rescue SystemCallError; end
`

// growTwice needs more slots than the initial ones and one increment of 200000.
const growTwice = `GC.disable; 230000.times { Object.new }`

// legacyLaunch runs a script with a setting and returns its peak memory in
// bytes, 0 where it cannot be read, and what was said of the variables.
func legacyLaunch(ctx context.Context, in Interpreter, setting map[string]string, limits Limits, script string) (int64, map[string]legacyEcho, error) {
	env := maps.Clone(setting)
	if len(env) > 0 {
		env[talkative] = "1"
	}
	out, err := launch(ctx, in, env, limits, "-w", "-e", script)
	if err != nil {
		return 0, nil, err
	}
	if err := out.crash(); err != nil {
		return 0, nil, err
	}
	kib, _ := strconv.ParseInt(strings.Join(answers(out.stdout)["peak"], ""), 10, 64) // no answer is 0: unknown
	said := parseLegacyEcho(out.stderr)
	delete(said, talkative)
	return kib << 10, said, nil
}
