package gcmodel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

// steady is the log of a program that has live objects from its boot on and
// allocates a million more in the window, in a heap of so many slots.
func steady(slots, live int64) gcmodel.Log {
	const boot, window = 500_000, 1_000_000
	perCycle := slots - live
	p := gcmodel.Process{}
	for range (boot + window) / perCycle {
		p.Collections = append(p.Collections, gcmodel.Collection{Slots: slots, Live: live, By: "newobj"})
	}
	mark := func(name string, allocated, requests int64) gcmodel.Mark {
		return gcmodel.Mark{Name: name, Collections: allocated / perCycle, Requests: float64(requests), Stat: map[string]float64{
			"total_allocated_objects": float64(allocated), "heap_allocated_pages": float64(slots) / 409,
			"heap_available_slots": float64(slots), "heap_marked_slots": float64(live), "old_objects": float64(live),
		}}
	}
	p.Marks = []gcmodel.Mark{mark(gcmodel.Boot, boot, 0), mark(gcmodel.Warmup, boot, 0), mark(gcmodel.Window, boot+window, 1000)}
	return gcmodel.Log{Ruby: "ruby 3.1.2p20 (2022-04-12) [x86_64-linux]", Processes: []gcmodel.Process{p}, Requests: 1000, MemoryBytes: 50 << 20}
}

// In a heap that does not grow, a collection comes whenever the slots beside the
// live ones are used up.
func TestSteadyState(t *testing.T) {
	profile := mustCalibrate(t, steady(200_000, 100_000))
	for _, slots := range []float64{150_000, 300_000, 400_000} {
		setting := map[string]string{
			"RUBY_GC_HEAP_INIT_SLOTS": fmt.Sprint(slots), "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR": "8",
			"RUBY_GC_MALLOC_LIMIT": "1g", "RUBY_GC_MALLOC_LIMIT_MAX": "2g", "RUBY_GC_OLDMALLOC_LIMIT": "2g",
		}
		want := 1_000_000 / (slots - 100_000)
		got := profile.Predict(setting).CollectionsPer1000
		if math.Abs(got.Estimate/want-1) > 0.05 {
			t.Errorf("%v slots: %.2f collections, want %.2f", slots, got.Estimate, want)
		}
	}
}

// What a program asks for happens whatever the setting.
func TestCollectionsThatTheProgramAsksFor(t *testing.T) {
	for name, variable := range map[string]string{"blog-3.1.json": "RUBY_GC_HEAP_INIT_SLOTS", "init-3.3.json": "RUBY_GC_HEAP_0_INIT_SLOTS"} {
		l := readRecorded(t, name).Logs[0]
		p := l.Processes[0]
		window := p.Marks[2].Collections - p.Marks[1].Collections
		for i := range window { // the log ends with it
			p.Collections[len(p.Collections)-1-int(i)].By = "method"
		}
		setting := map[string]string{variable: "100000000", "RUBY_GC_MALLOC_LIMIT": "100g", "RUBY_GC_OLDMALLOC_LIMIT": "100g"}
		want := float64(window) * 1000 / l.Requests
		if got := mustCalibrate(t, l).Predict(setting).CollectionsPer1000.Estimate; math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: %.1f collections, want %.1f", name, got, want)
		}
	}
}

