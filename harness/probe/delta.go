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
	Seconds             float64
	HasTime             bool
	Allocated           int64 // objects allocated; 0 where the Ruby does not tell
	LiveSlots, Slots    int64 // at the end
}

// Between returns the difference of two reports of one process, or
// ErrRestarted, wrapped, when a counter went backwards or the process changed.
func Between(before, after Report) (Delta, error) {
	d := Delta{
		Count: after.Count - before.Count, Minor: after.Minor - before.Minor, Major: after.Major - before.Major,
		Seconds: after.Seconds - before.Seconds, HasTime: before.HasTime() && after.HasTime(),
		Allocated: int64(after.Stat["total_allocated_objects"] - before.Stat["total_allocated_objects"]),
		LiveSlots: after.LiveSlots, Slots: after.Slots,
	}
	if before.PID != after.PID || d.Count < 0 || d.Seconds < 0 || d.Allocated < 0 {
		return Delta{}, fmt.Errorf("process %d, then %d: %w", before.PID, after.PID, ErrRestarted)
	}
	return d, nil
}

// Metrics adds up the processes of one server. gc_time_seconds is missing when
// one of them could not tell it.
func Metrics(deltas []Delta) map[string]float64 {
	sum := Delta{HasTime: len(deltas) > 0}
	for _, d := range deltas {
		sum.Count += d.Count
		sum.Minor += d.Minor
		sum.Major += d.Major
		sum.Seconds += d.Seconds
		sum.HasTime = sum.HasTime && d.HasTime
		sum.LiveSlots += d.LiveSlots
		sum.Slots += d.Slots
	}
	metrics := map[string]float64{
		"gc_count":        float64(sum.Count),
		"gc_minor_count":  float64(sum.Minor),
		"gc_major_count":  float64(sum.Major),
		"heap_live_slots": float64(sum.LiveSlots),
		"heap_slots":      float64(sum.Slots),
	}
	if sum.HasTime {
		metrics["gc_time_seconds"] = sum.Seconds
	}
	return metrics
}
