package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gctune/gctune/config"
)

const server = `study: blog
server:
  command: [bundle, exec, puma, -b, "tcp://127.0.0.1:{port}"]
  env: {RAILS_ENV: production, VERSION: 1.10, MASK: 010}
  ready: {path: /up, status: 204, timeout: 20s}
  stop: {signal: QUIT, grace: 3s}
load:
  requests:
    - GET /test/index
    - {method: POST, path: /blog, weight: 3, headers: {X-A: b}, body: "a=1", expect: {status: 201, contains: created}}
  headers: {Host: example.test}
  concurrency: 4
  warmup: 80
  measure: 10s
constraints: [latency_p99_seconds <= 300ms, memory <= 512MB]
search:
  parameters:
    RUBY_GC_HEAP_INIT_SLOTS: {min: 10000, max: 2000000, scale: log}
    RUBY_GC_HEAP_GROWTH_FACTOR:
    APP_MODE: {values: [a, "010", 1.50]}
`

func TestParseServer(t *testing.T) {
	c, err := config.Parse("/srv/app/gctune.yaml", []byte(server))
	if err != nil {
		t.Fatal(err)
	}
	if c.Server.Env["VERSION"] != "1.10" || c.Server.Env["MASK"] != "010" {
		t.Errorf("environment values must stay as they are written: %v", c.Server.Env)
	}
	if c.Server.Dir != "/srv/app" || c.Server.Ready.Status != 204 || time.Duration(c.Server.Stop.Grace) != 3*time.Second {
		t.Errorf("server: %+v", c.Server)
	}
	short, full := c.Load.Requests[0], c.Load.Requests[1]
	if short.Method != "GET" || short.Path != "/test/index" || short.Weight != 1 || short.Expect.Status != 200 {
		t.Errorf("short request: %+v", short)
	}
	if full.Weight != 3 || full.Expect.Status != 201 || full.Expect.Contains != "created" || full.Headers["X-A"] != "b" {
		t.Errorf("full request: %+v", full)
	}
	if c.Load.Warmup.Requests != 80 || c.Load.Measure.Duration != 10*time.Second {
		t.Errorf("amounts: %+v %+v", c.Load.Warmup, c.Load.Measure)
	}
	names := []string{}
	for _, p := range *c.Search.Parameters {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "RUBY_GC_HEAP_INIT_SLOTS RUBY_GC_HEAP_GROWTH_FACTOR APP_MODE" {
		t.Errorf("parameters must keep the order of the file, got %s", got)
	}
	if values := (*c.Search.Parameters)[2].Values; values[1].Text != "010" || values[2].Text != "1.50" {
		t.Errorf("values must be literal: %+v", values)
	}
	if last := c.Constraints[len(c.Constraints)-1]; last.Text != "error_share <= 0" {
		t.Errorf("a server has a limit on wrong answers, got %+v", c.Constraints)
	}
}

// Lengths are what is asked for, and not adaptive unless that is.
func TestLengths(t *testing.T) {
	for load, want := range map[string]config.Load{
		"":                                       {Error: 0.03},
		"warmup: 100":                            {Error: 0.03},
		"measure: 200":                           {Error: 0.03},
		"rate: 50/s, lengths: fixed":             {Lengths: "fixed", Error: 0.03},
		"lengths: adaptive":                      {Lengths: "adaptive", Error: 0.03},
		"lengths: adaptive, least: 50, most: 70": {Lengths: "adaptive", Least: 50, Most: 70, Error: 0.03},
		"lengths: adaptive, error: 0.1":          {Lengths: "adaptive", Error: 0.1},
	} {
		c, err := config.Parse("x/gctune.yaml", []byte("server: {command: [x, \"{port}\"]}\nload: {requests: [GET /], "+load+"}\n"))
		if err != nil {
			t.Errorf("%s: %v", load, err)
			continue
		}
		if l := c.Load; l.Lengths != want.Lengths || l.Least != want.Least || l.Most != want.Most || l.Error != want.Error {
			t.Errorf("%s: %+v", load, *l)
		}
	}
}

func TestParseExternalDefaults(t *testing.T) {
	c, err := config.Parse("x/gctune.yaml", []byte("external: {command: [./measure]}\nsearch: {parameters: {A: {min: 1, max: 9, default: 2}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Study != "x" || c.Objectives.Throughput != "throughput" || c.Objectives.Memory != "memory" || len(c.Constraints) != 0 {
		t.Errorf("defaults: %+v", c)
	}
}

// Each fault is told with its place and with what to do.
func TestParseFaults(t *testing.T) {
	const external = "external: {command: [x]}\nsearch:\n  parameters:\n    A: {min: 1, max: 2}\n"
	const minimal = "server: {command: [x, \"{port}\"]}\nload: {requests: [GET /]}\n"
	for name, c := range map[string]struct{ yaml, want string }{
		"unknown key":           {"studi: a\n" + external, `f.yaml:1:1: unknown key "studi": did you mean "study"?`},
		"unknown nested":        {"server:\n  comand: [x]\n", `f.yaml:2:3: unknown key "comand" in server: did you mean "command"?`},
		"unknown in request":    {minimal + "batch: {worc: 1}\n", `f.yaml:3:9: unknown key "worc" in batch: did you mean "work"?`},
		"unknown in list":       {"server: {command: [x, \"{port}\"]}\nload:\n  requests:\n    - {pat: /}\n", `f.yaml:4:8: unknown key "pat" in load.requests[0]: did you mean "path"?`},
		"unknown in range":      {"external: {command: [x]}\nsearch:\n  parameters:\n    A: {minn: 1, max: 2}\n", `f.yaml:4:9: unknown key "minn" in search.parameters.A: did you mean "min"?`},
		"duplicate":             {external + "study: a\nstudy: b\n", `f.yaml:6:1: mapping key "study" already defined`},
		"tab":                   {"external:\n\tcommand: [x]\n", "f.yaml:2:1: found character"},
		"list for text":         {external + "study: [a]\n", "f.yaml:5:8: a single value is expected here, not a sequence"},
		"text for list":         {"external: {command: ./x --y}\n", "f.yaml:1:21: a command is a list of words"},
		"underscores":           {minimal[:len(minimal)-2] + ", concurrency: 1_0}\n", `"1_0" is not a whole number in plain digits`},
		"article":               {minimal[:len(minimal)-2] + ", headers: 5}\n", "a mapping (name: value) is expected here, not an integer"},
		"NUL in env":            {"batch: {command: [x], work: 1, env: {A: \"b\\0c\"}}\n", `f.yaml:1:41: "b\x00c" has a NUL character`},
		"NUL in command":        {"batch: {command: [x, \"b\\0c\"], work: 1}\n", `has a NUL character`},
		"hexadecimal":           {"batch: {command: [x], work: 0x1p-2}\n", `"0x1p-2" is not a positive number`},
		"infinite":              {"batch: {command: [x], work: Inf}\n", `"Inf" is not a positive number`},
		"hexadecimal rate":      {minimal[:len(minimal)-2] + ", rate: 0x10/s}\n", `"0x10/s" is not a rate such as 50/s`},
		"octal":                 {minimal[:len(minimal)-2] + ", concurrency: 010}\n", `"010" is not a whole number in plain digits`},
		"fraction":              {minimal[:len(minimal)-2] + ", concurrency: 1.5}\n", `"1.5" is not a whole number`},
		"duration":              {minimal[:len(minimal)-2] + ", timeout: 30}\n", `"30" is not a duration such as 30s`},
		"rate":                  {minimal[:len(minimal)-2] + ", rate: 50}\n", `"50" is not a rate such as 50/s`},
		"lengths":               {minimal[:len(minimal)-2] + ", lengths: short}\n", `load.lengths is adaptive or fixed, not "short"`},
		"lengths of a rate":     {minimal[:len(minimal)-2] + ", rate: 50/s, lengths: adaptive}\n", "lengths cannot be adaptive beside a rate"},
		"bounds of fixed ones":  {minimal[:len(minimal)-2] + ", measure: 200, most: 300}\n", "least, most and error are bounds of adaptive lengths"},
		"bounds alone":          {minimal[:len(minimal)-2] + ", error: 0.1}\n", "add lengths: adaptive"},
		"lengths of a measure":  {minimal[:len(minimal)-2] + ", measure: 10s, lengths: adaptive}\n", "lengths cannot be adaptive beside a rate"},
		"least above most":      {minimal[:len(minimal)-2] + ", lengths: adaptive, least: 300, most: 200}\n", "load.least must be at most load.most, 200"},
		"error of a whole":      {minimal[:len(minimal)-2] + ", lengths: adaptive, error: 3}\n", "load.error is a part of the throughput"},
		"signal":                {"batch: {command: [x], work: 1, stop: {signal: TREM}}\n", `"TREM" is not a signal's name`},
		"no work":               {"batch: {command: [x]}\n", "f.yaml:1:8: batch.work is missing"},
		"no workload":           {"study: a\n", "there is nothing to measure"},
		"two workloads":         {external + "batch: {command: [x], work: 1}\n", "more than one workload (batch, external)"},
		"load without server":   {external + "load: {requests: [GET /]}\n", "load goes with server, not with external"},
		"no port":               {"server: {command: [x]}\nload: {requests: [GET /]}\n", "f.yaml:1:19: server.command has no {port}"},
		"request":               {"server: {command: [x, \"{port}\"]}\nload: {requests: [/blog]}\n", `f.yaml:2:19: "/blog" is not a request such as GET /path`},
		"request path":          {"server: {command: [x, \"{port}\"]}\nload: {requests: [GET blog]}\n", `f.yaml:2:19: the path "blog" must begin with /`},
		"constraint":            {external + "constraints: [memory < 5]\n", `f.yaml:5:15: constraint "memory < 5" is not of the form`},
		"empty parameters":      {"external: {command: [x]}\nsearch: {parameters: {}}\n", "search.parameters is empty"},
		"no range":              {"external: {command: [x]}\nsearch: {parameters: {A: {min: 1}}}\n", "A needs min and max, or values"},
		"scale":                 {"external: {command: [x]}\nsearch: {parameters: {A: {min: 1, max: 2, scale: lin}}}\n", "scale is linear or log, not \"lin\""},
		"several documents":     {external + "---\nstudy: b\n", "one YAML document is expected"},
		"empty":                 {"\n", "the file is empty"},
		"a list":                {"- a\n", "f.yaml:1:1: a mapping (name: value) is expected here, not a sequence"},
		"study name":            {external + "study: a b\n", `f.yaml:5:8: "a b" is not a study's name`},
		"unfinished":            {"external: {command: [x\n", "f.yaml:1:"},
		"null command":          {"batch: {command: , work: 1}\n", "f.yaml:1:8: batch.command is missing"},
		"parameters not a map":  {"external: {command: [x]}\nsearch: {parameters: [A]}\n", "f.yaml:2:22: a mapping (name: value) is expected here"},
		"environment not a map": {"batch: {command: [x], work: 1, env: [A]}\n", "f.yaml:1:37: a mapping (name: value) is expected here"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.Parse("f.yaml", []byte(c.yaml))
			var located *config.Error
			if !errors.As(err, &located) {
				t.Fatalf("got %+v, %v; want a config.Error", got, err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}

func TestReadSaysHowToGetAFile(t *testing.T) {
	_, err := config.Read(filepath.Join(t.TempDir(), "gctune.yaml"))
	if err == nil || !strings.Contains(err.Error(), "gctune init") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(server)
	f.Add("external: {command: [./measure]}\nsearch: {parameters: {A: {min: 1, max: 9, default: 2}}}\n")
	f.Add("batch: {command: [x], work: 1, env: {A: &a b, C: *a}}\n")
	f.Fuzz(func(t *testing.T, source string) {
		c, err := config.Parse("f.yaml", []byte(source))
		var located *config.Error
		if err != nil && !errors.As(err, &located) {
			t.Errorf("%q: an error of another kind: %v", source, err)
		}
		if err == nil && c.Server == nil && c.Batch == nil && c.External == nil {
			t.Errorf("%q was accepted without a workload", source)
		}
	})
}
