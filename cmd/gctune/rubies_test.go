package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// line is what is known of a line of Ruby from its own sources.
type line struct {
	searched []string // among what is searched
	dead     []string // among what is said to have no effect
	obsolete []string // read under an old name, with a warning: never to be set
}

var perHeap = []string{
	"RUBY_GC_HEAP_0_INIT_SLOTS", "RUBY_GC_HEAP_1_INIT_SLOTS", "RUBY_GC_HEAP_2_INIT_SLOTS",
	"RUBY_GC_HEAP_3_INIT_SLOTS", "RUBY_GC_HEAP_4_INIT_SLOTS",
}

var lines = map[string]line{
	"2.7": {
		searched: []string{"RUBY_GC_HEAP_INIT_SLOTS"},
		dead:     append([]string{"RUBY_HEAP_MIN_SLOTS", "RUBY_FREE_MIN"}, perHeap...),
		obsolete: []string{"RUBY_HEAP_MIN_SLOTS", "RUBY_FREE_MIN"},
	},
	"3.1": {
		searched: []string{"RUBY_GC_HEAP_INIT_SLOTS"},
		dead:     append([]string{"RUBY_HEAP_MIN_SLOTS", "RUBY_FREE_MIN"}, perHeap...),
	},
	"3.3": {
		searched: append([]string{"RUBY_GC_HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO"}, perHeap...),
		dead:     []string{"RUBY_GC_HEAP_INIT_SLOTS", "RUBY_HEAP_MIN_SLOTS", "RUBY_FREE_MIN"},
	},
	"3.4": {
		searched: append([]string{"RUBY_GC_HEAP_REMEMBERED_WB_UNPROTECTED_OBJECTS_LIMIT_RATIO"}, perHeap...),
		dead:     []string{"RUBY_GC_HEAP_INIT_SLOTS", "RUBY_HEAP_MIN_SLOTS", "RUBY_FREE_MIN"},
	},
}

// everywhere is searched on each of these lines.
var everywhere = []string{
	"RUBY_GC_HEAP_GROWTH_MAX_SLOTS", "RUBY_GC_HEAP_GROWTH_FACTOR", "RUBY_GC_HEAP_FREE_SLOTS",
	"RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO", "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO", "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO",
	"RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR",
	"RUBY_GC_MALLOC_LIMIT", "RUBY_GC_MALLOC_LIMIT_MAX", "RUBY_GC_OLDMALLOC_LIMIT", "RUBY_GC_OLDMALLOC_LIMIT_MAX",
}

// interpreterLine is that of the ruby on PATH: scripts/rubies.sh runs the tests
// of an interpreter on several, and says which line each must be of.
func interpreterLine(t *testing.T) line {
	t.Helper()
	expected := os.Getenv("GCTUNE_TEST_LINE")
	out, err := exec.Command("ruby", "-e", `print RUBY_VERSION[/\d+\.\d+/]`).Output()
	if err != nil && expected == "" {
		t.Skipf("no ruby on PATH: %v", err)
	}
	if expected != "" && string(out) != expected {
		t.Fatalf("the ruby on PATH is of line %q, want %s", out, expected)
	}
	known, ok := lines[string(out)]
	if !ok {
		t.Skipf("nothing is known of Ruby %s", out)
	}
	return known
}

func TestInterpreterParameters(t *testing.T) {
	known := interpreterLine(t)
	s := newStudy(t, "batch: {command: [ruby, -e, \"\"], work: 1}\n")
	params := s.params()
	for _, name := range slices.Concat(everywhere, known.searched) {
		at := slices.IndexFunc(params.Parameters, func(p parameterJSON) bool { return p.Name == name })
		if at < 0 || params.Parameters[at].Searched == nil {
			t.Errorf("%s is not searched", name)
		}
	}
	for _, name := range known.dead {
		at := slices.IndexFunc(params.Dead, func(d deadJSON) bool { return d.Name == name })
		if at < 0 || params.Dead[at].Reason == "" {
			t.Errorf("%s is not said to have no effect", name)
		}
		if slices.ContainsFunc(params.Parameters, func(p parameterJSON) bool { return p.Name == name }) {
			t.Errorf("%s is said to be a parameter", name)
		}
	}
	for _, p := range params.Parameters {
		checkParameter(t, p)
	}
}

