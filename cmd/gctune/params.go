package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness/ruby"
	"github.com/gctune/gctune/studies/report"
)

func paramsCommand() *cli.Command {
	return &cli.Command{
		Name:  "params",
		Usage: "show the interpreter and each parameter that it takes",
		Description: `The interpreter itself is asked: what is listed was confirmed by it. Where the
configuration has a source in place of a ruby, the constants are listed that are
found in it.

Examples:
   gctune params
   gctune params --ruby /opt/ruby-3.3/bin/ruby
   gctune params --format json | jq '.parameters[].name'`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "ruby", Usage: "ask the interpreter at `PATH` (default: the configuration's, or the ruby on PATH)"},
			formatFlag("table or json"),
		},
		Action: showParams,
	}
}

func showParams(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if err := oneOf("--format", c.String("format"), "table", "json"); err != nil {
		return err
	}
	cfg, err := configurationOf(c)
	if err != nil {
		return err
	}
	if cfg != nil && cfg.Source != nil {
		return showConstants(c, cfg)
	}
	in, err := askedInterpreter(c, cfg)
	if err != nil {
		return err
	}
	support, err := ruby.Parameters(c.Context, in)
	var unsettable *ruby.UnsettableError
	if err != nil && !errors.As(err, &unsettable) {
		return err
	}
	support.Interpreter = in
	if c.String("format") == "json" {
		return writeJSON(c.App.Writer, paramsToJSON(support, unsettable))
	}
	return printParams(c, support, unsettable)
}

// configurationOf is the configuration that says which interpreter is meant:
// none where the command line says it, or where there is no configuration.
func configurationOf(c *cli.Context) (*config.Config, error) {
	if c.IsSet("ruby") {
		return nil, nil
	}
	if _, err := os.Stat(c.String("config")); err != nil && !c.IsSet("config") {
		return nil, nil
	}
	return readConfig(c)
}

// askedInterpreter is the interpreter given, or the configuration's, or the one
// on PATH.
func askedInterpreter(c *cli.Context, cfg *config.Config) (ruby.Interpreter, error) {
	switch {
	case c.IsSet("ruby"):
		return ruby.Probe(c.Context, c.String("ruby"))
	case cfg != nil:
		return configuredInterpreter(c.Context, cfg)
	}
	return ruby.Probe(c.Context, "ruby")
}

func printParams(c *cli.Context, s ruby.Support, unsettable *ruby.UnsettableError) error {
	w := c.App.Writer
	fmt.Fprintf(w, "%s\n%s\n", s.Interpreter.Description, s.Interpreter.Path)
	if s.Variant != "" {
		fmt.Fprintf(w, "recognised as: %s\n", s.Variant)
	}
	fmt.Fprintln(w)
	if unsettable != nil {
		fmt.Fprintf(w, "no parameter can be set: %s\n", unsettable.Reason)
		printDead(w, s.Dead)
		return nil
	}
	table := report.Table{Columns: []report.Column{
		{Name: "parameter", Title: "Parameter (environment variable)"},
		{Name: "default", Title: "Default"}, {Name: "bounds", Title: "Ruby takes", Width: 41},
		{Name: "searched", Title: "Searched", Width: 41}, {Name: "effect", Title: "A larger value", Width: 44},
	}}
	ranges := searchedRanges(s)
	for _, p := range s.Parameters {
		table.Rows = append(table.Rows, []any{p.Name, p.Default, p.Bounds.String(), ranges[p.Name], p.Effect})
	}
	if err := table.Write(w, report.Text); err != nil {
		return err
	}
	printDead(w, s.Dead)
	return nil
}

func printDead(w io.Writer, dead []ruby.Dead) {
	for _, d := range dead {
		fmt.Fprintf(w, "%s: %s\n", d.Name, d.Reason)
	}
}

func searchedRanges(s ruby.Support) map[string]string {
	ranges := map[string]string{}
	for _, p := range ruby.SearchSpace(s) {
		ranges[p.Name] = searchedText(p.Min, p.Max, p.AtLeast)
	}
	return ranges
}

func searchedText(least, most float64, atLeast string) string {
	text := number(least) + " to " + number(most)
	if atLeast != "" {
		text += ", from " + atLeast + " up"
	}
	return text
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

type paramsJSON struct {
	Ruby       string          `json:"ruby"`
	Path       string          `json:"path"`
	Version    string          `json:"version"`
	Variant    string          `json:"variant"`
	Settable   bool            `json:"settable"`
	Reason     string          `json:"reason,omitempty"`
	Parameters []parameterJSON `json:"parameters"`
	Dead       []deadJSON      `json:"dead"`
}

type parameterJSON struct {
	Name     string     `json:"name"`
	Default  string     `json:"default"`
	Unit     string     `json:"unit"`
	Bounds   string     `json:"bounds"`
	Searched *rangeJSON `json:"searched"`
	SetBy    string     `json:"set_by"`
	At       string     `json:"at,omitempty"`
	Effect   string     `json:"effect"`
	Note     string     `json:"note,omitempty"`
}

type rangeJSON struct {
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Scale   string  `json:"scale"`
	AtLeast string  `json:"at_least,omitempty"`
}

type deadJSON struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func paramsToJSON(s ruby.Support, unsettable *ruby.UnsettableError) paramsJSON {
	j := paramsJSON{
		Ruby: s.Interpreter.Description, Path: s.Interpreter.Path, Version: s.Interpreter.Version, Variant: s.Variant,
		Settable: unsettable == nil, Parameters: []parameterJSON{}, Dead: []deadJSON{},
	}
	if unsettable != nil {
		j.Reason = unsettable.Reason
	}
	ranges := map[string]*rangeJSON{}
	for _, p := range ruby.SearchSpace(s) {
		r := &rangeJSON{Min: p.Min, Max: p.Max, Scale: "linear", AtLeast: p.AtLeast}
		if p.Log {
			r.Scale = "log"
		}
		ranges[p.Name] = r
	}
	for _, p := range s.Parameters {
		j.Parameters = append(j.Parameters, parameterJSON{
			Name: p.Name, Default: p.Default, Unit: p.Unit, Bounds: p.Bounds.String(),
			Searched: ranges[p.Name], SetBy: "environment", Effect: p.Effect, Note: p.Note,
		})
	}
	for _, d := range s.Dead {
		j.Dead = append(j.Dead, deadJSON(d))
	}
	return j
}
