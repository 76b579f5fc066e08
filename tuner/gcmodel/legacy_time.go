package gcmodel

// legacyEffort is what a collection's time goes by: gc_mark visits the live
// objects, gc_sweep all slots, at some third of the cost each.
func legacyEffort(live, slots float64) float64 { return live + slots/3 }

// secondsPerEffort is 0 where a log has no times.
func secondsPerEffort(p Process) float64 {
	var seconds, effort float64
	for _, c := range p.Collections {
		seconds += max(0, c.Seconds)
		effort += legacyEffort(float64(max(0, c.Live)), float64(max(0, c.Slots)))
	}
	if effort == 0 {
		return 0
	}
	return finite(seconds / effort)
}
