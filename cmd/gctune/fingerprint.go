package main

import (
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

	"github.com/prometheus/procfs"
	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

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

// influences are variables of the environment that change how a Ruby server
// uses memory and time. MALLOC_ and LD_PRELOAD choose and set the allocator.
var influences = []string{
	"WEB_CONCURRENCY", "RAILS_MAX_THREADS", "RAILS_MIN_THREADS", "PUMA_MAX_THREADS", "PUMA_WORKERS",
	"RAILS_ENV", "RACK_ENV", "RUBYOPT", "RUBY_YJIT_ENABLE", "LD_PRELOAD", "MALLOC_ARENA_MAX", "MALLOC_CONF",
}

func (t *target) applicationFacts() map[string]string {
	facts := map[string]string{"search space": asJSON(t.definition.Parameters)}
	dir := ""
	switch cfg := t.config; {
	case cfg.Server != nil:
		dir = string(cfg.Server.Dir)
		facts["command"], facts["load"] = strings.Join(cfg.Server.Command, " "), asJSON(cfg.Load)
	case cfg.Batch != nil:
		dir = string(cfg.Batch.Dir)
		facts["command"], facts["work"] = strings.Join(cfg.Batch.Command, " "), fmt.Sprint(cfg.Batch.Work)
	default:
		dir = string(cfg.External.Dir)
		facts["command"] = strings.Join(cfg.External.Command, " ")
	}
	if lock, err := os.ReadFile(filepath.Join(dir, "Gemfile.lock")); err == nil {
		facts["Gemfile.lock"] = digest(lock)
	}
	if t.config.External == nil {
		facts["application"] = applicationDigest(dir)
	}
	for _, name := range influences {
		facts["env "+name] = os.Getenv(name)
	}
	for name, value := range t.variables() {
		facts["env "+name] = value
		if !slices.Contains(influences, name) && !ruby.IsGCVariable(name) {
			facts["env "+name] = digest([]byte(value)) // it may be a secret
		}
	}
	return facts
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:8])
}

func machineFacts() map[string]string {
	facts := map[string]string{
		"host":       hostname(),
		"huge pages": selected("/sys/kernel/mm/transparent_hugepage/enabled"),
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
		facts["processor"], facts["cores"] = cpus[0].ModelName, strconv.Itoa(len(cpus))
	}
	return facts
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

// differences lists what two fingerprints do not share, in words.
func differences(before, now map[string]string) []string {
	all := maps.Clone(before)
	maps.Copy(all, now)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] != now[name] {
			differ = append(differ, fmt.Sprintf("%s was %q and is %q", name, before[name], now[name]))
		}
	}
	return differ
}

// continuable refuses to mix figures that were measured under different
// circumstances. A study without a measured trial may change in any way.
func continuable(c *cli.Context, study *studies.Study, measured bool, t *target) error {
	if c.IsSet("seed") && c.Uint64("seed") != study.Seed {
		return usagef("study %s was begun with --seed %d: leave --seed out, or begin another study with --study NAME", study.Name, study.Seed)
	}
	now := t.fingerprint()
	differ := differences(study.Fingerprint, now)
	if len(differ) == 0 || !measured || c.Bool("allow-changes") {
		study.Fingerprint = now
		return nil
	}
	return usagef("study %s was measured under other circumstances: %s. Begin another with --study NAME, delete it with `gctune studies delete %s`, or continue in spite of it with --allow-changes",
		study.Name, strings.Join(differ, "; "), study.Name)
}
