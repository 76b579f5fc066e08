package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/prometheus/procfs"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/process"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies"
)

// fingerprint is all that a figure depends on besides the setting: interpreter,
// application, load and machine.
func (t *target) fingerprint() map[string]string {
	facts := map[string]string{}
	if usesRuby(t.config) {
		for name, value := range t.support.Interpreter.Fingerprint() {
			facts[strings.ReplaceAll(name, "_", " ")] = value
		}
	}
	if t.builder != nil {
		facts["source"] = t.builder.Digest()
	}
	maps.Copy(facts, machineFacts())
	maps.Copy(facts, t.applicationFacts())
	for name, value := range facts {
		if value == "" {
			delete(facts, name)
		}
	}
	return facts
}

// influences are variables of the environment that change how a Ruby server uses
// memory and time, a * at the end standing for any rest: those that choose and set
// the allocator, threads, the stacks of threads and fibers, the code that is loaded,
// and the encoding of strings. What sets a collector is not passed on.
var influences = append(slices.Clone(firstInfluences),
	"MALLOC_*", "MIMALLOC_*", "TCMALLOC_*", "GLIBC_TUNABLES", "LD_LIBRARY_PATH",
	"RUBY_THREAD_*", "RUBY_FIBER_*", "RUBY_SHARED_FIBER_POOL_*", "RUBY_YJIT_*", "RUBY_MN_THREADS", "RUBY_MAX_CPU",
	"RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_*", "LANG", "LC_ALL", "LC_CTYPE",
)

// firstInfluences are those that a study has which does not say which.
var firstInfluences = []string{
	"WEB_CONCURRENCY", "RAILS_MAX_THREADS", "RAILS_MIN_THREADS", "PUMA_MAX_THREADS", "PUMA_WORKERS",
	"RAILS_ENV", "RACK_ENV", "RUBYOPT", "RUBY_YJIT_ENABLE", "LD_PRELOAD", "MALLOC_ARENA_MAX", "MALLOC_CONF",
}

// influencesFact says which variables a fingerprint has, so that one that it was
// made without is not taken for one that was not set.
const influencesFact = "variables looked at"

func influential(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, any := strings.CutSuffix(pattern, "*")
		return name == pattern || any && strings.HasPrefix(name, prefix)
	})
}

// influencesOf are the facts of an environment. Bundler keeps passwords in variables
// named after hosts, which have "__" for a dot and are left out; what else it has may
// hold some too, and is not shown.
func influencesOf(environ []string) map[string]string {
	facts := map[string]string{influencesFact: strings.Join(influences, " ")}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		bundler := strings.HasPrefix(name, "BUNDLE_")
		switch {
		case value == "", !influential(name, influences), bundler && strings.Contains(name, "__"):
			continue
		case bundler:
			value = digest([]byte(value))
		}
		facts["env "+name] = value
	}
	return facts
}

func (t *target) applicationFacts() map[string]string {
	facts := map[string]string{"search space": asJSON(t.definition.Parameters)}
	dir := ""
	switch cfg := t.config; {
	case cfg.Server != nil:
		dir = string(cfg.Server.Dir)
		facts["command"], facts["load"] = strings.Join(cfg.Server.Command, " "), asJSON(cfg.Load)
		facts["isolation"] = isolationFact(isolation(string(cfg.Load.Isolate), process.Cores()))
	case cfg.Batch != nil:
		dir = string(cfg.Batch.Dir)
		facts["command"], facts["work"] = strings.Join(cfg.Batch.Command, " "), fmt.Sprint(cfg.Batch.Work)
	default:
		dir = string(cfg.External.Dir)
		facts["command"] = strings.Join(cfg.External.Command, " ")
	}
	facts["Gemfile.lock"] = t.lockDigest(dir)
	if t.config.External == nil {
		facts["application"] = applicationDigest(dir)
	}
	maps.Copy(facts, influencesOf(os.Environ()))
	for name, value := range t.variables() {
		facts["env "+name] = value
		if !shown(name) && !ruby.IsGCVariable(name) {
			facts["env "+name] = digest([]byte(value)) // it may be a secret
		}
	}
	return facts
}

// shown says that the value of a variable of the configuration is no secret.
func shown(name string) bool {
	return influential(name, influences) && !strings.HasPrefix(name, "BUNDLE_")
}

// lockDigest is that of the versions of the gems: of the file that BUNDLE_GEMFILE
// leads to, or else of what Bundler finds in the directory.
func (t *target) lockDigest(dir string) string {
	candidates := []string{filepath.Join(dir, "Gemfile.lock"), filepath.Join(dir, "gems.locked")}
	if gemfile := cmp.Or(t.variables()["BUNDLE_GEMFILE"], os.Getenv("BUNDLE_GEMFILE")); gemfile != "" {
		if !filepath.IsAbs(gemfile) {
			gemfile = filepath.Join(dir, gemfile)
		}
		candidates = append([]string{gemfile + ".lock"}, candidates...)
	}
	for _, path := range candidates {
		if lock, err := os.ReadFile(path); err == nil {
			return digest(lock)
		}
	}
	return ""
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:8])
}

