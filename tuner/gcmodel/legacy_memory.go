package gcmodel

import "math"

// legacyMemory is the memory of a process: 40 bytes a slot (all are written as a
// slab is added, add_heap); what does not depend on the setting; and what malloc
// had given out for garbage when there was most of it, before the server was ready
// and after. It is linear in what the logs must tell: fixed bytes, and how much
// memory a byte of garbage takes after and before.
type legacyMemory struct {
	processes float64
	noise     float64 // relative error of what is left (standard deviation)
	mean      [3]float64
	spread    [3][3]float64 // covariance of mean
}

const (
	bytesPerSlot = 40 // sizeof(RVALUE) on 64-bit machines
	// A process of 1.8 takes some 4 MB without any object, and live objects some 30
	// bytes each beside their slots. These are only where learning starts, as is the
	// memory of a byte of garbage.
	emptyBytes, liveBytes = 4e6, 30
	workWeight            = 0.95
	workDoubt, bootDoubt  = 0.12, 0.35
	// memoryNoise is the relative error of what is left where there is a log, and
	// memoryFloor the least, in bytes.
	memoryNoise, memoryFloor = 0.02, 5e5
)

// legacyFeatures are what memory is linear in.
func legacyFeatures(r legacyRun) [3]float64 { return [3]float64{1, r.work, r.boot} }

func (m legacyMemory) of(r legacyRun) float64 {
	sum := bytesPerSlot * (r.slots + r.held)
	for i, x := range legacyFeatures(r) {
		sum += x * m.mean[i]
	}
	return m.processes * sum
}

// doubt is the standard deviation of what of says.
func (m legacyMemory) doubt(r legacyRun) float64 {
	x := legacyFeatures(r)
	variance := 0.0
	for i := range x {
		for j := range x {
			variance += x[i] * m.spread[i][j] * x[j]
		}
	}
	return m.processes * math.Sqrt(math.Max(0, variance))
}

// learn corrects the means by the memory of a run, as far as it tells against
// what was thought before: a Kalman filter's step. It gives the logarithm of how
// likely that memory was.
func (m *legacyMemory) learn(r legacyRun, bytes float64) (likelihood float64) {
	x := legacyFeatures(r)
	noise := memoryFloor + m.noise*bytes/m.processes
	var gain [3]float64
	total := noise * noise
	for i := range x {
		for j := range x {
			gain[i] += m.spread[i][j] * x[j]
		}
		total += x[i] * gain[i]
	}
	surprise := (bytes - m.of(r)) / m.processes
	for i := range x {
		m.mean[i] += gain[i] / total * surprise
		for j := range x {
			m.spread[i][j] -= gain[i] * gain[j] / total
		}
	}
	return -surprise*surprise/total/2 - math.Log(total)/2
}

// bootWeight is the memory of a byte of garbage in boot: what is allocated later
// fits into the gaps that it left where it is as small, and not where any of it is
// large. Between pages of few bytes an object and of many it went from 0.4 to 1.7.
func (p *legacyProgram) bootWeight() float64 {
	ready := legacyRun{p: p, c: legacyChance{live: 1, rate: 1}}
	bytes, _, _ := ready.state(p.ready, 0)
	ratio := p.peak * p.ready / math.Max(bytes, 1)
	return 0.4 + math.Max(0, math.Min(1.1, ratio-1))
}

// newMemory is what is thought before any run.
func (p *legacyProgram) newMemory(processes, fixed float64) legacyMemory {
	m := legacyMemory{processes: processes, noise: memoryNoise, mean: [3]float64{fixed, workWeight, p.bootWeight()}}
	m.spread[0][0], m.spread[1][1], m.spread[2][2] = square(0.4*fixed), square(workDoubt), square(bootDoubt)
	return m
}

// remember learns from all logs. Where no collection tells the rate of malloc,
// the memory of garbage does: the rate is a bound then, and its weight a share.
func (h *legacyHeap) remember(read []legacyRead) {
	fixed := emptyBytes + liveBytes*h.program.live
	h.memory = h.program.weighed(h.program.newMemory(h.processes, fixed), read)
}

// weighed is what is thought of memory after those runs.
func (p *legacyProgram) weighed(m legacyMemory, read []legacyRead) legacyMemory {
	if p.blind {
		p.supposeRate(&m)
	}
	for _, r := range read {
		if r.log.MemoryBytes > 0 {
			m.learn(p.replay(r), r.log.MemoryBytes)
		}
	}
	if p.blind {
		p.takeRate(&m)
	}
	return m
}

// supposeRate makes a weight of garbage of what is thought of a rate that has only
// a bound: bytes of malloc an object that were between 30 and 200 in boots and
// pages whose logs tell.
func (p *legacyProgram) supposeRate(m *legacyMemory) {
	const usual, spread = 75, 0.7
	share, doubt := math.Min(0.5, usual/p.rate), spread
	if p.share > 0 {
		share, doubt = p.share, 0.2/p.share
	}
	m.mean[1], m.spread[1][1] = workWeight*share, square(doubt*share)
}

// takeRate makes a rate of what was learnt of that weight.
func (p *legacyProgram) takeRate(m *legacyMemory) {
	const least = 8 // bytes an object
	share := math.Max(math.Min(1, least/p.rate), math.Min(1, m.mean[1]/workWeight))
	p.guessed = math.Min(1, math.Sqrt(m.spread[1][1])/share)
	p.takeShare(share)
	m.mean[1], m.spread[1][1] = workWeight, square(workDoubt)
	m.spread[0][1], m.spread[1][0], m.spread[1][2], m.spread[2][1] = 0, 0, 0, 0
}

// takeShare makes a rate of its bound; of boot's, too, where that is of the bound.
func (p *legacyProgram) takeShare(share float64) {
	p.rate *= share
	p.peak = p.rate
	if p.dark {
		for i := range p.knots {
			p.knots[i].bytes *= share
		}
	}
}

func square(x float64) float64 { return x * x }

// replay is a run as it was recorded.
func (p *legacyProgram) replay(read legacyRead) legacyRun {
	r := legacyRun{p: p, t: read.tuning, c: legacyChance{live: 1, rate: 1}}
	for _, s := range read.stretches[:read.marks.end] {
		at := s.from + s.objects
		bytes, _, knot := r.state(at, r.knot)
		if s.known && r.at >= p.ready {
			// As many bytes as the limit, however many objects these were.
			r.work = math.Max(r.work, s.bytes*(1-math.Max(0, s.live-r.live)/s.objects))
		} else {
			r.garbage(at)
		}
		r.at, r.bytes, r.live, r.knot, r.slots = at, bytes, s.live, knot, math.Max(r.slots, s.slots)
	}
	r.garbage(math.Max(p.end, r.at+1))
	if read.marks.end < len(read.stretches) {
		r.slots = math.Max(r.slots, read.stretches[read.marks.end].slots)
	}
	return r
}