// What a few collections tell by chance is not true of hundreds before them.
func TestLiveObjectsAfterHundredsOfMinorCollections(t *testing.T) {
	const live = 100_000
	l := steady(103_000, live)
	p := &l.Processes[0]
	last := len(p.Collections) - 1
	for i := range int64(5) { // in the window: live objects seem to grow
		p.Collections[last-int(i)].Live += 600 * (5 - i)
	}
	p.Marks[1] = p.Marks[2]
	p.Marks[1].Name, p.Marks[1].Collections = gcmodel.Warmup, p.Marks[2].Collections-5
	p.Marks[1].Stat = maps.Clone(p.Marks[2].Stat)
	p.Marks[1].Stat["total_allocated_objects"] -= 5 * 3000
	for _, slots := range []string{"150000", "300000"} {
		of := mustCalibrate(t, l).Predict(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": slots}).Live
		if math.Abs(of.Estimate/live-1) > 0.05 {
			t.Errorf("%s slots: %.0f live, want %d", slots, of.Estimate, live)
		}
	}
}

// Each minor collection leaves 2,000 objects more, until a major one frees them. That the
// last of these was but one collection ago does not unsay it.
func TestGrowthBetweenMajorCollections(t *testing.T) {
	const live, growth, window = 100_000, 2_000, 10
	l := steady(200_000, live)
	p := &l.Processes[0]
	first := len(p.Collections) - window
	for i := range window {
		c := &p.Collections[first+i]
		switch c.Live = live + growth*int64(i); i {
		case 0, window - 2:
			c.Live, c.Major, c.MajorBy = live, true, "oldgen"
		case window - 1:
			c.Live = live + growth
		}
	}
	got := mustCalibrate(t, l).Predict(map[string]string{
		"RUBY_GC_HEAP_INIT_SLOTS": "200000", "RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR": "8",
		"RUBY_GC_MALLOC_LIMIT": "1g", "RUBY_GC_MALLOC_LIMIT_MAX": "2g", "RUBY_GC_OLDMALLOC_LIMIT": "2g",
	})
	if least := live + growth*window/2.0; got.MajorPer1000.Estimate > 1 || got.Live.Estimate < least {
		t.Errorf("%.0f live after %.1f minor and %.1f major collections, want %.0f or more", got.Live.Estimate, got.MinorPer1000.Estimate, got.MajorPer1000.Estimate, least)
	}
}

// gc.c, gc_marks_finish: a heap of S slots grows by a tenth of them while more than
// its goal is free, and gives back what is free beyond MAX_RATIO of it. So it comes to
// at most S = live + (0.35 + 0.1)·S.
func TestPagesAreGivenBack(t *testing.T) {
	const live = 100_000
	p := mustCalibrate(t, steady(200_000, live)).Predict(map[string]string{
		"RUBY_GC_HEAP_FREE_SLOTS": "400000", "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO": "0.1",
		"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO": "0.3", "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO": "0.35",
		"RUBY_GC_MALLOC_LIMIT": "1g", "RUBY_GC_MALLOC_LIMIT_MAX": "2g", "RUBY_GC_OLDMALLOC_LIMIT": "2g",
	})
	if most := live / 0.55 * 1.05; p.Slots.Estimate > most {
		t.Errorf("%.0f slots, want at most %.0f", p.Slots.Estimate, most)
	}
}

func TestAFactorBelowOneMakesAllCollectionsMajor(t *testing.T) {
	r := readRecorded(t, "blog-3.1.json")
	p := mustCalibrate(t, r.Logs[0]).Predict(map[string]string{"RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR": "0.8"})
	if p.MinorPer1000.Estimate > 0 || p.MajorPer1000.Estimate == 0 {
		t.Errorf("%.1f minor and %.1f major collections, want major ones only", p.MinorPer1000.Estimate, p.MajorPer1000.Estimate)
	}
}

// What the interpreter does not take is as not set.
func TestValuesNotTaken(t *testing.T) {
	r := readRecorded(t, "blog-3.1.json")
	profile := mustCalibrate(t, r.Logs[0])
	bare := profile.Predict(nil)
	for name, text := range map[string]string{
		"RUBY_GC_HEAP_INIT_SLOTS":            "many",
		"RUBY_GC_HEAP_GROWTH_FACTOR":         "0.9", // must be above 1
		"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO": "0.1", // must be above the least, 0.2
		"RUBY_GC_HEAP_0_INIT_SLOTS":          "1000000",
		"RUBY_GC_MALLOC_LIMIT":               "-5",
	} {
		if got := profile.Predict(map[string]string{name: text}); !reflect.DeepEqual(got, bare) {
			t.Errorf("%s=%s changes the prediction", name, text)
		}
	}
	kilo := profile.Predict(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "1000k"})
	plain := profile.Predict(map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "1024000"})
	if !reflect.DeepEqual(kilo, plain) || reflect.DeepEqual(kilo, bare) {
		t.Error("1000k initial slots are not 1024000")
	}
}

func TestNoModel(t *testing.T) {
	known := readRecorded(t, "blog-3.1.json").Logs[0]
	for _, ruby := range []string{"", "jruby 9.4.5.0 (3.1.4)", "ruby 2.1.2p95 (2014-05-08)", "ruby 3.5.0preview1 (2025-04-18)", "ruby 4.1.0 (2026-12-25)"} {
		l := known
		l.Ruby = ruby
		if _, err := gcmodel.Calibrate([]gcmodel.Log{l}); !errors.Is(err, gcmodel.ErrUnknown) {
			t.Errorf("%q: %v, want ErrUnknown", ruby, err)
		}
		if _, err := gcmodel.Calibrate([]gcmodel.Log{known, l}); !errors.Is(err, gcmodel.ErrUnknown) {
			t.Errorf("with %q: %v, want ErrUnknown", ruby, err)
		}
	}
}

