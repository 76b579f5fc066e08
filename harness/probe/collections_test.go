package probe_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gctune/gctune/harness/probe"
)

// logged is what a report and the files that it speaks of make of each other.
func logged(t *testing.T, report string, files map[string]string) ([]probe.Collection, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := probe.Parse(strings.NewReader("pid 7\n" + strings.ReplaceAll(report, "DIR", dir) + "end 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	return probe.Collections(dir, r)
}

// Where pages have slots of several sizes there are fewer slots than the number of
// pages says: between two reports their number is taken to grow evenly, beyond them
// pages are taken to be like those that were counted.
func TestCollections(t *testing.T) {
	log := "lost 1\nheap 1000 500\n" +
		"gc 1000 400 0.001 newobj -\ngc 1500 100 0.002 malloc oldgen\ngc 4000 3999 0 newobj nofree\nheap 2000 1500\n" +
		"gc 1000 1 0 newobj -\nheap 1000 600\nnonsense\ngc 1 2\n"
	got, err := logged(t, "logged 5\nlog_bytes 200\n", map[string]string{"collections-7": log})
	want := []probe.Collection{
		{},
		{Slots: 500, Live: 400, Seconds: 0.001, By: "newobj"},
		{Slots: 1000, Live: 100, Seconds: 0.002, By: "malloc", Major: true, MajorBy: "oldgen"},
		{Slots: 3999, Live: 3999, By: "newobj", Major: true, MajorBy: "nofree"}, // 3000 by the pages, but more were live
		{Slots: 600, Live: 1, By: "newobj"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %+v; want %+v", err, got, want)
	}
}

// A forked process's log begins with as much of its parent's as there was then.
func TestCollectionsOfForkedProcesses(t *testing.T) {
	files := map[string]string{
		"collections-5": "gc 10 1 0 newobj -\ngc 10 2 0 newobj -\n",
		"collections-6": "parent 5 19\ngc 10 3 0 newobj -\n",
		"collections-7": "parent 6 31\ngc 10 4 0 newobj -\n",
	}
	got, err := logged(t, "logged 3\nlog_bytes 31\n", files)
	if err != nil || len(got) != 3 || got[0].Live != 1 || got[1].Live != 3 || got[2].Live != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := logged(t, "logged 4\nlog_bytes 31\n", files); !errors.Is(err, probe.ErrLogCut) || len(got) != 3 {
		t.Errorf("one is missing: %+v, %v", got, err)
	}
	files["collections-5"] = "parent 7 99\n"
	if got, err := logged(t, "logged 3\nlog_bytes 31\n", files); err == nil {
		t.Errorf("its own ancestor: %+v", got)
	}
	delete(files, "collections-6")
	if _, err := logged(t, "logged 3\nlog_bytes 31\n", files); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its parent's: %v", err)
	}
}

const railsbench = `RUBY_HEAP_MIN_SLOTS=10000
gctune begins 7
Garbage collection started
objects processed: 0010000
live objects	: 0005858
freelist objects : 0000000
freed objects	: 0004142
kept 0002228 / freed 0002072 objects of type STRING
GC time: 12 msec
gctune mark 1
Garbage collection started
objects processed: 0030000
live objects	: 0014827
freelist objects : 0000173
freed objects	: 0015000
GC time: 0 msec
gctune mark 2
Garbage collection started
objects processed: 0060000
`

func TestOwnLog(t *testing.T) {
	want := []probe.Collection{
		{Slots: 10000, Live: 5858, Seconds: 0.012, Major: true, By: "newobj"},
		{Slots: 30000, Live: 14827, Free: 173, Major: true, By: "malloc"},
	}
	report := "own_log DIR/gc-data\nown_log_mark 2\nown_log_count "
	got, err := logged(t, report+"2\n", map[string]string{"gc-data": railsbench})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %+v; want %+v", err, got, want)
	}
	for name, text := range map[string]string{
		"another's":        strings.Replace(railsbench, "begins 7", "begins 8", 1),
		"truncated":        strings.Repeat("\x00", 4096) + railsbench[200:],
		"without the mark": strings.Replace(railsbench, "mark 2", "", 1),
		"with too few":     strings.Replace(railsbench, "objects processed", "", 1),
	} {
		if got, err := logged(t, report+"2\n", map[string]string{"gc-data": text}); !errors.Is(err, probe.ErrLogCut) || got != nil {
			t.Errorf("a log %s: %+v, %v", name, got, err)
		}
	}
	if got, err := logged(t, report+"1\n", map[string]string{"gc-data": railsbench}); !errors.Is(err, probe.ErrLogMixed) || got != nil {
		t.Errorf("a log with too many: %+v, %v", got, err)
	}
	if got, err := logged(t, report+"-1\n", map[string]string{"gc-data": railsbench}); !errors.Is(err, probe.ErrLogCut) || got != nil {
		t.Errorf("statistics are off: %+v, %v", got, err)
	}
}

// Whatever is in a file, what is read of it can be reckoned with.
func FuzzCollections(f *testing.F) {
	f.Add("lost 2\nheap 1000 500\ngc 1500 100 0.002 malloc oldgen\nheap 2000 1500\nparent 7 3\n")
	f.Add("lost -1\nlost 99999999999999999999\ngc 9223372036854775807 -1 NaN - -\nheap 0 0\nheap -1 1\ngc 1 1 1e300 a b")
	f.Add(railsbench)
	f.Fuzz(func(t *testing.T, text string) {
		for _, report := range []string{"logged 3\nlog_bytes 1000000\n", "own_log DIR/collections-7\nown_log_mark 2\nown_log_count 2\n"} {
			got, _ := logged(t, report, map[string]string{"collections-7": text})
			for _, c := range got {
				if c.Slots < 0 || c.Live < 0 || c.Free < 0 || !(c.Seconds >= 0 && c.Seconds < 2e9) {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}
