package gcmodel_test

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gctune/gctune/tuner/gcmodel"
)

const (
	ruby21 = "ruby 2.1.10p492 (2016-04-01 revision 54464) [x86_64-linux]"
	ruby22 = "ruby 2.2.10p489 (2018-03-28 revision 63023) [x86_64-linux]"
	ruby23 = "ruby 2.3.8p459 (2018-10-18 revision 65136) [x86_64-linux]"
)

// settled predicts for a program with 100,000 live objects, whose heap has 200,000 slots,
// where malloc begins no collection and old objects make none a major one.
func settled(t *testing.T, ruby string, setting map[string]string) gcmodel.Prediction {
	t.Helper()
	l := steady(200_000, 100_000)
	l.Ruby, l.Setting = ruby, map[string]string{"RUBY_GC_HEAP_INIT_SLOTS": "200000"}
	all := map[string]string{
		"RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR": "8", "RUBY_GC_MALLOC_LIMIT": "1000000000",
		"RUBY_GC_MALLOC_LIMIT_MAX": "2000000000", "RUBY_GC_OLDMALLOC_LIMIT": "2000000000",
	}
	maps.Copy(all, setting)
	return mustCalibrate(t, l).Predict(all)
}

// Pages are of 408 slots at most, 407.6 on average. gc.c, heap_set_increment with
// heap_extend_pages: a heap of which less than 0.3 is free grows by the factor, or by the
// pages of the most slots. 130,000 slots are 318 pages, of which 29,617 slots are free where
// 38,885 should be.
func TestGrowthBeforeTheRatios(t *testing.T) {
	for _, ruby := range []string{ruby21, ruby22, ruby23} {
		for _, c := range []struct {
			setting string
			pages   float64
		}{
			{"RUBY_GC_HEAP_INIT_SLOTS=200000", 490}, // half is free
			{"RUBY_GC_HEAP_INIT_SLOTS=130000", 572}, // 318·1.8, rounded down
			{"RUBY_GC_HEAP_INIT_SLOTS=130000 RUBY_GC_HEAP_GROWTH_FACTOR=1.2", 381},
			{"RUBY_GC_HEAP_INIT_SLOTS=130000 RUBY_GC_HEAP_GROWTH_MAX_SLOTS=20400", 368}, // 318 + 20,400/408
			{"RUBY_GC_HEAP_INIT_SLOTS=130000 RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO=0.05", 572},
		} {
			p := settled(t, ruby, settingOf(c.setting))
			if want := 408 * c.pages; math.Abs(p.Slots.Estimate/want-1) > 0.005 {
				t.Errorf("%.10s, %s: %.0f slots, want %.0f", ruby, c.setting, p.Slots.Estimate, want)
			}
			allocated := 1_000_000.0
			if want := allocated / (407.6*c.pages - 100_000); math.Abs(p.CollectionsPer1000.Estimate/want-1) > 0.05 {
				t.Errorf("%.10s, %s: %.2f collections, want %.2f", ruby, c.setting, p.CollectionsPer1000.Estimate, want)
			}
		}
	}
}

func settingOf(text string) map[string]string {
	setting := map[string]string{}
	for _, one := range strings.Fields(text) {
		name, value, _ := strings.Cut(one, "=")
		setting[name] = value
	}
	return setting
}

// A heap of 490 pages that is to have 150,000 free slots has 99,724, and grows by a page
// at a time. gc.c, gc_marks_finish of 2.2 and 2.3: it does so after a major collection and
// the next three, and the fourth asks for another major one. gc_after_sweep of 2.1: from
// the third collection on every minor one does.
func TestMajorCollectionsForWantOfSlots(t *testing.T) {
	setting := settingOf("RUBY_GC_HEAP_INIT_SLOTS=200000 RUBY_GC_HEAP_FREE_SLOTS=150000 RUBY_GC_HEAP_GROWTH_MAX_SLOTS=408")
	for ruby, want := range map[string]float64{ruby21: 1. / 2, ruby22: 1. / 5, ruby23: 1. / 5} {
		p := settled(t, ruby, setting)
		if share := p.MajorPer1000.Estimate / p.CollectionsPer1000.Estimate; math.Abs(share-want) > 0.07 {
			t.Errorf("%.10s: %.2f of all collections are major, want %.2f", ruby, share, want)
		}
	}
}

