package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/harness/ruby/source"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/space"
)

// target is what the configuration asks to be tuned, ready to be measured.
type target struct {
	config *config.Config
	// support is what the interpreter takes; zero where no Ruby is involved.
	support ruby.Support
	// builder makes interpreters with constants compiled in, where the
	// configuration has a source in place of a ruby; else nil.
	builder    *source.Builder
	found      *source.Found
	definition tuner.Definition
	space      space.Space
	workload   harness.Workload
	// scrubbed are the variables that were kept from the program.
	scrubbed []string
	// tell shows a line to a person who waits.
	tell func(text string)
}

// usesRuby reports whether gctune itself has to know the interpreter.
func usesRuby(cfg *config.Config) bool { return cfg.External == nil || cfg.RubyGiven }

// newTarget probes the interpreter and builds the search space and the workload.
// It starts nothing but the interpreter itself, or its build, whose progress it
// tells. What can be checked without a build is checked before it, and so is the
// setting, unless it is nil. Close it.
func newTarget(ctx context.Context, cfg *config.Config, setting space.Setting, tell io.Writer) (*target, error) {
	t := &target{config: cfg, tell: linesTo(tell)}
	steps := []func() error{
		func() error { return t.findInterpreter(ctx, tell) },
		t.buildSpace,
		func() error { return t.checkSetting(setting) },
		t.checkLoad,
		func() error {
			if t.builder == nil {
				return nil
			}
			return t.buildBase(ctx)
		},
		t.buildWorkload,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	t.definition.Ruby = t.support.Interpreter.Description
	return t, nil
}

// linesTo tells each text in a line of its own.
func linesTo(w io.Writer) func(text string) {
	return func(text string) { fmt.Fprintln(w, text) }
}

// findInterpreter probes the interpreter, or opens its source tree.
func (t *target) findInterpreter(ctx context.Context, tell io.Writer) error {
	cfg := t.config
	if cfg.Source != nil {
		return t.openSource(ctx, tell)
	}
	if !usesRuby(cfg) {
		return nil
	}
	interpreter, err := configuredInterpreter(ctx, cfg)
	if err != nil {
		return err
	}
	t.support, err = ruby.Parameters(ctx, interpreter)
	return err
}

// configuredInterpreter is the one that the configuration names. Where it names
// none, a command that begins with the path of a Ruby says which one it uses:
// to measure that of PATH instead could only fail.
func configuredInterpreter(ctx context.Context, cfg *config.Config) (ruby.Interpreter, error) {
	if path := rubyOfCommand(cfg); path != "" && !cfg.RubyGiven {
		if in, err := ruby.Probe(ctx, path); err == nil || ctx.Err() != nil {
			return in, err
		}
	}
	return ruby.Probe(ctx, string(cfg.Ruby))
}

// rubyOfCommand is the program of the command where it is the path of something
// that is called a ruby, else "".
func rubyOfCommand(cfg *config.Config) string {
	command, dir := config.Command(nil), config.Text("")
	switch {
	case cfg.Server != nil:
		command, dir = cfg.Server.Command, cfg.Server.Dir
	case cfg.Batch != nil:
		command, dir = cfg.Batch.Command, cfg.Batch.Dir
	}
	if len(command) == 0 || !strings.Contains(command[0], "/") || !strings.HasPrefix(filepath.Base(command[0]), "ruby") {
		return ""
	}
	if filepath.IsAbs(command[0]) {
		return command[0]
	}
	return filepath.Join(string(dir), command[0])
}

func (t *target) buildSpace() error {
	parameters, err := t.parameters()
	if err != nil {
		return err
	}
	if t.space, err = space.New(parameters); err != nil {
		return &config.Error{File: t.config.File, Message: "search.parameters: " + err.Error()}
	}
	t.definition = tuner.Definition{
		Workload:    workloadKind(t.config),
		Objectives:  t.config.ObjectiveNames(),
		Constraints: t.config.Constraints,
		Parameters:  parameters,
	}
	t.definition.Baseline, t.definition.HasBaseline = t.baseline()
	for _, public := range t.publicSettings() {
		if t.space.Check(public) == nil {
			t.definition.Public = append(t.definition.Public, public)
		}
	}
	return nil
}

// baseline is the interpreter's own defaults; an external program's own
// parameters have the declared ones, and none of them may be missing.
func (t *target) baseline() (space.Setting, bool) {
	baseline := space.Setting{}
	if t.config.External == nil {
		return baseline, true
	}
	for i, p := range t.space.Parameters() {
		declared := p.Default
		if _, own := t.support.Parameter(p.Name); own { // Ruby knows its default best
			declared = (*t.config.Search.Parameters)[i].Default.Text
			if declared == "" {
				continue
			}
		}
		if declared == "" {
			return nil, false
		}
		baseline[p.Name] = declared
	}
	return baseline, true
}

func workloadKind(cfg *config.Config) string {
	switch {
	case cfg.Server != nil:
		return "server"
	case cfg.Batch != nil:
		return "batch"
	}
	return "external"
}

// parameters are those of the configuration, or else all that matter on the
// interpreter and that the configuration does not set to a fixed value.
func (t *target) parameters() ([]space.Parameter, error) {
	listed := t.config.Search.Parameters
	if listed == nil {
		return t.standardParameters()
	}
	var parameters []space.Parameter
	for _, r := range *listed {
		parameter, err := t.parameter(r)
		if err != nil {
			return nil, t.at(r.At, err)
		}
		parameters = append(parameters, parameter)
	}
	return dropLostGroups(parameters), nil
}

// at gives an error its place in the configuration.
func (t *target) at(at config.Position, err error) error {
	var located *config.Error
	if errors.As(err, &located) {
		return err
	}
	return &config.Error{File: t.config.File, At: at, Message: err.Error()}
}

func (t *target) publicSettings() []map[string]string {
	if t.builder != nil {
		return source.PublicSettings()
	}
	return ruby.PublicSettings(t.support)
}

func (t *target) standardParameters() ([]space.Parameter, error) {
	if t.builder != nil {
		return t.compiledParameters(), nil
	}
	var parameters []space.Parameter
	for _, p := range ruby.SearchSpace(t.support) {
		if _, fixed := t.variables()[p.Name]; !fixed {
			parameters = append(parameters, searchParameter(p))
		}
	}
	if len(parameters) == 0 {
		return nil, &config.Error{File: t.config.File, Message: "there is nothing to search: " + t.support.Interpreter.Description + " has no parameter left that the configuration does not fix"}
	}
	return dropLostGroups(parameters), nil
}

func (t *target) variables() config.TextMap {
	switch {
	case t.config.Server != nil:
		return t.config.Server.Env
	case t.config.Batch != nil:
		return t.config.Batch.Env
	}
	return t.config.External.Env
}

func searchParameter(p ruby.SearchParameter) space.Parameter {
	parameter := space.Parameter{
		Name: p.Name, Kind: space.Float, Min: p.Min, Max: p.Max, Default: p.Default,
		Digits: p.Digits, Step: p.Step, Above: p.AtLeast, Gap: p.Gap,
	}
	if p.Integer {
		parameter.Kind = space.Int
	}
	if p.Log {
		parameter.Scale = space.Log
	}
	return parameter
}

// dropLostGroups frees parameters from ones that are not searched with them.
func dropLostGroups(parameters []space.Parameter) []space.Parameter {
	seen := map[string]space.Kind{}
	for i := range parameters {
		p := &parameters[i]
		if kind, ok := seen[p.Above]; !ok || kind == space.Choice {
			p.Above, p.Gap = "", 0
		}
		seen[p.Name] = p.Kind
	}
	return parameters
}

// inherited is this process's environment without what would set a collector.
func (t *target) inherited() []string {
	kept, removed := ruby.Scrub(os.Environ())
	t.scrubbed = removed
	return kept
}