func (s study) params() paramsJSON {
	s.t.Helper()
	var params paramsJSON
	if err := json.Unmarshal([]byte(s.output("params", "--format", "json")), &params); err != nil {
		s.t.Fatal(err)
	}
	return params
}

// checkParameter asks the interpreter, without the help of the code under test,
// whether the default is its own, and whether it takes both ends of the range
// searched. One that is not searched is set to its default.
func checkParameter(t *testing.T, p parameterJSON) {
	t.Helper()
	standard, err := strconv.ParseFloat(p.Default, 64)
	if err != nil {
		t.Fatal(err)
	}
	values := []float64{standard}
	if p.Searched != nil {
		values = []float64{p.Searched.Min, p.Searched.Max}
	}
	for _, value := range values {
		got, byDefault, taken := echo(t, p.Name, strconv.FormatFloat(value, 'f', -1, 64))
		if !taken || got != value || byDefault != standard {
			t.Errorf("%s=%v, default %v: Ruby says %v, default %v, taken %v", p.Name, value, standard, got, byDefault, taken)
		}
	}
}

var echoed = regexp.MustCompile(`(?m)^(\w+)=([0-9.]+) \(default value: ([0-9.]+)\)(.*)$`)

// echo is what Ruby itself says of a variable when it is told to warn.
func echo(t *testing.T, name, value string) (got, byDefault float64, taken bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ruby", "-w", "-e", "")
	// Ratios are held against each other: the first two leave room for any third.
	cmd.Env = append(os.Environ(), "RUBY_GC_HEAP_FREE_SLOTS_MIN_RATIO=0.01", "RUBY_GC_HEAP_FREE_SLOTS_MAX_RATIO=0.99", name+"="+value)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s=%s: %v\n%s", name, value, err, out)
	}
	for _, found := range echoed.FindAllStringSubmatch(string(out), -1) {
		if found[1] == name {
			got, _ = strconv.ParseFloat(found[2], 64)
			byDefault, _ = strconv.ParseFloat(found[3], 64)
			return got, byDefault, found[4] == ""
		}
	}
	return 0, 0, false
}

// A value that this Ruby ignores, and a name that it does not read, are refused
// before anything is started.
func TestInterpreterRefuses(t *testing.T) {
	known := interpreterLine(t)
	if _, _, taken := echo(t, "RUBY_GC_HEAP_GROWTH_FACTOR", "1.0"); taken {
		t.Error("this Ruby takes a growth factor of 1")
	}
	refused(t, "RUBY_GC_HEAP_GROWTH_FACTOR", "{min: 1, max: 2}", "must be greater than 1")
	for _, name := range known.dead {
		// An old name is read, too, but it is not to be used.
		if _, _, taken := echo(t, name, "20000"); taken != slices.Contains(known.obsolete, name) {
			t.Errorf("%s: Ruby says taken %v", name, taken)
		}
		refused(t, name, "{min: 20000, max: 30000}", name)
	}
}

func refused(t *testing.T, name, values, why string) {
	t.Helper()
	s := newStudy(t, "batch: {command: [touch, started], work: 1}\nsearch: {parameters: {"+name+": "+values+"}}\n")
	out, err := s.command("optimize", "--budget", "1").CombinedOutput()
	if status := exitStatus(t, err); status != 2 || !strings.Contains(string(out), why) {
		t.Errorf("%s: %s: exit status %d\n%s", name, values, status, out)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "started")); err == nil {
		t.Errorf("%s: %s: the program was started", name, values)
	}
}

