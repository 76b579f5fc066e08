package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/process"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/harness/ruby/source"
	"github.com/gctune/gctune/tuner/space"
)

// openSource reads the source tree. Nothing is built for it.
func (t *target) openSource(ctx context.Context, tell io.Writer) error {
	builder, err := openBuilder(ctx, t.config.Source, tell)
	if err != nil {
		return t.at(t.config.At("source"), err)
	}
	t.builder = builder
	if t.found, err = builder.Found(); err != nil {
		return t.at(t.config.At("source"), err)
	}
	return nil
}

// buildBase builds the interpreter as it is.
func (t *target) buildBase(ctx context.Context) error {
	built, err := t.builder.Build(ctx, nil)
	if err != nil {
		return fmt.Errorf("building %s: %w", t.config.Source.Dir, err)
	}
	defer built.Close()
	in, err := t.probeBuilt(ctx, built)
	if err != nil {
		return fmt.Errorf("building %s: %w", t.config.Source.Dir, err)
	}
	t.setBuilt(in)
	return nil
}

func (t *target) setBuilt(in ruby.Interpreter) {
	in.Description += ", built from " + string(t.config.Source.Dir)
	t.support = ruby.Support{Interpreter: in}
}

func sourceTree(s *config.Source) source.Tree {
	return source.Tree{Dir: string(s.Dir), Configure: s.Configure, Build: s.Build, Install: s.Install, Ruby: string(s.Ruby)}
}

// openBuilder opens the source tree, after ending what a killed gctune has left
// running in a build.
func openBuilder(ctx context.Context, s *config.Source, tell io.Writer) (*source.Builder, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding a place for built interpreters: %w", err)
	}
	left, err := process.SweepOnce()
	if err := tellLeft(tell, left, err); err != nil {
		return nil, err
	}
	return source.Open(ctx, sourceTree(s), source.Cache{Dir: filepath.Join(cache, "gctune", "builds")}, tellStages(s, tell))
}

// tellStages tells the stages of builds, and how long the last one took.
func tellStages(s *config.Source, tell io.Writer) func(source.Event) {
	var mu sync.Mutex
	last, since := source.Stage(""), time.Now()
	return func(e source.Event) {
		mu.Lock()
		defer mu.Unlock()
		took := ""
		if last != "" {
			took = fmt.Sprintf(" (%s took %s)", last, time.Since(since).Round(100*time.Millisecond))
		}
		last, since = e.Stage, time.Now()
		if e.Stage == source.Copying { // a new build: what was between was not one
			took = ""
		}
		fmt.Fprintf(tell, "%s: %s: %s%s\n", s.Dir, e.Stage, printable(e.Text), took)
	}
}

// probeBuilt asks an interpreter in its tree. Where the prefix that it was
// configured for has no library to use, it gets the tree's.
func (t *target) probeBuilt(ctx context.Context, built *source.Built) (ruby.Interpreter, error) {
	in, err := ruby.Probe(ctx, built.Ruby, built.Env...)
	if err == nil && in.Bare && len(built.LoadPath) > 0 {
		library := "RUBYLIB=" + strings.Join(built.LoadPath, ":")
		in, err = ruby.Probe(ctx, built.Ruby, append(slices.Clone(built.Env), library)...)
	}
	if err != nil && ctx.Err() == nil {
		return in, t.notRuby(built, err)
	}
	return in, err
}

// notRuby blames the build for what it has made.
func (t *target) notRuby(built *source.Built, err error) error {
	command := t.config.Source.Build
	if len(command) == 0 {
		command = config.Command{"make"}
	}
	return &source.BuildError{
		Stage: source.Building, Command: command, Unedited: len(built.Values) == 0,
		Status: fmt.Sprintf("ended well, but what it made does not work as a Ruby (%v); source.ruby of the configuration names what to take", err),
	}
}

// close gives free what the target holds.
func (t *target) close() error {
	if t.builder == nil {
		return nil
	}
	return t.builder.Close()
}

// prepare builds the interpreter of a setting.
func (t *target) prepare(ctx context.Context, setting map[string]string) (harness.Workload, func(), error) {
	built, err := t.builder.Build(ctx, setting)
	if err != nil {
		return nil, nil, err
	}
	in, err := t.probeBuilt(ctx, built)
	if err != nil {
		return nil, nil, errors.Join(err, built.Close())
	}
	_, workload := t.workloadOf(in)
	return workload, func() { _ = built.Close() }, nil
}

func (t *target) compiledParameters() []space.Parameter {
	var parameters []space.Parameter
	for _, place := range t.found.Places {
		if place.Parameter.Search != (source.Range{}) {
			parameters = append(parameters, placeParameter(place))
		}
	}
	return dropLostGroups(parameters)
}

func placeParameter(place source.Place) space.Parameter {
	p := place.Parameter
	parameter := space.Parameter{
		Name: p.Name, Kind: space.Int, Min: p.Search.Min, Max: p.Search.Max,
		Default: place.Default, Digits: 3, Above: p.AtLeast,
	}
	if p.Real {
		parameter.Kind = space.Float
	}
	if p.Search.Log {
		parameter.Scale = space.Log
	}
	return parameter
}

// compiledParameter is an entry of search.parameters that names a constant.
func (t *target) compiledParameter(r config.Range) (space.Parameter, error) {
	place, ok := t.found.Place(r.Name)
	if !ok {
		return space.Parameter{}, t.found.Check(map[string]string{r.Name: "1"})
	}
	parameter := placeParameter(place)
	for _, literal := range append([]config.Literal{r.Min, r.Max}, r.Values...) {
		if literal.Text == "" {
			continue
		}
		if err := t.found.Check(map[string]string{r.Name: literal.Text}); err != nil {
			return space.Parameter{}, t.at(literal.At, err)
		}
	}
	if r.Values != nil {
		return choice(r, parameter.Default), nil
	}
	for _, end := range []struct {
		text string
		to   *float64
	}{{r.Min.Text, &parameter.Min}, {r.Max.Text, &parameter.Max}} {
		if value, err := strconv.ParseFloat(end.text, 64); err == nil {
			*end.to = value
		}
	}
	if r.Scale != "" {
		parameter.Scale = scale(r.Scale)
	}
	return parameter, nil
}
