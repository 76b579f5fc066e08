package process

import (
	"time"

	"golang.org/x/sys/unix"
)

const killSignal = unix.SIGKILL

// Looking for members took 0.2 ms for one process and 0.4 to 0.8 ms for a Puma of
// three with their threads; reading the RSS of those that are known costs less.
const (
	scanInterval    = 100 * time.Millisecond
	ceilingInterval = 20 * time.Millisecond
)

// watch reaps orphans and guards the ceiling until the tree is over.
func (t *Tree) watch() {
	guard := ceiling{limit: t.spec.MemoryCeiling, pss: treePSS, now: time.Now}
	interval := scanInterval
	if t.spec.MemoryCeiling > 0 {
		interval = ceilingInterval
	}
	var found []stat
	var scanned time.Time
	for wait := time.Duration(0); t.sleep(wait); {
		began, reaped := time.Now(), 0
		if began.Sub(scanned) >= scanInterval {
			found, scanned = t.members.scan(), began
			reaped = t.members.reap(found)
		} else {
			found = refresh(found)
		}
		t.guard(&guard, found)
		wait = interval
		// A watch must not compete with what is measured: one part in 20 at
		// most. But orphans that die faster than they are waited for would fill
		// the process table.
		if reaped == 0 {
			wait = max(interval, 20*time.Since(began))
		}
	}
}

// guard kills a tree beyond its ceiling, again and again until it is gone.
func (t *Tree) guard(c *ceiling, found []stat) {
	if t.exceeded.Load() || c.exceeded(living(found)) {
		t.exceeded.Store(true)
		t.kill(found)
	}
}

// refresh reads known processes again, leaving out those that have ended.
func refresh(known []stat) []stat {
	var still []stat
	for _, old := range known {
		if s, err := readStat(old.pid); err == nil && s.identity == old.identity {
			still = append(still, s)
		}
	}
	return still
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
