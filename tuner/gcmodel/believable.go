package gcmodel

import "fmt"

// What a log is believed: more comes of a damaged store, or of figures made by hand.
const (
	mostSlots       = 1 << 40
	mostCollections = 1 << 30
	mostObjects     = 1e15
	mostMemory      = 1 << 50 // bytes
	mostSeconds     = 1e6     // of one collection
	mostRequests    = 1e12
	leastRequests   = 1e-6 // beside none
)

// believable says what of a log cannot be of a run. Numbers of GC.stat that the
// models do not rely on may be anything: some wrap around below 0.
func believable(l Log) error {
	c := checks{}
	c.within("requests", l.Requests, 0, mostRequests)
	if l.Requests != 0 {
		c.within("requests", l.Requests, leastRequests, mostRequests)
	}
	c.within("memory", l.MemoryBytes, 0, mostMemory)
	for _, p := range l.Processes {
		for _, x := range p.Collections {
			c.collection(x)
		}
		for _, m := range p.Marks {
			c.mark(m)
		}
	}
	return c.err
}

// checks keep the first thing that is wrong.
type checks struct{ err error }

func (c *checks) within(what string, x, least, most float64) {
	if c.err == nil && !(least <= x && x <= most) {
		c.err = fmt.Errorf("a log with %s of %g, which is of no run: %w", what, x, ErrTooLittle)
	}
}

// collection leaves live slots to the models, which know when they are nonsense.
func (c *checks) collection(x Collection) {
	c.within("slots", float64(x.Slots), 0, mostSlots)
	c.within("free slots", float64(x.Free), 0, mostSlots)
	c.within("bytes of malloc", float64(x.MallocBytes), 0, mostMemory)
	c.within("seconds", x.Seconds, 0, mostSeconds)
}

func (c *checks) mark(m Mark) {
	c.within("collections", float64(m.Collections), 0, mostCollections)
	c.within("requests", m.Requests, 0, mostRequests)
	c.within("pages", m.Stat["heap_allocated_pages"], 0, mostSlots)
	c.within("slots", m.Stat["heap_available_slots"], 0, mostSlots)
	c.within("objects", m.Stat["total_allocated_objects"], 0, mostObjects)
	for _, h := range m.Heaps {
		c.within("slots", h["heap_eden_slots"], 0, mostSlots)
		c.within("objects", h["total_allocated_objects"], 0, mostObjects)
	}
}
