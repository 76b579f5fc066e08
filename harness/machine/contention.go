package machine

// The metrics of Contention.
const (
	// OtherCPU is the share of the machine's time that other programs had, of all
	// cores together.
	OtherCPU = "other_cpu_share"
	// Steal is the share that other machines on the same hardware had.
	Steal = "steal_share"
	// Pressure is the share of the time in which something on the machine waited
	// for a core; TreePressure the same of the control group given.
	Pressure     = "cpu_pressure_share"
	TreePressure = "tree_cpu_pressure_share"
	// QueueWait is the part of the time in which threads of the processes given
	// wanted to run that they waited for a core.
	QueueWait = "runqueue_wait_share"
)

// Contention returns what disturbed the processes between two moments, as metrics.
// own is the CPU time, in seconds, that belongs to the measurement; the rest is
// others'. Threads that ended meanwhile are left out.
func Contention(before, after Moment, own float64) map[string]float64 {
	metrics := map[string]float64{}
	if total := after.total - before.total; total > 0 {
		// The kernel counts in hundredths of a second.
		metrics[OtherCPU] = max(0, after.busy-before.busy-own) / total
		metrics[Steal] = max(0, after.steal-before.steal) / total
	}
	seconds := after.at.Sub(before.at).Seconds()
	addPressure(metrics, Pressure, before.machine, after.machine, seconds)
	addPressure(metrics, TreePressure, before.group, after.group, seconds)
	var ran, waited float64
	for id, now := range after.threads {
		was := before.threads[id] // zero for a new one
		ran += max(0, now.ran-was.ran)
		waited += max(0, now.waited-was.waited)
	}
	if ran+waited > 0 {
		metrics[QueueWait] = waited / (ran + waited)
	}
	return metrics
}

func addPressure(metrics map[string]float64, name string, before, after pressure, seconds float64) {
	if before.known && after.known && seconds > 0 {
		metrics[name] = min(1, max(0, after.seconds-before.seconds)/seconds)
	}
}
