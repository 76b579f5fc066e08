package probe_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// lazily is the log of a process, with as many collections as it says.
func lazily(t *testing.T, collections int, lines string) []probe.Collection {
	t.Helper()
	all, err := logged(t, "logged "+strconv.Itoa(collections)+"\nlog_bytes 4000\n", map[string]string{"collections-7": lines})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Ruby 2.0 with 100 pages of 400 slots, 1000 of them in use as the probe is loaded. After
// 8000 more objects malloc begins a collection, which leaves 2000; after 10,000 more another
// one; then 38,000 are allocated until slots have run out, and all but 2500 are freed little
// by little, which the probe sees when the last of them is used up.
func TestSweepsOfARubyThatCountsObjects(t *testing.T) {
	got := lazily(t, 5, `now 2 100 1000 39000 1000 0 10 40000 39000 0.5
seen 3 100 2010 38000 9010 7000 11
seen 4 100 2010 38000 19010 17000 12
now 4 100 3000 38000 20000 17000 12.5 40000 37000 1.1
seen 5 100 40000 37500 94500 54500 14
now 5 100 40000 37500 94500 54500 14 40000 0 2
`)
	want := []probe.Collection{
		{}, {}, // before the probe
		{Slots: 40000, Live: 2000, Free: 31000, Seconds: 0.5, Major: true, By: "malloc"},
		{Slots: 40000, Live: 2000, Free: 28000, Seconds: 0.5, Major: true, By: "malloc"},
		{Slots: 40000, Live: 2500, Seconds: 0.5, Major: true, By: "newobj"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// Where two collections came between two looks, and the heap grew as it does when slots run
// out, the first was for want of slots: 9000 objects fill the heap, and 8000 more follow.
func TestSweepsThatWereNotSeen(t *testing.T) {
	got := lazily(t, 4, `now 2 25 1000 9000 1000 0 10 10000 9000 0
seen 4 45 3000 15000 18000 15000 12
now 4 45 3000 15000 18000 15000 12 18000 15000 0
`)
	if len(got) != 4 || got[2].By != "newobj" || got[2].Slots != 10000 || got[2].Live != 2000 || got[2].Free != 0 ||
		got[3].By != "malloc" || got[3].Slots != 18000 || got[3].Live != 3000 || got[3].Free != 18000-2000-8000 {
		t.Errorf("%+v", got)
	}
}

// Ruby 1.9.3 counts no objects. The heap has 40,000 slots, of which 10,000 stay in use after
// boot. Malloc begins a collection twice a second; the reports, a tenth of a second after
// one, see that 2000 of the 30,000 free slots were used: so it was 10,000 in each half.
func TestSweepsOfARubyThatCountsNoObjects(t *testing.T) {
	log := "now 1 100 1000 39000 -1 -1 0 40000 39000 0\nnow 1 100 1000 39000 -1 -1 1 40000 30000 0\n"
	for i := range 8 {
		at := strconv.FormatFloat(2+float64(i)/2, 'f', 1, 64)
		log += "seen " + strconv.Itoa(2+i) + " 100 10000 30000 -1 -1 " + at + "\n"
		if i%2 == 1 {
			soon := strconv.FormatFloat(2.1+float64(i)/2, 'f', 1, 64)
			log += "now " + strconv.Itoa(2+i) + " 100 10000 30000 -1 -1 " + soon + " 40000 28000 0\n"
		}
	}
	got := lazily(t, 9, log)
	for i, c := range got[2:] { // the first of those seen is of boot
		if c.By != "malloc" || c.Slots != 40000 || c.Live != 10000 || c.Free < 19900 || c.Free > 20100 {
			t.Errorf("collection %d: %+v", i, c)
		}
	}
}

// The same program with 12,000 slots: 2000 are free, and each collection comes when they
// are used up. That a report finds a slot used up soon after the collection, which is looked
// at as its sweep ends, makes it none of malloc's.
func TestSweepsForWantOfSlots(t *testing.T) {
	log := "now 1 30 1000 11000 -1 -1 0 12000 11000 0\nnow 1 30 1000 11000 -1 -1 1 12000 6000 0\n"
	for i := range 20 {
		at := strconv.FormatFloat(2+float64(i)/10, 'f', 2, 64)
		log += "seen " + strconv.Itoa(2+i) + " 30 10000 2000 -1 -1 " + at + "\n"
	}
	log += "now 21 30 10000 2000 -1 -1 3.91 12000 500 0.2\n"
	for i, c := range lazily(t, 21, log)[2:] {
		if want := (probe.Collection{Slots: 12000, Live: 10000, Seconds: 0.01, Major: true, By: "newobj"}); c != want {
			t.Errorf("collection %d: %+v, want %+v", i, c, want)
		}
	}
}

// A collection while the report is written is the next report's.
func TestASweepDuringTheReport(t *testing.T) {
	got := lazily(t, 2, `now 1 100 1000 39000 1000 0 10 40000 39000 0
seen 2 100 2000 38000 9000 7000 11
now 2 100 2000 38000 9000 7000 12 40000 38000 0
seen 3 100 2000 38000 19000 17000 13
`)
	if len(got) != 2 || got[1].Live != 2000 {
		t.Errorf("%+v", got)
	}
}

// What cannot be is passed over: fewer collections than before, an earlier time, no page,
// a line that was cut; and a log that has no report at its end is cut short.
func TestSweepsThatCannotBe(t *testing.T) {
	got := lazily(t, 2, `now 1 100 1000 39000 1000 0 10 40000 39000 0
seen 0 100 1000 39000 1000 0 11
seen 2 100 2000 38000 9000 7000 9
seen 2 0 2000 38000 9000 7000 11
seen 2 100
now 2 100 2000 38000 9000 7000 12
seen x y z 0 0 0 inf
now 2 100 2000 38000 9000 7000 12 40000 38000 0
`)
	if len(got) != 2 || got[1].Live != 2000 || got[1].By != "malloc" {
		t.Errorf("%+v", got)
	}
	if got, err := logged(t, "logged 3\nlog_bytes 4000\n", map[string]string{"collections-7": "now 1 100 1000 39000 1000 0 10 40000 39000 0\n"}); !errors.Is(err, probe.ErrLogCut) {
		t.Errorf("%+v, %v", got, err)
	}
}
