package process

import (
	"sync"
	"time"
)

// Sampler reads the memory of a tree at an interval.
type Sampler struct {
	tree    *Tree
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
	samples []Memory
}

// StartSampling reads the tree's memory now, at every interval, and a last time
// when the Sampler is stopped. Reading PSS walks the page tables: it took 0.3 ms
// for a small Ruby, 1.4 ms for one of 100 MB and 13 ms for one of 400 MB, so the
// interval for a large server should be nearer a second than a tenth of one.
func (t *Tree) StartSampling(interval time.Duration) *Sampler {
	s := &Sampler{tree: t, stop: make(chan struct{}), stopped: make(chan struct{})}
	go s.run(max(interval, time.Millisecond))
	return s
}

func (s *Sampler) run(interval time.Duration) {
	defer close(s.stopped)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		s.sample()
		select {
		case <-s.stop:
			s.sample()
			return
		case <-ticker.C:
		}
	}
}

// sample leaves out a tree that has ended: it has no memory to count.
func (s *Sampler) sample() {
	if memory, err := s.tree.Memory(); err == nil {
		s.samples = append(s.samples, memory)
	}
}

// Stop ends the sampling and sums it up. Stopping again returns the same.
func (s *Sampler) Stop() MemorySummary {
	s.once.Do(func() { close(s.stop) })
	<-s.stopped
	return summarise(s.samples)
}
