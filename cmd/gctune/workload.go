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
	"github.com/gctune/gctune/tuner/space"
)

// buildWorkload makes what measures a setting.
func (t *target) buildWorkload() error {
	cfg := t.config
	switch {
	case cfg.Server != nil:
		if err := checkPlan(cfg); err != nil {
			return err
		}
		t.workload = &harness.Server{
			Program:      t.program(cfg.Server.Command, cfg.Server.Dir, cfg.Server.Env, cfg.Server.Stop),
			Ready:        load.Request{Method: "GET", Path: string(cfg.Server.Ready.Path), Headers: cfg.Load.Headers, Expect: load.Expect{Status: int(cfg.Server.Ready.Status)}},
			ReadyTimeout: time.Duration(cfg.Server.Ready.Timeout),
			Plan:         plan(cfg.Load),
			Warmup:       cfg.Load.Warmup.Requests,
			Window:       harness.Window(cfg.Load.Measure),
		}
	case cfg.Batch != nil:
		t.workload = &harness.Batch{
			Program: t.program(cfg.Batch.Command, cfg.Batch.Dir, cfg.Batch.Env, cfg.Batch.Stop),
			Work:    float64(cfg.Batch.Work),
			Timeout: time.Duration(cfg.Batch.Timeout),
		}
	default:
		t.workload = &harness.External{
			Program: t.program(cfg.External.Command, cfg.External.Dir, cfg.External.Env, cfg.External.Stop),
			Timeout: time.Duration(cfg.External.Timeout),
			Encode:  func(setting map[string]string) ([]byte, error) { return json.Marshal(space.Setting(setting)) },
		}
	}
	return t.checkCommand()
}

func (t *target) program(command config.Command, dir config.Text, variables config.TextMap, stop config.StopRule) harness.Program {
	return harness.Program{
		Command:       command,
		Dir:           string(dir),
		Inherited:     t.inherited(),
		Variables:     variables,
		MemoryCeiling: memoryCeiling(),
		Stop:          harness.Stop{Signal: syscall.Signal(stop.Signal), Grace: time.Duration(stop.Grace)},
		Interpreter:   t.support.Interpreter,
	}
}

// checkCommand refuses a command that cannot be started before anything is.
func (t *target) checkCommand() error {
	var program harness.Program
	switch w := t.workload.(type) {
	case *harness.Server:
		program = w.Program
	case *harness.Batch:
		program = w.Program
	case *harness.External:
		program = w.Program
	}
	if err := program.Check(); err != nil {
		return &config.Error{File: t.config.File, At: t.config.At(workloadKind(t.config) + ".command"), Message: err.Error()}
	}
	return nil
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

// outputDirectory holds the output of the measured programs, beside the store.
func outputDirectory(store, study string) (string, error) {
	dir := filepath.Join(filepath.Dir(store), "gctune-output", study)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a directory for the program's output: %w", err)
	}
	return filepath.Abs(dir)
}