func TestInterpreterIsTuned(t *testing.T) {
	known := interpreterLine(t)
	s := plainExample(t)
	allowed := map[string]bool{}
	for _, p := range s.params().Parameters {
		allowed[p.Name] = !slices.Contains(known.obsolete, p.Name) && !slices.Contains(known.dead, p.Name)
	}
	trials := parseTrials(t, s.output("optimize", "--no-confirm", "--budget", "5", "--seed", "1", "--format", "json"))
	if len(trials) != 5 {
		t.Fatalf("%d trials, want 5", len(trials))
	}
	for _, trial := range trials {
		m := trial.Metrics
		if trial.State != "complete" || m["requests"] != 40 || m["error_share"] != 0 || m["gc_count"] < 1 || m["memory_pss_peak_bytes"] < 10e6 {
			t.Errorf("trial %d is %s (%s): %v", trial.Trial, trial.State, trial.Reason, m)
			continue
		}
		exported := s.output("export", "--trial", strconv.Itoa(trial.Trial), "--format", "env")
		for name, value := range trial.Setting {
			if !strings.Contains(exported, "\n"+name+"="+value+"\n") {
				t.Errorf("trial %d: %s=%s is not exported:\n%s", trial.Trial, name, value, exported)
			}
		}
		for _, found := range assigned.FindAllStringSubmatch(exported, -1) {
			if !allowed[found[1]] {
				t.Errorf("trial %d: %s is exported", trial.Trial, found[1])
			}
		}
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

// The log has as many collections as this Ruby counts, and of the heap what it says of
// it itself.
func TestInterpreterCollections(t *testing.T) {
	interpreterLine(t)
	s := newStudy(t, `{study: log, batch: {work: 1, command: ["{ruby}", -e, "kept = []; 40.times { |i| 9_000.times { |j| kept << [j.to_s * i] if j % 10 == 0; j.to_s } }; GC.start; sleep 0.2"]}}`)
	s.output("optimize", "--no-confirm", "--budget", "2", "--seed", "1")
	for _, trial := range parseTrials(t, s.output("trials", "--format", "json")) {
		if len(trial.Collections) == 0 || len(trial.Collections[0].Processes) != 1 {
			t.Fatalf("trial %d has the logs %v", trial.Trial, trial.Collections)
		}
		process := trial.Collections[0].Processes[0]
		begin, end := process.Marks[0], process.Marks[1]
		last := process.Collections[len(process.Collections)-1]
		if n := len(process.Collections); n < 12 || int64(n) != end.Collections || float64(n) != end.Stat["count"] || !last.Major || last.By != "method" {
			t.Errorf("%d collections up to %+v, counted %v", n, last, end.Stat["count"])
		}
		if slots, live := float64(last.Slots)/end.Stat["heap_available_slots"], float64(last.Live)/end.Stat["heap_live_slots"]; slots < 0.95 || slots > 1.05 || live < 0.8 || live > 1.01 {
			t.Errorf("%+v, where Ruby says %v slots, %v live", last, end.Stat["heap_available_slots"], end.Stat["heap_live_slots"])
		}
		for i, c := range process.Collections {
			if known := int64(i) >= begin.Collections; known != (c.Slots > 0) || c.Live > c.Slots {
				t.Errorf("collection %d of %d, the log begins with %d: %+v", i, len(process.Collections), begin.Collections, c)
			}
		}
	}
}

var assigned = regexp.MustCompile(`(?m)^(\w+)=`)

// plainExample is the example for every Ruby, with a smaller heap and less load.
func plainExample(t *testing.T) study {
	t.Helper()
	s := study{t, t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS("../../examples/plain")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "gctune.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	smaller := strings.NewReplacer(`"550"`, `"100"`, "concurrency: 1", "concurrency: 1\n  warmup: 20\n  measure: 40").Replace(string(text))
	if err := os.WriteFile(path, []byte(smaller), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}
