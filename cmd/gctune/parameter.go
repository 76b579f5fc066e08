package main

import (
	"fmt"
	"strings"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/tuner/space"
)

// parameter builds one dimension from an entry of search.parameters.
func (t *target) parameter(r config.Range) (space.Parameter, error) {
	if _, fixed := t.variables()[r.Name]; fixed {
		return space.Parameter{}, fmt.Errorf("%s is searched, but env sets it to a fixed value: remove one of the two", r.Name)
	}
	if t.builder != nil {
		return t.compiledParameter(r)
	}
	if t.config.External != nil && !ruby.IsGCVariable(r.Name) || !usesRuby(t.config) {
		return ownParameter(r)
	}
	return t.rubyParameter(r)
}

// rubyParameter starts from what is known of the parameter, and checks each
// given value as the interpreter would.
func (t *target) rubyParameter(r config.Range) (space.Parameter, error) {
	known, err := t.knownParameter(r.Name)
	if err != nil {
		return space.Parameter{}, err
	}
	for _, literal := range append([]config.Literal{r.Min, r.Max, r.Default}, r.Values...) {
		if literal.Text == "" {
			continue
		}
		if err := ruby.CheckValue(known, literal.Text); err != nil {
			return space.Parameter{}, t.at(literal.At, err)
		}
	}
	parameter := t.standardRange(known)
	if r.Values != nil {
		return choice(r, parameter.Default), nil
	}
	if err := t.narrow(&parameter, r); err != nil {
		return space.Parameter{}, err
	}
	if known.Search == nil && (r.Min.Text == "" || r.Max.Text == "") {
		return space.Parameter{}, fmt.Errorf("%s has no usual range, as it seldom matters: give min and max", r.Name)
	}
	return parameter, nil
}

func (t *target) knownParameter(name string) (ruby.Parameter, error) {
	if known, ok := t.support.Parameter(name); ok {
		return known, nil
	}
	description := t.support.Interpreter.Description
	for _, dead := range t.support.Dead {
		if dead.Name == name {
			return ruby.Parameter{}, fmt.Errorf("%s has no effect on %s: %s", name, description, dead.Reason)
		}
	}
	var names []string
	for _, p := range t.support.Parameters {
		names = append(names, p.Name)
	}
	if near := config.Nearest(name, names); near != "" {
		return ruby.Parameter{}, fmt.Errorf("%s does not know %s: did you mean %s? (`gctune params` lists all)", description, name, near)
	}
	return ruby.Parameter{}, fmt.Errorf("%s does not know %s (`gctune params` lists all that it takes)", description, name)
}

func (t *target) standardRange(known ruby.Parameter) space.Parameter {
	for _, p := range ruby.SearchSpace(t.support) {
		if p.Name == known.Name {
			return searchParameter(p)
		}
	}
	parameter := space.Parameter{Name: known.Name, Kind: space.Float, Default: known.Default}
	if known.Kind == ruby.Size {
		parameter.Kind, parameter.Scale = space.Int, space.Log
	}
	return parameter
}

// narrow puts the given ends and scale in place of the usual ones. A range of
// the user's own is searched as finely as it was written.
func (t *target) narrow(p *space.Parameter, r config.Range) error {
	known, _ := t.support.Parameter(p.Name)
	for _, end := range []struct {
		literal config.Literal
		to      *float64
	}{{r.Min, &p.Min}, {r.Max, &p.Max}} {
		if end.literal.Text == "" {
			continue
		}
		value, _, err := ruby.ParseValue(known, end.literal.Text)
		if err != nil {
			return t.at(end.literal.At, err)
		}
		*end.to = value
	}
	if r.Type != "" && (r.Type == "float") != (p.Kind == space.Float) {
		return fmt.Errorf("%s: type %s does not go with it: leave type out", p.Name, r.Type)
	}
	if r.Scale != "" {
		p.Scale = scale(r.Scale)
	}
	if p.Min >= p.Max {
		return fmt.Errorf("%s: min %v is not below max %v", p.Name, p.Min, p.Max)
	}
	if r.Default.Text != "" {
		p.Default = r.Default.Text
	}
	return nil
}

func scale(text config.Text) space.Scale {
	if text == "log" {
		return space.Log
	}
	return space.Linear
}

// choice searches the values given. The interpreter's own default counts as one
// of them only where it is.
func choice(r config.Range, standard string) space.Parameter {
	parameter := space.Parameter{Name: r.Name, Kind: space.Choice, Default: r.Default.Text}
	for _, v := range r.Values {
		parameter.Values = append(parameter.Values, v.Text)
		if v.Text == standard && r.Default.Text == "" {
			parameter.Default = v.Text
		}
	}
	return parameter
}

// ownParameter is one of the user's own, for a program of the user's own.
func ownParameter(r config.Range) (space.Parameter, error) {
	if r.Values != nil {
		return choice(r, ""), nil
	}
	parameter := space.Parameter{Name: r.Name, Kind: ownKind(r), Scale: scale(r.Scale), Default: r.Default.Text}
	for _, end := range []struct {
		literal config.Literal
		to      *float64
	}{{r.Min, &parameter.Min}, {r.Max, &parameter.Max}} {
		value, err := space.ParseNumber(parameter.Kind, end.literal.Text)
		if err != nil {
			return space.Parameter{}, fmt.Errorf("%s: %w", r.Name, err)
		}
		*end.to = value
	}
	return parameter, nil
}

// ownKind takes a parameter for an integer when nothing about it is fractional.
func ownKind(r config.Range) space.Kind {
	switch r.Type {
	case "int":
		return space.Int
	case "float":
		return space.Float
	}
	if strings.Contains(r.Min.Text+r.Max.Text+r.Default.Text, ".") {
		return space.Float
	}
	return space.Int
}
