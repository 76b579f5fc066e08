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

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/harness/ruby/source"
	"github.com/gctune/gctune/tuner/space"
)

// openSource reads the source tree and builds the interpreter as it is.
func (t *target) openSource(ctx context.Context, tell io.Writer) error {
	builder, err := openBuilder(ctx, t.config.Source, tell)
	if err != nil {
		return t.at(t.config.At("source"), err)
	}
	t.builder = builder
	if t.found, err = builder.Found(); err != nil {
		return t.at(t.config.At("source"), err)
	}
	built, err := builder.Build(ctx, nil)
	if err != nil {
		return fmt.Errorf("building %s: %w", t.config.Source.Dir, err)
	}
	defer built.Close()
	in, err := probeBuilt(ctx, built)
	if err != nil {
		return err
	}
	in.Description += ", built from " + string(t.config.Source.Dir)
	t.support = ruby.Support{Interpreter: in}
	return nil
}

func sourceTree(s *config.Source) source.Tree {
	return source.Tree{Dir: string(s.Dir), Configure: s.Configure, Build: s.Build, Install: s.Install, Ruby: string(s.Ruby)}
}

func openBuilder(ctx context.Context, s *config.Source, tell io.Writer) (*source.Builder, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding a place for built interpreters: %w", err)
	}
	last := source.Stage("")
	return source.Open(ctx, sourceTree(s), source.Cache{Dir: filepath.Join(cache, "gctune", "builds")}, func(e source.Event) {
		if e.Stage != last { // each line of a build's output would be too much
			fmt.Fprintf(tell, "%s: %s\n", s.Dir, e.Stage)
			last = e.Stage
		}
	})
}

// probeBuilt asks an interpreter in its tree. Where the prefix that it was
// configured for has no library to use, it gets the tree's.
func probeBuilt(ctx context.Context, built *source.Built) (ruby.Interpreter, error) {
	in, err := ruby.Probe(ctx, built.Ruby, built.Env...)
	if err != nil || !in.Bare || len(built.LoadPath) == 0 {
		return in, err
	}
	library := "RUBYLIB=" + strings.Join(built.LoadPath, ":")
	return ruby.Probe(ctx, built.Ruby, append(slices.Clone(built.Env), library)...)
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
	in, err := probeBuilt(ctx, built)
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