func TestTooLittle(t *testing.T) {
	for name, change := range map[string]func(*gcmodel.Log){
		"no process":     func(l *gcmodel.Log) { l.Processes = nil },
		"no collections": func(l *gcmodel.Log) { l.Processes[0].Collections = nil },
		"two of them":    func(l *gcmodel.Log) { l.Processes[0].Collections = l.Processes[0].Collections[:2] },
		"no boot":        func(l *gcmodel.Log) { l.Processes[0].Marks = l.Processes[0].Marks[1:] },
		"no window":      func(l *gcmodel.Log) { l.Processes[0].Marks = l.Processes[0].Marks[:2] },
		"no window's collections": func(l *gcmodel.Log) {
			l.Processes[0].Marks[2].Collections = l.Processes[0].Marks[1].Collections
		},
		"no heaps": func(l *gcmodel.Log) { l.Processes[0].Marks[2].Heaps = nil },
	} {
		l := readRecorded(t, "blog-3.3.json").Logs[0]
		change(&l)
		if _, err := gcmodel.Calibrate([]gcmodel.Log{l}); !errors.Is(err, gcmodel.ErrTooLittle) {
			t.Errorf("%s: %v, want ErrTooLittle", name, err)
		}
	}
	if _, err := gcmodel.Calibrate(nil); !errors.Is(err, gcmodel.ErrTooLittle) {
		t.Errorf("no log: %v, want ErrTooLittle", err)
	}
}

// anySetting draws from beyond what is ever searched.
func anySetting(r *rand.Rand) map[string]string {
	setting := map[string]string{}
	within := func(name string, low, high float64) {
		if r.IntN(4) > 0 {
			setting["RUBY_GC_"+name] = strconv.FormatFloat(low*math.Pow(high/low, r.Float64()), 'g', 4, 64)
		}
	}
	size := func(name string, low, high float64) {
		if r.IntN(4) > 0 {
			setting["RUBY_GC_"+name] = strconv.FormatInt(int64(low*math.Pow(high/low, r.Float64())), 10)
		}
	}
	for i := range 5 {
		size(fmt.Sprintf("HEAP_%d_INIT_SLOTS", i), 1, 1e7)
	}
	size("HEAP_INIT_SLOTS", 1, 1e7)
	size("HEAP_FREE_SLOTS", 1, 1e7)
	size("HEAP_GROWTH_MAX_SLOTS", 1, 1e7)
	within("HEAP_GROWTH_FACTOR", 0.9, 10)
	within("HEAP_FREE_SLOTS_MIN_RATIO", 0.01, 0.9)
	within("HEAP_FREE_SLOTS_MAX_RATIO", 0.1, 1)
	within("HEAP_FREE_SLOTS_GOAL_RATIO", 0.05, 1)
	within("HEAP_OLDOBJECT_LIMIT_FACTOR", 0.1, 100)
	within("HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO", 1e-4, 1)
	for _, name := range []string{"MALLOC_LIMIT", "MALLOC_LIMIT_MAX", "OLDMALLOC_LIMIT", "OLDMALLOC_LIMIT_MAX"} {
		size(name, 1, 1e11)
	}
	return setting
}

func sane(p gcmodel.Prediction) error {
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		e := v.Field(i).Interface().(gcmodel.Estimate)
		ordered := 0 <= e.Low && e.Low <= e.Estimate && e.Estimate <= e.High // false of NaN, too
		if !ordered || math.IsInf(e.High, 0) {
			return fmt.Errorf("%s is %v", v.Type().Field(i).Name, e)
		}
	}
	return nil
}

func TestAnySettingIsSane(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"blog-3.1.json", "blog-3.3.json", "blog-3.4.json", "strings-3.1.json", "pages-3.2.json", "pages-4.0.json", "shop-2.1.json", "shop-2.3.json", "plain-1.9.json", "plain-2.0.json"} {
		recorded := readRecorded(t, name)
		first := recorded.Logs[0]
		for _, ruby := range []string{first.Ruby, "ruby 3.4.5 (2025-07-16)"} {
			if first.Processes[0].Marks[0].Heaps[0]["total_allocated_objects"] == 0 && ruby != first.Ruby {
				continue // 3.4 tells heaps apart
			}
			first.Ruby = ruby
			profile := mustCalibrate(t, first)
			for range 500 {
				setting := anySetting(r)
				if err := sane(profile.Predict(setting)); err != nil {
					t.Fatalf("%s, %s: %v: %v", name, ruby, setting, err)
				}
			}
		}
	}
}

