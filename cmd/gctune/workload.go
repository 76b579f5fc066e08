package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/load"
	"github.com/gctune/gctune/harness/process"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/tuner/space"
)

// buildWorkload makes what measures a setting.
func (t *target) buildWorkload() error {
	program, workload := t.workloadOf(t.support.Interpreter)
	if err := program.Check(); err != nil {
		return &config.Error{File: t.config.File, At: t.config.At(workloadKind(t.config) + ".command"), Message: err.Error()}
	}
	if t.builder == nil {
		t.workload = workload
	} else {
		t.workload = &harness.Compiled{Prepare: t.prepare}
	}
	return nil
}

// checkLoad needs no interpreter.
func (t *target) checkLoad() error {
	if t.config.Server == nil {
		return nil
	}
	return checkPlan(t.config)
}

// workloadOf is the configured workload on an interpreter.
func (t *target) workloadOf(in ruby.Interpreter) (harness.Program, harness.Workload) {
	cfg := t.config
	switch {
	case cfg.Server != nil:
		server := t.server(in)
		return server.Program, server
	case cfg.Batch != nil:
		program := t.program(cfg.Batch.Command, cfg.Batch.Dir, cfg.Batch.Stop, in)
		return program, &harness.Batch{
			Program: program,
			Work:    float64(cfg.Batch.Work),
			Timeout: time.Duration(cfg.Batch.Timeout),
		}
	}
	program := t.program(cfg.External.Command, cfg.External.Dir, cfg.External.Stop, in)
	return program, &harness.External{
		Program: program,
		Timeout: time.Duration(cfg.External.Timeout),
		Encode:  func(setting map[string]string) ([]byte, error) { return json.Marshal(space.Setting(setting)) },
	}
}

func (t *target) server(in ruby.Interpreter) *harness.Server {
	cfg := t.config
	return &harness.Server{
		Program:      t.program(cfg.Server.Command, cfg.Server.Dir, cfg.Server.Stop, in),
		Ready:        load.Request{Method: "GET", Path: string(cfg.Server.Ready.Path), Headers: cfg.Load.Headers, Expect: load.Expect{Status: int(cfg.Server.Ready.Status)}},
		ReadyTimeout: time.Duration(cfg.Server.Ready.Timeout),
		Tell:         func(text string) { t.tell(text) },
		Plan:         plan(cfg.Load),
		Warmup:       cfg.Load.Warmup.Requests,
		Window:       harness.Window(cfg.Load.Measure),
		Isolation:    isolation(string(cfg.Load.Isolate), process.Cores()),
	}
}

func (t *target) program(command config.Command, dir config.Text, stop config.StopRule, in ruby.Interpreter) harness.Program {
	return harness.Program{
		Command:       command,
		Dir:           string(dir),
		Inherited:     t.inherited(),
		Variables:     t.variables(),
		MemoryCeiling: memoryCeiling(),
		Stop:          harness.Stop{Signal: syscall.Signal(stop.Signal), Grace: time.Duration(stop.Grace)},
		Interpreter:   in,
	}
}

// checkPlan has the load driver judge its plan before a study is begun.
func checkPlan(cfg *config.Config) error {
	p := plan(cfg.Load)
	p.Target = "http://127.0.0.1:1" // the port comes with each run
	driver, err := load.New(p)
	if err != nil {
		return &config.Error{File: cfg.File, At: cfg.At("load.requests"), Message: err.Error()}
	}
	driver.Close()
	return nil
}

func plan(l *config.Load) load.Plan {
	p := load.Plan{
		Headers:     l.Headers,
		Concurrency: int(l.Concurrency),
		Rate:        float64(l.Rate),
		Timeout:     time.Duration(l.Timeout),
	}
	for _, r := range l.Requests {
		p.Requests = append(p.Requests, load.Request{
			Method: string(r.Method), Path: string(r.Path), Weight: int(r.Weight), Headers: r.Headers, Body: string(r.Body),
			Expect: load.Expect{Status: int(r.Expect.Status), Contains: string(r.Expect.Contains)},
		})
	}
	return p
}

// memoryShare of what the machine has available is all that a program under
// test may take: a setting that asks for more must not take the machine down.
const memoryShare = 0.8

// memoryCeiling is 0, no ceiling, where the available memory cannot be read.
func memoryCeiling() int64 {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	info, err := fs.Meminfo()
	if err != nil || info.MemAvailableBytes == nil {
		return 0
	}
	available := int64(*info.MemAvailableBytes)
	if limit := process.MemoryLimit(); limit > 0 {
		available = min(available, limit)
	}
	return int64(memoryShare * float64(available))
}

// machineMemory is all that a program can have, in bytes; 0 where it cannot be read.
func machineMemory() float64 {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	info, err := fs.Meminfo()
	if err != nil || info.MemTotalBytes == nil {
		return 0
	}
	memory := *info.MemTotalBytes
	if limit := process.MemoryLimit(); limit > 0 {
		memory = min(memory, uint64(limit))
	}
	return float64(memory)
}

// outputDirectory holds the output of the measured programs, beside the store.
func outputDirectory(store, study string) (string, error) {
	dir := filepath.Join(filepath.Dir(store), "gctune-output", study)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a directory for the program's output: %w", err)
	}
	return filepath.Abs(dir)
}
