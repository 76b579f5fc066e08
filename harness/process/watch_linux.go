package process

import (
	"time"

	"golang.org/x/sys/unix"
)

const killSignal = unix.SIGKILL

// A tree without a ceiling is looked at only to reap its orphans.
const (
	ceilingInterval = 20 * time.Millisecond
	reapInterval    = 200 * time.Millisecond
)

// watch reaps orphans and guards the ceiling until the tree is over.
func (t *Tree) watch() {
	guard := ceiling{limit: t.spec.MemoryCeiling, pss: treePSS, now: time.Now}
	interval := reapInterval
	if t.spec.MemoryCeiling > 0 {
		interval = ceilingInterval
	}
	for wait := time.Duration(0); t.sleep(wait); {
		began := time.Now()
		found := t.members.scan()
		t.members.reap(found)
		if t.exceeded.Load() || guard.exceeded(living(found)) {
			t.exceeded.Store(true)
			t.kill(found)
		}
		// A watch must not compete with what is measured.
		wait = max(interval, 20*time.Since(began))
	}
}

func (t *Tree) sleep(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-t.over:
		return false
	case <-timer.C:
		return true
	}
}

// ceiling decides when a tree has too much memory. The sum of RSS is cheap to
// read, but counts what forked workers share once for each; only when it is
// beyond the limit PSS, which walks the page tables, decides.
type ceiling struct {
	limit int64
	pss   func([]stat) (int64, bool) // bytes; false when it cannot be read
	now   func() time.Time

	checked  time.Time
	cost     time.Duration
	rss, sum int64 // RSS and PSS when last checked
}

func (c *ceiling) exceeded(live []stat) bool {
	var rss int64
	for _, s := range live {
		rss += s.rss
	}
	if c.limit <= 0 || rss <= c.limit || !c.due(rss) {
		return false
	}
	began := c.now()
	sum, ok := c.pss(live)
	c.checked, c.cost = c.now(), c.now().Sub(began)
	c.rss, c.sum = rss, sum
	return !ok || sum > c.limit
}

// due tells whether PSS has to be read again: when RSS has grown by what was
// missing to the limit, and otherwise now and then (pages stop being shared
// without RSS growing), at a hundredth of the time.
func (c *ceiling) due(rss int64) bool {
	return c.checked.IsZero() || rss-c.rss >= c.limit-c.sum ||
		c.now().Sub(c.checked) >= max(time.Second, 100*c.cost)
}

func treePSS(live []stat) (int64, bool) {
	memory, err := MemoryOf(pidsOf(live))
	return memory.PSS, err == nil && memory.HavePSS
}

func pidsOf(list []stat) []int {
	pids := make([]int, len(list))
	for i, s := range list {
		pids[i] = s.pid
	}
	return pids
}