// More initial slots never save memory by much, nor cost collections by much: a
// heap that they let begin larger may end a step of growth smaller.
func TestMoreInitialSlots(t *testing.T) {
	for name, variable := range map[string]string{
		"blog-3.1.json": "RUBY_GC_HEAP_INIT_SLOTS", "blog-3.3.json": "RUBY_GC_HEAP_0_INIT_SLOTS", "blog-3.4.json": "RUBY_GC_HEAP_0_INIT_SLOTS",
	} {
		profile := mustCalibrate(t, readRecorded(t, name).Logs[0])
		least, most := 0.0, math.Inf(1)
		for slots := 10_000; slots < 4_000_000; slots = slots * 5 / 4 {
			p := profile.Predict(map[string]string{variable: strconv.Itoa(slots)})
			if p.MemoryBytes.Estimate < 0.8*least {
				t.Errorf("%s: with %d slots %.0f bytes, with fewer %.0f", name, slots, p.MemoryBytes.Estimate, least)
			}
			if p.CollectionsPer1000.Estimate > 2.5*most {
				t.Errorf("%s: with %d slots %.0f collections, with fewer %.0f", name, slots, p.CollectionsPer1000.Estimate, most)
			}
			least, most = max(least, p.MemoryBytes.Estimate), min(most, p.CollectionsPer1000.Estimate)
		}
	}
}

func FuzzLog(f *testing.F) {
	for _, name := range []string{"blog-3.1.json", "blog-3.3.json", "pages-3.2.json", "pages-4.0.json", "shop-2.1.json", "shop-2.3.json", "plain-1.9.json", "plain-2.0.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		var file struct{ Logs []json.RawMessage }
		if err := json.Unmarshal(text, &file); err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(file.Logs[0]))
	}
	f.Add([]byte(`{"ruby":"ruby 3.1.2","processes":[{"collections":[{"slots":9,"live":8},{"slots":9,"live":8},{"slots":9,"live":1,"by":"malloc"}],"marks":[{"name":"boot"},{"name":"window","collections":3,"stat":{"total_allocated_objects":1e300}}]}]}`))
	f.Add([]byte(`{"ruby":"ruby 3.1.2","requests":1e308,"memory_bytes":1e300,"processes":[{"collections":[{"slots":9,"live":10},{"slots":9223372036854775807,"live":8,"seconds":1e308},{"slots":9,"live":8},{"slots":9,"live":1,"by":"method"}],"marks":[{"name":"boot"},{"name":"window","collections":9223372036854775807,"stat":{"heap_available_slots":9223372036854775808,"total_allocated_objects":9223372036854775808}}]}]}`))
	setting := anySetting(rand.New(rand.NewPCG(3, 4)))
	f.Fuzz(func(t *testing.T, text []byte) {
		var l gcmodel.Log
		if json.Unmarshal(text, &l) != nil {
			return
		}
		profile, err := gcmodel.Calibrate([]gcmodel.Log{l})
		if err != nil {
			return
		}
		for _, s := range []map[string]string{nil, setting} {
			if err := sane(profile.Predict(s)); err != nil {
				t.Error(err)
			}
		}
	})
}

func BenchmarkPredict(b *testing.B) {
	for _, name := range []string{"blog-3.1.json", "blog-3.3.json", "pages-3.2.json", "pages-4.0.json", "shop-2.1.json", "shop-2.3.json", "plain-1.9.json", "plain-2.0.json"} {
		r := readRecorded(b, name)
		profile := mustCalibrate(b, r.Logs[0])
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				profile.Predict(r.Measured[i%len(r.Measured)].Setting)
			}
		})
	}
}

func BenchmarkCalibrateAndPredict(b *testing.B) {
	for _, name := range []string{"blog-3.1.json", "blog-3.3.json", "pages-3.2.json", "pages-4.0.json", "strings-3.1.json"} {
		r := readRecorded(b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mustCalibrate(b, r.Logs...).Predict(r.Measured[0].Setting)
			}
		})
	}
}
