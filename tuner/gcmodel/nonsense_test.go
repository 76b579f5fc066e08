package gcmodel_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// nonsense are logs that no interpreter writes, made of ones that one did.
var nonsense = map[string]func(*gcmodel.Log){
	"figures of 2^63": func(l *gcmodel.Log) {
		for _, m := range l.Processes[0].Marks {
			for name := range m.Stat {
				m.Stat[name] = 1 << 63
			}
		}
	},
	"heaps of 2^63": func(l *gcmodel.Log) {
		for _, m := range l.Processes[0].Marks {
			for _, h := range m.Heaps {
				for name := range h {
					h[name] = 1 << 63
				}
			}
		}
	},
	"negative figures": func(l *gcmodel.Log) {
		for _, m := range l.Processes[0].Marks {
			for name := range m.Stat {
				m.Stat[name] = -m.Stat[name]
			}
		}
	},
	"totals of 2^63": func(l *gcmodel.Log) {
		l.Processes[0].Marks[2].Stat = map[string]float64{"total_allocated_objects": 1 << 63}
	},
	"more live than slots":  collections(func(c *gcmodel.Collection) { c.Live = 2 * c.Slots }),
	"as many live as slots": collections(func(c *gcmodel.Collection) { c.Live = c.Slots }),
	"slots of 2^63 - 1":     collections(func(c *gcmodel.Collection) { c.Slots = math.MaxInt64 }),
	"all of 2^63 - 1":       collections(func(c *gcmodel.Collection) { c.Slots, c.Live, c.Free = math.MaxInt64, math.MaxInt64, math.MaxInt64 }),
	"negative slots":        collections(func(c *gcmodel.Collection) { c.Slots, c.Live = -c.Slots, -c.Live }),
	"1e308 seconds":         collections(func(c *gcmodel.Collection) { c.Seconds = 1e308 }),
	"negative seconds":      collections(func(c *gcmodel.Collection) { c.Seconds = -1e308 }),
	"bytes of 2^63 - 1":     collections(func(c *gcmodel.Collection) { c.MallocBytes = math.MaxInt64 }),
	"memory of 1e300":       func(l *gcmodel.Log) { l.MemoryBytes = 1e300 },
	"memory below none":     func(l *gcmodel.Log) { l.MemoryBytes = -1e300 },
	"1e308 requests": func(l *gcmodel.Log) {
		l.Requests = 1e308
		l.Processes[0].Marks[2].Requests = 1e308
	},
	"hardly any requests": func(l *gcmodel.Log) { l.Requests = 1e-308 },
	"marks of 2^63 - 1": func(l *gcmodel.Log) {
		for i := range l.Processes[0].Marks {
			l.Processes[0].Marks[i].Collections = math.MaxInt64
		}
	},
	"a window of 2^63 - 1": func(l *gcmodel.Log) { l.Processes[0].Marks[2].Collections = math.MaxInt64 },
	"marks below none": func(l *gcmodel.Log) {
		for i := range l.Processes[0].Marks {
			l.Processes[0].Marks[i].Collections = math.MinInt64
		}
	},
}

func collections(change func(*gcmodel.Collection)) func(*gcmodel.Log) {
	return func(l *gcmodel.Log) {
		for i := range l.Processes[0].Collections {
			change(&l.Processes[0].Collections[i])
		}
	}
}

// Nothing is learnt from nonsense, or what is can be reckoned with.
func TestNonsense(t *testing.T) {
	for _, name := range []string{"blog-3.1.json", "blog-3.3.json", "init-3.3.json", "legacy-blog.json", "pages-3.2.json", "pages-4.0.json", "shop-2.1.json", "shop-2.3.json", "plain-1.9.json", "plain-2.0.json"} {
		for what, change := range nonsense {
			l := readRecorded(t, name).Logs[0]
			change(&l)
			profile, err := gcmodel.Calibrate([]gcmodel.Log{l})
			if err != nil {
				if !errors.Is(err, gcmodel.ErrTooLittle) {
					t.Errorf("%s, %s: %v", name, what, err)
				}
				continue
			}
			for _, setting := range []map[string]string{nil, {"RUBY_GC_HEAP_INIT_SLOTS": "1000000", "RUBY_GC_HEAP_0_INIT_SLOTS": "1000000", "RUBY_HEAP_MIN_SLOTS": "1000000"}} {
				p := profile.Predict(setting)
				if err := sane(p); err != nil {
					t.Errorf("%s, %s, %v: %v", name, what, setting, err)
				}
				for figure, e := range map[string]gcmodel.Estimate{"collections": p.CollectionsPer1000, "seconds": p.SecondsPer1000, "slots": p.Slots, "live": p.Live, "memory": p.MemoryBytes} {
					if e.High > 1e12 {
						t.Errorf("%s, %s, %v: %s are %v", name, what, setting, figure, e)
					}
				}
			}
		}
	}
}