func machineFacts() map[string]string {
	facts := map[string]string{
		"host":       hostname(),
		"huge pages": selected("/sys/kernel/mm/transparent_hugepage/enabled"),

		"address space randomisation": randomisation(),
		"cpu limit":                   "none",
		"memory limit":                "none",
	}
	if cores := process.CPULimit(); cores > 0 {
		facts["cpu limit"] = strconv.FormatFloat(cores, 'g', 4, 64) + " cores"
	}
	if bytes := process.MemoryLimit(); bytes > 0 {
		facts["memory limit"] = humanize.IBytes(uint64(bytes))
	}
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		facts["kernel"] = unix.ByteSliceToString(uts.Release[:])
	}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return facts
	}
	if cpus, err := fs.CPUInfo(); err == nil && len(cpus) > 0 {
		facts["processor"], facts["cores"] = cpus[0].ModelName, coresFact(process.Cores(), len(cpus))
	}
	return facts
}

// coresFact is how many cores the machine has, or which of them this process and what
// it starts may use where those are not all: `taskset` and the cpuset of a control
// group leave fewer.
func coresFact(usable []int, all int) string {
	if len(usable) == 0 || len(usable) >= all {
		return strconv.Itoa(all)
	}
	numbers := make([]string, len(usable))
	for i, core := range usable {
		numbers[i] = strconv.Itoa(core)
	}
	return fmt.Sprintf("%d of %d (%s)", len(usable), all, strings.Join(numbers, ", "))
}

// selected reads the word in brackets of a kernel setting, as in
// "always [madvise] never".
func selected(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), "[")
	word, _, _ := strings.Cut(rest, "]")
	return word
}

// addrNoRandomize is ADDR_NO_RANDOMIZE of personality(2), which `setarch -R` sets and
// children inherit.
const addrNoRandomize = 0x0040000

// randomisation is the kernel's setting, in its own number, or "off" where this
// process is exempt from it.
func randomisation() string {
	if text, err := os.ReadFile("/proc/self/personality"); err == nil {
		flags, err := strconv.ParseUint(strings.TrimSpace(string(text)), 16, 64)
		if err == nil && flags&addrNoRandomize != 0 {
			return "off"
		}
	}
	text, err := os.ReadFile("/proc/sys/kernel/randomize_va_space")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil { // plain values only: cannot happen, and must not hide a difference
		return err.Error()
	}
	return string(text)
}

// unrecorded are facts that a fingerprint may lack because nothing was known of
// them, or because the study is older than they are. Of all others absence says
// something: a variable that is not set, a file that is not there.
var unrecorded = []string{
	"address space randomisation", "isolation", "cpu limit", "memory limit", "huge pages", "kernel", "processor", "cores", "host", "Gemfile.lock",
	"ruby jit", "ruby allocator", "ruby collector", "ruby configure",
	harness.FactWorkers, harness.FactAllocator, harness.FactRuby,
}

// differences lists what two fingerprints do not share, each as "name: was → is".
func differences(before, now map[string]string) []string {
	all := maps.Clone(before)
	maps.Copy(all, now)
	var differ []string
	looked := firstInfluences
	if text := before[influencesFact]; text != "" {
		looked = strings.Fields(text)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := before[name]
		is, has := now[name]
		variable, isVariable := strings.CutPrefix(name, "env ")
		switch {
		case name == influencesFact:
			continue
		case isVariable && !had && influential(variable, influences) && !influential(variable, looked):
			continue
		case had && was == digest([]byte(is)): // its value was not shown then
			continue
		}
		if was == is || (!had || !has) && slices.Contains(unrecorded, name) {
			continue
		}
		differ = append(differ, name+": "+difference(was, is))
	}
	return differ
}

// longFact is as much of a fact as is shown.
const longFact = 60

// difference shows two texts, long ones from where they part.
func difference(was, is string) string {
	from := 0
	if len(was) > longFact || len(is) > longFact {
		for from < min(len(was), len(is)) && was[from] == is[from] {
			from++
		}
		from = max(0, from-longFact/3)
	}
	return excerpt(was, from) + " → " + excerpt(is, from)
}

func excerpt(text string, from int) string {
	if text == "" {
		return "nothing"
	}
	short := text[min(from, len(text)):]
	if len(short) > longFact {
		short = short[:longFact] + "…"
	}
	if from > 0 {
		short = "…" + short
	}
	return strings.ToValidUTF8(short, "")
}

// changesFlag goes on in spite of other circumstances.
func changesFlag(usage string) cli.Flag {
	return &cli.BoolFlag{Name: "anyway", Aliases: []string{"allow-changes"}, Usage: usage}
}

// otherCircumstances is the refusal to mix figures.
func otherCircumstances(study string, differ []string, instead string) error {
	return usagef("study %s was measured under other circumstances:\n  %s\n%s in spite of it with --anyway", study, strings.Join(differ, "\n  "), instead)
}

// continuable refuses to mix figures that were measured under different
// circumstances. A study without a measured trial may change in any way.
func continuable(c *cli.Context, study *studies.Study, measured bool, t *target) error {
	if c.IsSet("seed") && c.Uint64("seed") != study.Seed {
		return usagef("study %s was begun with --seed %d: leave --seed out, or begin another study with --study NAME", study.Name, study.Seed)
	}
	now := t.fingerprint()
	differ := differences(study.Fingerprint, now)
	if measured && !c.Bool("anyway") {
		if len(differ) > 0 {
			return otherCircumstances(study.Name, differ,
				fmt.Sprintf("Begin another with --study NAME, delete it with `gctune studies delete %s`, or continue", study.Name))
		}
		for _, name := range observed { // which are compared with the first run
			if value, known := study.Fingerprint[name]; known {
				now[name] = value
			}
		}
	}
	study.Fingerprint = now
	return nil
}
