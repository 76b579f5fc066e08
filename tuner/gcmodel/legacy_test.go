package gcmodel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

const railsbench = "ruby 1.8.7 (2008-08-11 patchlevel 72) [x86_64-linux]"

// legacyRuns is what runs of one page of a program did: whole logs of the first
// with nothing set and of one with a large heap, and the outcomes of others.
type legacyRuns struct {
	Logs []gcmodel.Log
	Runs []struct {
		Setting            map[string]string
		CollectionsPer1000 float64 `json:"collections_per_1000"`
		Slots              float64
		MemoryBytes        float64 `json:"memory_bytes"`
	}
}

func readLegacyRuns(t testing.TB, name string) legacyRuns {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var m legacyRuns
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func calibrate(t testing.TB, logs ...gcmodel.Log) *gcmodel.Profile {
	t.Helper()
	p, err := gcmodel.Calibrate(logs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The runs are of settings drawn at random, on Ruby 1.8.7 with the Railsbench
// patch; none is in the logs.
func TestLegacyRunsAreForetold(t *testing.T) {
	for _, page := range []string{"legacy-blog.json", "legacy-article.json"} {
		m := readLegacyRuns(t, page)
		for n := 1; n <= len(m.Logs); n++ {
			t.Run(fmt.Sprintf("%s from %d logs", page, n), func(t *testing.T) { foretell(t, m, calibrate(t, m.Logs[:n]...)) })
		}
	}
}

func foretell(t *testing.T, m legacyRuns, p *gcmodel.Profile) {
	collections, memory := predicted(m, p)
	var slots outcomes
	for _, r := range m.Runs {
		slots.add(r.Slots, p.Predict(r.Setting).Slots)
	}
	for _, want := range []struct {
		what string
		of   outcomes
		r2   float64
	}{{"collections", collections, 0.9}, {"memory", memory, 0.97}, {"slots", slots, 0.99}} {
		if got := want.of.explained(); !(got >= want.r2) {
			t.Errorf("%s: R² %.3f, want %.2f", want.what, got, want.r2)
		}
		if len(want.of.outside) > len(m.Runs)/10+1 {
			t.Errorf("%s: too many outside their bounds: %v", want.what, want.of.outside)
		}
	}
}

type outcomes struct {
	real, told []float64
	outside    []string
}

func (o *outcomes) add(real float64, e gcmodel.Estimate) {
	o.real, o.told = append(o.real, real), append(o.told, e.Estimate)
	if real < e.Low || real > e.High {
		o.outside = append(o.outside, fmt.Sprintf("%g not in %g to %g", real, e.Low, e.High))
	}
}

// explained is R²: the share of the variance that the predictions take away.
func (o *outcomes) explained() float64 {
	mean, left, all := 0.0, 0.0, 0.0
	for _, x := range o.real {
		mean += x / float64(len(o.real))
	}
	for i, x := range o.real {
		left, all = left+(x-o.told[i])*(x-o.told[i]), all+(x-mean)*(x-mean)
	}
	return 1 - left/all
}

// A program as simple as can be: a quarter of what it allocates in boot stays,
// nothing of what it allocates afterwards, 10 bytes of malloc an object.
func simpleLog() gcmodel.Log {
	collections := []gcmodel.Collection{
		{Slots: 10000, Live: 2500},  // 10000 objects so far; frees 7500 of at least 4096
		{Slots: 10000, Live: 4375},  // 17500; frees 5625
		{Slots: 10000, Live: 5781},  // 23125; frees 4219
		{Slots: 10000, Live: 6836},  // 27344; frees 3164: the slab of 20000 follows
		{Slots: 30000, Live: 12627}, // 50508; frees 17373
		{Slots: 30000, Live: 15000}, // 67881; the boot ends with 15000 live
		{Slots: 30000, Live: 15000}} // and so on, each 15000 objects
	for range 20 {
		collections = append(collections, gcmodel.Collection{Slots: 30000, Live: 15000})
	}
	return gcmodel.Log{Ruby: railsbench, Requests: 200, MemoryBytes: 6e6, Processes: []gcmodel.Process{{
		Collections: collections,
		Marks:       []gcmodel.Mark{{Name: gcmodel.Boot, Collections: 6}, {Name: gcmodel.Warmup, Collections: 7}, {Name: gcmodel.Window, Collections: 27, Requests: 200}},
	}}}
}

// Expected slots follow from add_heap by hand: slabs of m, then of m + increment,
// then of that and the increment times the factor, and so on.
func TestLegacyHeapsGrowByTheRules(t *testing.T) {
	p := calibrate(t, simpleLog())
	for _, test := range []struct {
		name    string
		setting map[string]string
		slots   float64
	}{
		{"nothing set", nil, 10000 + 20000},
		{"a heap that holds all", map[string]string{"RUBY_HEAP_MIN_SLOTS": "500000"}, 500000},
		{"the increment", map[string]string{"RUBY_HEAP_SLOTS_INCREMENT": "15000"}, 10000 + 25000},
		// 50000 free are wanted: of 65000, 130000, … the first that leaves them.
		{"free slots", map[string]string{"RUBY_HEAP_FREE_MIN": "50000"}, 10000 + 20000 + 38000},
		{"a whole factor", map[string]string{"RUBY_HEAP_FREE_MIN": "50000", "RUBY_HEAP_SLOTS_GROWTH_FACTOR": "3"}, 10000 + 20000 + 50000},
		// atoi makes 2 of it.
		{"a factor with a fraction", map[string]string{"RUBY_HEAP_FREE_MIN": "50000", "RUBY_HEAP_SLOTS_GROWTH_FACTOR": "2.9"}, 10000 + 20000 + 40000},
		{"not a number", map[string]string{"RUBY_HEAP_MIN_SLOTS": "many"}, 10000 + 20000},
		{"a name of later Rubies", map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "500000"}, 10000 + 20000},
	} {
		if got := p.Predict(test.setting).Slots.Estimate; math.Abs(got-test.slots) > 1 {
			t.Errorf("%s: %.0f slots, want %.0f", test.name, got, test.slots)
		}
	}
}

// A program that runs to its end has no mark after which all goes on evenly.
func TestLegacyProgramsThatEnd(t *testing.T) {
	l := simpleLog()
	l.Requests, l.Processes[0].Marks = 1, []gcmodel.Mark{{Name: gcmodel.Boot}, {Name: gcmodel.Window, Collections: 27, Requests: 1}}
	live := int64(0)
	for i, c := range l.Processes[0].Collections {
		l.Processes[0].Collections[i].MallocBytes = 10 * (c.Slots - live)
		live = c.Live
	}
	p := calibrate(t, l)
	for slots, want := range map[string]float64{
		"10000": 27,
		// 67881 objects in boot leave 15000; then each collection frees 45000.
		"60000": 1 + (67881-60000+20*15000.0)/45000,
	} {
		got := p.Predict(map[string]string{"RUBY_HEAP_MIN_SLOTS": slots, "RUBY_HEAP_SLOTS_INCREMENT": "10000"}).CollectionsPer1000
		if got.Low > 1000*want || got.High < 1000*want || math.Abs(got.Estimate-1000*want) > 1500 {
			t.Errorf("%s slots: %.1f collections (%.1f to %.1f), want %.1f", slots, got.Estimate/1000, got.Low/1000, got.High/1000, want)
		}
	}
}

// Twice the free slots are half the collections, as long as malloc starts none.
func TestLegacyCollectionsFollowTheFreeSlots(t *testing.T) {
	p := calibrate(t, simpleLog())
	for slots, want := range map[string]float64{"30000": 100, "45000": 50, "75000": 25} {
		got := p.Predict(map[string]string{"RUBY_HEAP_MIN_SLOTS": slots, "RUBY_GC_MALLOC_LIMIT": "200000000"}).CollectionsPer1000
		if math.Abs(got.Estimate-want) > 0.03*want || got.Low > want || got.High < want {
			t.Errorf("%s slots: %.1f collections per 1000 requests (%.1f to %.1f), want %.0f", slots, got.Estimate, got.Low, got.High, want)
		}
	}
}

// No collection of the log was started by malloc, so nobody knows how soon it
// would start one on a large heap.
func TestLegacySaysThatMallocIsUnknown(t *testing.T) {
	large := calibrate(t, simpleLog()).Predict(map[string]string{"RUBY_HEAP_MIN_SLOTS": "2000000"}).CollectionsPer1000
	if large.High < 2*large.Low {
		t.Errorf("%.2f to %.2f collections per 1000 requests: as if it were known", large.Low, large.High)
	}
}

func TestLegacyPredictionsAreInOrder(t *testing.T) {
	p := calibrate(t, readLegacyRuns(t, "legacy-blog.json").Logs[0])
	random := rand.New(rand.NewPCG(1, 8))
	number := func(least, most float64) string {
		return strconv.Itoa(int(least * math.Pow(most/least, random.Float64())))
	}
	for range 500 {
		setting := map[string]string{
			"RUBY_HEAP_MIN_SLOTS": number(10000, 2e6), "RUBY_HEAP_SLOTS_INCREMENT": number(10000, 2e6),
			"RUBY_HEAP_SLOTS_GROWTH_FACTOR": number(1, 4), "RUBY_HEAP_FREE_MIN": number(4096, 5e5), "RUBY_GC_MALLOC_LIMIT": number(8e6, 256e6),
		}
		inOrder(t, setting, p.Predict(setting))
		least, _ := strconv.ParseFloat(setting["RUBY_HEAP_MIN_SLOTS"], 64)
		if got := p.Predict(setting).Slots.Estimate; got < least {
			t.Errorf("%v: %.0f slots are fewer than it starts with", setting, got)
		}
	}
}

func inOrder(t *testing.T, setting map[string]string, q gcmodel.Prediction) {
	t.Helper()
	for what, e := range map[string]gcmodel.Estimate{
		"collections": q.CollectionsPer1000, "minor": q.MinorPer1000, "major": q.MajorPer1000, "slots": q.Slots, "live": q.Live, "memory": q.MemoryBytes, "seconds": q.SecondsPer1000,
	} {
		if !(0 <= e.Low && e.Low <= e.Estimate && e.Estimate <= e.High && e.High < math.Inf(1)) {
			t.Errorf("%v: %s %g, from %g to %g", setting, what, e.Estimate, e.Low, e.High)
		}
	}
}

// With a heap that never fills, a higher malloc limit never means more
// collections, nor less memory.
func TestLegacyMallocLimitsAreMonotone(t *testing.T) {
	p := calibrate(t, readLegacyRuns(t, "legacy-blog.json").Logs[0])
	collections, memory := math.Inf(1), 0.0
	for limit := 8e6; limit < 256e6; limit *= 1.1 {
		q := p.Predict(map[string]string{"RUBY_HEAP_MIN_SLOTS": "2000000", "RUBY_GC_MALLOC_LIMIT": strconv.Itoa(int(limit))})
		if q.CollectionsPer1000.Estimate > 1.001*collections {
			t.Errorf("limit %.0f: %g collections after %g", limit, q.CollectionsPer1000.Estimate, collections)
		}
		if q.MemoryBytes.Estimate < 0.999*memory {
			t.Errorf("limit %.0f: %g bytes after %g", limit, q.MemoryBytes.Estimate, memory)
		}
		collections, memory = q.CollectionsPer1000.Estimate, q.MemoryBytes.Estimate
	}
}

// Enterprise Edition takes the limit at once, and real factors.
func TestLegacyEnterpriseEdition(t *testing.T) {
	l := simpleLog()
	l.Ruby = "ruby 1.8.7 (2012-02-08 patchlevel 358) [x86_64-linux], MBARI 0x6770, Ruby Enterprise Edition 2012.02"
	got := calibrate(t, l).Predict(map[string]string{"RUBY_HEAP_FREE_MIN": "50000", "RUBY_HEAP_SLOTS_GROWTH_FACTOR": "2.5"}).Slots.Estimate
	if want := 10000.0 + 20000 + 45000; math.Abs(got-want) > 1 {
		t.Errorf("%.0f slots, want %.0f", got, want)
	}
}

func TestLegacyLogsThatTellTooLittle(t *testing.T) {
	unmarked, idle := simpleLog(), simpleLog()
	unmarked.Processes[0].Marks = nil
	idle.Requests = 0
	for i := range idle.Processes[0].Marks {
		idle.Processes[0].Marks[i].Requests = 0
	}
	for name, l := range map[string]gcmodel.Log{
		"no process": {Ruby: railsbench}, "no marks": unmarked, "no requests": idle,
	} {
		if _, err := gcmodel.Calibrate([]gcmodel.Log{l}); !errors.Is(err, gcmodel.ErrTooLittle) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzLegacy(f *testing.F) {
	text, _ := json.Marshal(simpleLog())
	f.Add(text, "600000", "8000000")
	f.Add([]byte(`{"ruby":"ruby 1.8.7","processes":[{"collections":[{"slots":1}],"marks":[{"name":"window","collections":9,"requests":1}]}]}`), "1", "-1")
	f.Fuzz(func(t *testing.T, text []byte, slots, limit string) {
		var l gcmodel.Log
		if json.Unmarshal(text, &l) != nil {
			return
		}
		l.Ruby = railsbench
		p, err := gcmodel.Calibrate([]gcmodel.Log{l})
		if err != nil {
			return
		}
		setting := map[string]string{"RUBY_HEAP_MIN_SLOTS": slots, "RUBY_HEAP_SLOTS_INCREMENT": limit, "RUBY_GC_MALLOC_LIMIT": limit}
		inOrder(t, setting, p.Predict(setting))
	})
}

func BenchmarkLegacyCalibrateAndPredict(b *testing.B) {
	l := readLegacyRuns(b, "legacy-blog.json").Logs[:1]
	setting := map[string]string{"RUBY_HEAP_MIN_SLOTS": "600000", "RUBY_GC_MALLOC_LIMIT": "60000000"}
	for b.Loop() {
		calibrate(b, l...).Predict(setting)
	}
}

func BenchmarkLegacyPredict(b *testing.B) {
	p := calibrate(b, readLegacyRuns(b, "legacy-blog.json").Logs[0])
	setting := map[string]string{"RUBY_HEAP_MIN_SLOTS": "600000", "RUBY_GC_MALLOC_LIMIT": "60000000"}
	for b.Loop() {
		p.Predict(setting)
	}
}
