package probe

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Report is the state of one process's collector at one moment. Counters count
// from the process's start.
type Report struct {
	PID         int
	Description string // the interpreter
	Count       int64  // collections; 0 where Counted is not set
	Minor       int64  // minor collections; 0 where Generational is not set
	Major       int64  // major collections; 0 where Generational is not set
	Seconds     float64
	// Counted: the Ruby counts its collections. Stock 1.8 does not.
	Counted bool
	// Generational: it tells minor from major ones, as from 2.1 on.
	Generational bool
	// Clock is what Seconds was read from: "total_time", "enable_stats" (elapsed
	// time, where the others are CPU time: gettimeofday in garbage_collect of the
	// patched gc.c), "profiler" (from the probe's start on, without lazy sweeping), or
	// "none".
	Clock     string
	LiveSlots int64 // slots in use; 0 where the Ruby does not tell
	Slots     int64 // slots of the heap; 0 where the Ruby does not tell

	// CPU is the process's CPU time in seconds, and Invoked that at which its latest
	// collection began; both are 0 where there is no log of Ruby's profiler.
	CPU, Invoked float64

	Stat  map[string]float64         // GC.stat; what 2.1 has other names for by those of 2.2
	Heaps map[int]map[string]float64 // GC.stat_heap, from Ruby 3.1 on
	// Started and MadeMajor count collections by what started them and by what
	// made them major, in Ruby's words ("newobj", "oldmalloc"), from the first
	// report on; empty where HasReasons is not set.
	Started, MadeMajor map[string]int64
	// HasReasons: the Ruby tells why each collection ran, as from 2.1 on.
	HasReasons bool

	// Logged are the collections in the process's log, those included of which
	// nothing but their number is known, and Begun those that ran before the probe was
	// loaded. HasLog: there is one; Collections reads it.
	Logged, Begun int64
	HasLog        bool
	logBytes      int64
	ownLog        string // the interpreter's own log
	ownLogMark    string // the line in it that this report has made
	ownLogCount   int64  // collections counted when it did; below 0, counting was off

	// RSS and PeakRSS are the process's memory in bytes, where it reports at its end;
	// else 0.
	RSS, PeakRSS int64

	Info        map[string]string // GC.latest_gc_info: why the last collection ran
	Environment map[string]string // the collector's variables as the process saw them at start
}

// Recorded is how many collections the log has at this report.
func (r Report) Recorded() int64 {
	if r.ownLog != "" {
		return max(0, r.ownLogCount)
	}
	return r.Logged
}

// Elapsed reports whether Seconds passed on the clock, with whatever else the machine
// did meanwhile.
func (r Report) Elapsed() bool { return r.Clock == "enable_stats" }

// HasTime reports whether Seconds was measured.
func (r Report) HasTime() bool { return r.Clock != "" && r.Clock != "none" }

var unescape = strings.NewReplacer("%0A", "\n", "%0D", "\r", "%25", "%")

// Parse reads a report. A report that was cut short is an error; keys that it
// does not know are passed over.
func Parse(text io.Reader) (Report, error) {
	r := Report{
		Started: map[string]int64{}, MadeMajor: map[string]int64{},
		Stat: map[string]float64{}, Heaps: map[int]map[string]float64{}, Info: map[string]string{}, Environment: map[string]string{},
	}
	complete := false
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), " ")
		if key == "end" {
			complete = true
			break
		}
		r.set(key, unescape.Replace(value))
	}
	if err := lines.Err(); err != nil {
		return Report{}, fmt.Errorf("read a probe report: %w", err)
	}
	if !complete || r.PID <= 0 {
		return Report{}, fmt.Errorf("read a probe report: %w; ask again", io.ErrUnexpectedEOF)
	}
	r.derive()
	return r, nil
}

func (r *Report) set(key, value string) {
	number, err := strconv.ParseFloat(value, 64)
	numeric := err == nil
	group, name, _ := strings.Cut(key, ".")
	switch {
	case key == "pid":
		r.PID, _ = strconv.Atoi(value) // 0 is refused by Parse
	case key == "ruby":
		r.Description = value
	case key == "clock":
		r.Clock = value
	case key == "gc_time_seconds" && numeric:
		r.Seconds = number
	case key == "gc_count" && numeric:
		r.Count, r.Counted = int64(number), true
	case key == "cpu_seconds" && numeric:
		r.CPU = number
	case key == "gc_invoked_cpu_seconds" && numeric:
		r.Invoked = number
	case key == "logged" && numeric:
		r.Logged, r.HasLog = int64(number), true
	case key == "begun" && numeric:
		r.Begun = int64(number)
	case key == "log_bytes" && numeric:
		r.logBytes = int64(number)
	case key == "rss_bytes" && numeric:
		r.RSS = int64(number)
	case key == "peak_rss_bytes" && numeric:
		r.PeakRSS = int64(number)
	case key == "own_log":
		r.ownLog, r.HasLog = value, true
	case key == "own_log_count" && numeric:
		r.ownLogCount = int64(number)
	case key == "own_log_mark":
		r.ownLogMark = value
	case key == "reasons":
		r.HasReasons = true
	case group == "reason" && numeric:
		r.setReason(name, int64(number))
	case group == "stat" && numeric:
		r.Stat[name] = number
	case group == "heap" && numeric:
		r.setHeap(name, number)
	case group == "info":
		r.Info[name] = value
	case group == "env":
		r.Environment[name] = value
	}
}

func (r *Report) setReason(key string, count int64) {
	kind, reason, _ := strings.Cut(key, ".")
	switch kind {
	case "started":
		r.Started[reason] = count
	case "major":
		r.MadeMajor[reason] = count
	}
}

func (r *Report) setHeap(key string, value float64) {
	index, name, _ := strings.Cut(key, ".")
	heap, err := strconv.Atoi(index)
	if err != nil {
		return
	}
	if r.Heaps[heap] == nil {
		r.Heaps[heap] = map[string]float64{}
	}
	r.Heaps[heap][name] = value
}

// derive fills the fields whose names in GC.stat changed over the years: Ruby
// 1.9 and 2.0 say …_num.
func (r *Report) derive() {
	_, r.Generational = r.Stat["minor_gc_count"]
	if r.Generational {
		r.rename()
	}
	r.Minor = r.stat("minor_gc_count")
	r.Major = r.stat("major_gc_count")
	r.LiveSlots = r.stat("heap_live_slots", "heap_live_num")
	r.Slots = r.stat("heap_available_slots")
	if r.Slots == 0 {
		r.Slots = r.LiveSlots + r.stat("heap_free_num") + r.stat("heap_final_num")
	}
}

func (r *Report) stat(names ...string) int64 {
	for _, name := range names {
		if value, ok := r.Stat[name]; ok {
			return int64(value)
		}
	}
	return 0
}
