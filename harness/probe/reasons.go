package probe

import "maps"

// Reasons count collections by why they ran, in Ruby's words. A count is what was
// seen: a program that clears the profiler's records hides some, so that the sum
// of Started may be less than the number of collections. It is empty where the
// Ruby does not tell.
type Reasons struct {
	// Started counts all collections by what started them: "newobj" for want of
	// a slot, "malloc" for memory allocated beside the slots, "method" by the
	// program.
	Started map[string]int64
	// MadeMajor counts the major ones by what made them so: "oldmalloc",
	// "oldgen", "shady", "nofree", "force". Ruby names one reason for each,
	// "oldmalloc" only where there is no other.
	MadeMajor map[string]int64
}

// The words of Ruby that have a metric of their own, each with the middle of its
// name; all others count as "other".
var (
	startedNames = map[string]string{"newobj": "slots", "malloc": "malloc"}
	majorNames   = map[string]string{"oldmalloc": "oldmalloc", "oldgen": "oldobjects", "shady": "unprotected"}
)

func reasonsBetween(before, after Report) Reasons {
	if !before.HasReasons || !after.HasReasons {
		return Reasons{}
	}
	return Reasons{difference(before.Started, after.Started), difference(before.MadeMajor, after.MadeMajor)}
}

func difference(before, after map[string]int64) map[string]int64 {
	d := map[string]int64{}
	for reason, count := range after {
		if n := count - before[reason]; n > 0 {
			d[reason] = n
		}
	}
	return d
}

func (r Reasons) plus(s Reasons) Reasons {
	return Reasons{added(r.Started, s.Started), added(r.MadeMajor, s.MadeMajor)}
}

func added(a, b map[string]int64) map[string]int64 {
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[string]int64{}
	}
	for reason, count := range b {
		sum[reason] += count
	}
	return sum
}

// addTo adds the shares of the reasons, and of how many collections they are.
func (r Reasons) addTo(metrics map[string]float64) {
	seen := 0.0
	for _, count := range r.Started {
		seen += float64(count)
	}
	if seen == 0 {
		return
	}
	metrics["gc_reasons_seen"] = seen
	addShares(metrics, "gc_by_", startedNames, r.Started, seen)
	addShares(metrics, "gc_major_by_", majorNames, r.MadeMajor, seen)
}

func addShares(metrics map[string]float64, prefix string, names map[string]string, counts map[string]int64, seen float64) {
	for _, name := range names {
		metrics[prefix+name+"_share"] = 0
	}
	metrics[prefix+"other_share"] = 0
	for reason, count := range counts {
		name, known := names[reason]
		if !known {
			name = "other"
		}
		metrics[prefix+name+"_share"] += float64(count) / seen
	}
}
