package harness

import (
	"cmp"

	"github.com/gctune/gctune/harness/probe"
	"github.com/gctune/gctune/harness/settle"
)

// leastChunks is how many chunks a window has at least.
const leastChunks = settle.Least

// settle looks for the end of the warm-up: the chunk since when the CPU time of a
// request, without collection, is flat, heaps do not grow, and all their slots have
// been used, with all processes at work. It is looked for anew as long as the trial
// cannot end by what it finds. A heap that does not stop growing is not waited for for
// ever.
func (n *asNeeded) settle() {
	if n.settled && (n.server.Warmup > 0 || n.served() > n.least) {
		return
	}
	since, flat := settle.Since(n.otherCPU())
	if !flat && n.served() >= 2*n.least { // a machine that does not come to rest
		since, flat = min(since, n.halfway()), true
	}
	grown := max(since, n.lastChange())
	n.begin = max(grown, n.firstUsed())
	n.settled = flat && len(n.window()) >= leastChunks && n.allWorked()
	if !n.settled && n.served() >= max(warmupMost*n.serving, 2*n.least) {
		n.giveUpOn(flat && len(n.looks)-1-grown >= leastChunks && n.allWorked())
	}
	if n.settled && n.since < 0 {
		n.since = len(n.looks) - 1
	}
}

// giveUpOn a warm-up that does not end, which is said but where only the slots of a
// large heap are left to be used.
func (n *asNeeded) giveUpOn(onlyUnused bool) {
	if !onlyUnused {
		n.warn("the heap was still growing, a worker still idle, or requests still became cheaper after %d requests, the last half of which is measured: give load.warmup a number if the figures vary", n.served())
	}
	n.begin, n.settled = n.halfway(), true
}

// firstUsed is the first look at which every slot has been used once, or else the last.
func (n *asNeeded) firstUsed() int {
	first := n.firstLooks()
	for i, l := range n.looks {
		if usedOnce(first, l.workers) {
			return i
		}
	}
	return len(n.looks) - 1
}

// firstLooks are those at each process.
func (n *asNeeded) firstLooks() map[int]worker {
	first := n.looks[0].workers
	for _, l := range n.looks[1:] {
		first = joined(first, l.workers)
	}
	return first
}

// halfway is the last look at half of the requests or fewer: the first chunks, whose
// requests take longer, have fewer of them.
func (n *asNeeded) halfway() int {
	i := len(n.looks) - 1
	for i > 0 && 2*n.looks[i].served > n.served() {
		i--
	}
	return i
}

// sameSinceSettled voids a run in which a process came or went after the warm-up.
func (n *asNeeded) sameSinceSettled() error {
	if n.since < 0 {
		return nil
	}
	return sameWorkers(n.looks[n.since].workers, n.last().workers)
}

// sameInWindow voids a run in whose window a process came or went: where the warm-up
// was given up, that may have been before it.
func (n *asNeeded) sameInWindow() error {
	for i := range n.window() {
		if err := sameWorkers(n.looks[n.begin+i].workers, n.looks[n.begin+i+1].workers); err != nil {
			return err
		}
	}
	return nil
}

// otherCPU is the CPU time of a request in each chunk, without collection where
// that is known.
func (n *asNeeded) otherCPU() []float64 {
	figures := make([]float64, 0, len(n.looks))
	for i, l := range n.looks[1:] {
		seconds := l.seconds
		if collection, known := n.collection(i, i+1); known {
			seconds -= collection.Seconds
		}
		figures = append(figures, seconds/float64(l.report.Sent))
	}
	return figures
}

// collection is what the collector did from one look to another; it is not known
// where a process did not answer, or has changed.
func (n *asNeeded) collection(from, to int) (sum probe.Delta, known bool) {
	for pid, w := range n.looks[to].workers {
		before := n.looks[from].workers[pid].report
		if before == nil || w.report == nil {
			return sum, false
		}
		d, err := probe.Between(*before, *w.report)
		if err != nil || !d.HasTime {
			return sum, false
		}
		if d.Elapsed {
			d.Seconds *= n.cpuShare(from, to)
		}
		sum.Seconds, sum.Major = sum.Seconds+d.Seconds, sum.Major+d.Major
		sum.Generational = d.Generational
	}
	return sum, len(n.looks[to].workers) > 0
}

// cpuShare is that of the chunks between two looks.
func (n *asNeeded) cpuShare(from, to int) float64 {
	cpu, answering := 0.0, 0.0
	for _, l := range n.looks[from+1 : to+1] {
		all := l.report.Latency.Mean.Seconds() * float64(l.report.Latency.Count)
		cpu, answering = cpu+l.seconds, answering+min(all, l.report.Wall.Seconds())
	}
	if !(answering > 0) {
		return 1
	}
	return min(1, cpu/answering)
}

