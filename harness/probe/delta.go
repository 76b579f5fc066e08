package probe

import (
	"errors"
	"fmt"
)

// ErrRestarted: two reports are not of one and the same process, so that their
// difference means nothing.
var ErrRestarted = errors.New("the process was restarted between two reports")

// Delta is what one process's collector did between two reports.
type Delta struct {
	Count, Minor, Major int64
	Counted             bool // Count is known
	Generational        bool // Minor and Major are known
	Seconds             float64
	HasTime             bool
	Elapsed             bool  // Seconds are of the clock, and not of CPU time
	Allocated           int64 // objects allocated; 0 where the Ruby does not tell
	LiveSlots, Slots    int64 // at the end; 0 where the Ruby does not tell
	Reasons             Reasons
	// CPU is the CPU time between the reports in seconds, Cycles that from the latest
	// collection before the first one to the latest before the second, which are Count
	// whole cycles, and Open that since then, with some milliseconds more that the
	// process took before Ruby's profiler looked at the clock. All are 0 where they are
	// not known or there was no collection.
	CPU, Cycles, Open float64
}

// Between returns the difference of two reports of one process, or
// ErrRestarted, wrapped, when a counter went backwards or the process changed.
func Between(before, after Report) (Delta, error) {
	d := Delta{
		Count: after.Count - before.Count, Minor: after.Minor - before.Minor, Major: after.Major - before.Major,
		Counted: before.Counted && after.Counted, Generational: before.Generational && after.Generational,
		Seconds: after.Seconds - before.Seconds, HasTime: before.HasTime() && after.HasTime(),
		Elapsed:   after.Elapsed(),
		Allocated: int64(after.Stat["total_allocated_objects"] - before.Stat["total_allocated_objects"]),
		LiveSlots: after.LiveSlots, Slots: after.Slots,
		Reasons: reasonsBetween(before, after),
	}
	if d.Count > 0 && before.Invoked > 0 && after.Invoked > before.Invoked {
		d.CPU, d.Cycles, d.Open = after.CPU-before.CPU, after.Invoked-before.Invoked, after.CPU-after.Invoked
	}
	if before.PID != after.PID || d.Count < 0 || d.Seconds < 0 || d.Allocated < 0 {
		return Delta{}, fmt.Errorf("process %d, then %d: %w", before.PID, after.PID, ErrRestarted)
	}
	return d, nil
}

// DueSeconds are Seconds as they would be if the time between the reports had held as
// much of the collector's cycle as is due to it. Where collections are rare, what is
// seen between two reports has one more or one fewer by chance: three of them, say, in
// the time of two and a half cycles. A cycle takes as long as those that were seen, the
// one that is under way included where that has taken longer already.
func (d Delta) DueSeconds() float64 {
	if !(d.Cycles > 0 && d.CPU > 0) {
		return d.Seconds
	}
	count := float64(d.Count)
	return d.Seconds * d.CPU / (count * max(d.Cycles/count, (d.Cycles+d.Open)/(count+1)))
}

// Metrics adds up the processes of one server. What one of them could not tell
// is missing: a sum of the others would be taken for the server's.
func Metrics(deltas []Delta) map[string]float64 {
	metrics := map[string]float64{}
	if len(deltas) == 0 {
		return metrics
	}
	sum := deltas[0]
	for _, d := range deltas[1:] {
		sum = sum.plus(d)
	}
	add := func(known bool, name string, value float64) {
		if known {
			metrics[name] = value
		}
	}
	add(sum.Counted, "gc_count", float64(sum.Count))
	add(sum.Generational, "gc_minor_count", float64(sum.Minor))
	add(sum.Generational, "gc_major_count", float64(sum.Major))
	add(sum.HasTime, "gc_time_seconds", sum.Seconds)
	add(sum.LiveSlots > 0, "heap_live_slots", float64(sum.LiveSlots))
	add(sum.Slots > 0, "heap_slots", float64(sum.Slots))
	sum.Reasons.addTo(metrics)
	return metrics
}

func (d Delta) plus(e Delta) Delta {
	return Delta{
		Count: d.Count + e.Count, Minor: d.Minor + e.Minor, Major: d.Major + e.Major,
		Counted: d.Counted && e.Counted, Generational: d.Generational && e.Generational,
		Seconds: d.Seconds + e.Seconds, HasTime: d.HasTime && e.HasTime, Elapsed: d.Elapsed || e.Elapsed,
		Allocated: d.Allocated + e.Allocated, LiveSlots: d.LiveSlots + e.LiveSlots, Slots: d.Slots + e.Slots,
		Reasons: d.Reasons.plus(e.Reasons),
	}
}