// gc.c of 2.1, gc_after_sweep: slots that are lacking to FREE_SLOTS become a number of
// pages, which heap_set_increment takes for that of the whole heap, the most slots of a
// growth notwithstanding. The program has its 100,000 live objects after a third of boot's
// 500,000: at the collection that uses up 129,617 slots, 77,770 of them. That is 51,847
// free, and (300,000 - 51,847)/408 is 608. Later versions grow by the cap.
func TestWhatIsLackingIsTakenForTheWhole(t *testing.T) {
	setting := settingOf("RUBY_GC_HEAP_INIT_SLOTS=130000 RUBY_GC_HEAP_FREE_SLOTS=300000 RUBY_GC_HEAP_GROWTH_MAX_SLOTS=408")
	if got := settled(t, ruby21, setting).Slots.Estimate / 408; got < 605 || got > 616 {
		t.Errorf("2.1: %.0f pages, want 608 and some more", got)
	}
	if got := settled(t, ruby23, setting).Slots.Estimate / 408; got < 318 || got > 360 {
		t.Errorf("2.3: %.0f pages, want 318 and some more", got)
	}
}

func TestValuesNotTakenBeforeTheRatios(t *testing.T) {
	bare := settled(t, ruby23, nil)
	for _, text := range []string{
		"RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO=0.6", "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO=0.1", "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO=0.35",
	} {
		if got := settled(t, ruby23, settingOf(text)); !reflect.DeepEqual(got, bare) {
			t.Errorf("%s changes the prediction", text)
		}
	}
	zero := settled(t, ruby23, settingOf("RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR=0"))
	if two := settled(t, ruby23, settingOf("RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR=2")); !reflect.DeepEqual(zero, two) {
		t.Error("a factor of 0 is not as none")
	}
	// gc.c of 2.1, get_envparam_int: what follows the digits is dropped, and there are 32 bits.
	for text, want := range map[string]map[string]string{"300k": settingOf("RUBY_GC_HEAP_FREE_SLOTS=300"), "3000000000": nil} {
		setting := settingOf("RUBY_GC_HEAP_FREE_SLOTS=" + text)
		if !reflect.DeepEqual(settled(t, ruby21, setting), settled(t, ruby21, want)) {
			t.Errorf("2.1 takes %s for another number than %v", text, want)
		}
		if got := settled(t, ruby23, setting); got.Slots.Estimate <= bare.Slots.Estimate {
			t.Errorf("2.3 does not take %s", text)
		}
	}
}

// The first releases of 2.1 had other rules.
func TestNoModelOfTheFirstReleases(t *testing.T) {
	for _, ruby := range []string{"ruby 2.1.0p0 (2013-12-25)", "ruby 2.1.2p95 (2014-05-08)"} {
		l := steady(200_000, 100_000)
		l.Ruby = ruby
		if _, err := gcmodel.Calibrate([]gcmodel.Log{l}); !errors.Is(err, gcmodel.ErrUnknown) {
			t.Errorf("%q: %v, want ErrUnknown", ruby, err)
		}
	}
}

// A program on WEBrick that keeps 300,000 objects; settings drawn at random.
func TestSettingsNeverRunBeforeTheRatios(t *testing.T) {
	for _, name := range []string{"shop-2.1.json", "shop-2.3.json"} {
		t.Run(name, func(t *testing.T) {
			r := readRecorded(t, name)
			c := compare(t, r, r.Logs[0])
			if c.rank < 0.93 || c.memoryRank < 0.93 || c.memoryError > 0.04 {
				t.Errorf("rank correlations %.3f of collections, %.3f of memory, whose median error is %.3f; want 0.93, 0.93, 0.04", c.rank, c.memoryRank, c.memoryError)
			}
			if c.within < c.runs-2 || c.memoryWithin < c.runs-2 {
				t.Errorf("of %d runs, %d collections and %d memories were within the bounds", c.runs, c.within, c.memoryWithin)
			}
		})
	}
}