// lastChange is the latest look that saw a process come or go, or a heap grow that
// has not been through two major collections yet.
func (n *asNeeded) lastChange() int {
	first := n.firstLooks()
	for i := len(n.looks) - 1; i > 0; i-- {
		before, now := n.looks[i-1].workers, n.looks[i].workers
		if sameWorkers(before, now) != nil {
			return i
		}
		for pid, w := range now {
			old := before[pid].report
			if old != nil && w.report != nil && w.report.Slots != old.Slots && !grownUp(first[pid], n.last().workers[pid]) {
				return i
			}
		}
	}
	return 0
}

// grown says whether memory may be compared: heaps have stopped growing. A machine
// that does not come to rest is no reason to read it over more requests than that of
// others.
func (n *asNeeded) grown() bool {
	return n.settled || len(n.looks)-1-n.lastChange() >= leastChunks && n.allWorked()
}

// allWorked says whether each serving process has worked in the window.
func (n *asNeeded) allWorked() bool {
	for _, w := range serving(n.last().workers) {
		before := n.looks[n.begin].workers[w.PID].report
		if before != nil && w.report != nil && w.report.Stat[allocated] > 0 && w.report.Stat[allocated] == before.Stat[allocated] {
			return false
		}
	}
	return true
}

// share is the part of the CPU time in collection that the window's figures let
// expect in the long run, and its error: see settle.Expected.
func (n *asNeeded) share() (share, standardError float64, known bool) {
	chunks, known := n.parts()
	if !known {
		return 0, 0, false
	}
	share, standardError = settle.Expected(chunks, n.majorCost(), float64(cmp.Or(n.trial.Lengths.MajorEvery, n.most)))
	return dueShare(share, n.deltas(n.begin, len(n.looks)-1)), standardError, true
}

// deltas are those of the processes between two looks that tell the time.
func (n *asNeeded) deltas(from, to int) (all []probe.Delta) {
	for pid, w := range n.looks[to].workers {
		before := n.looks[from].workers[pid].report
		if before == nil || w.report == nil {
			continue
		}
		if d, err := probe.Between(*before, *w.report); err == nil && d.HasTime {
			all = append(all, d)
		}
	}
	return all
}

// parts are the chunks of the window, and whether collection is told apart in each.
func (n *asNeeded) parts() (chunks []settle.Chunk, known bool) {
	known = true
	for i, l := range n.window() {
		collection, told := n.collection(n.begin+i, n.begin+i+1)
		known = known && told && collection.Seconds < l.seconds
		chunks = append(chunks, settle.Chunk{Work: float64(l.report.Sent), Cost: l.seconds, Part: collection.Seconds, Rare: float64(collection.Major)})
	}
	return chunks, known && len(chunks) > 0
}

// throughputError is the relative standard error of throughput within the window.
// Where collection is told apart, it is that of the estimate by its share.
func (n *asNeeded) throughputError() float64 {
	if _, standardError, known := n.share(); known {
		return standardError
	}
	chunks, _ := n.parts()
	return settle.CostError(chunks)
}

// majorCost is what a major collection takes: as seen under load, or of the baseline,
// or, as long as there was none, what all collection since the start has taken for
// each major one.
func (n *asNeeded) majorCost() float64 {
	if seconds, seen := n.majorSeconds(); seen {
		return seconds
	}
	if known := n.trial.Lengths.MajorSeconds; known > 0 {
		return known
	}
	seconds, majors := 0.0, int64(0)
	for _, w := range serving(n.last().workers) {
		if w.report != nil && w.report.HasTime() {
			seconds, majors = seconds+w.report.Seconds, majors+w.report.Major
		}
	}
	if majors == 0 {
		return 0
	}
	return seconds / float64(majors)
}

// majorSeconds is what a major collection takes beyond what collection takes in the
// other chunks, over the whole load, and whether there was one.
func (n *asNeeded) majorSeconds() (float64, bool) {
	var with, without, requestsWith, requestsWithout float64
	majors, after := int64(0), false
	for i, l := range n.looks[1:] {
		collection, known := n.collection(i, i+1)
		if !known || !collection.Generational {
			return 0, false
		}
		switch {
		case collection.Major > 0, after: // one may go on into the next chunk
			after = collection.Major > 0
			with, requestsWith, majors = with+collection.Seconds, requestsWith+float64(l.report.Sent), majors+collection.Major
		default:
			without, requestsWithout = without+collection.Seconds, requestsWithout+float64(l.report.Sent)
		}
	}
	if majors == 0 || requestsWithout == 0 {
		return 0, false
	}
	return max(0, with-without/requestsWithout*requestsWith) / float64(majors), true
}
