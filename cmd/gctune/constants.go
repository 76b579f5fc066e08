package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness/ruby/source"
	"github.com/gctune/gctune/studies/report"
)

// showConstants shows what can be compiled into the interpreter of a source
// tree. Nothing is built for it.
func showConstants(c *cli.Context, cfg *config.Config) error {
	found, err := sourceTree(cfg.Source).Scan()
	j, ok := constantsToJSON(string(cfg.Source.Dir), found, err)
	if !ok {
		return &config.Error{File: cfg.File, At: cfg.At("source"), Message: err.Error()}
	}
	if c.String("format") == "json" {
		return writeJSON(c.App.Writer, j)
	}
	return printConstants(c.App.Writer, j)
}

// constantsToJSON describes a tree; it returns false for what is none.
func constantsToJSON(dir string, found *source.Found, err error) (paramsJSON, bool) {
	j := paramsJSON{Ruby: "source tree " + dir, Path: dir, Settable: err == nil, Parameters: []parameterJSON{}, Dead: []deadJSON{}}
	var byEnvironment *source.EnvironmentError
	var notFound *source.NotFoundError
	switch {
	case errors.As(err, &byEnvironment):
		j.Reason = err.Error() + ". Build the tree once, and give the interpreter as `ruby`"
		return j, true
	case errors.As(err, &notFound):
		j.Reason = "none of the constants was found"
		j.Dead = missingToJSON(notFound.Missing)
		return j, true
	case err != nil:
		return j, false
	}
	for _, place := range found.Places {
		j.Parameters = append(j.Parameters, constantToJSON(found, place))
	}
	j.Dead = missingToJSON(found.Missing)
	return j, true
}

func constantToJSON(found *source.Found, place source.Place) parameterJSON {
	p := place.Parameter
	j := parameterJSON{
		Name: p.Name, Default: place.Default, Unit: p.Unit, Bounds: found.Bounds(p), SetBy: "source",
		At: fmt.Sprintf("%s:%d", place.File, place.Line), Effect: p.Effect,
	}
	if place.Default == "" {
		j.Note = "now: " + place.Text
	}
	if p.Search != (source.Range{}) {
		j.Searched = &rangeJSON{Min: p.Search.Min, Max: p.Search.Max, Scale: "linear", AtLeast: p.AtLeast}
		if p.Search.Log {
			j.Searched.Scale = "log"
		}
	}
	return j
}

func missingToJSON(missing []source.Missing) []deadJSON {
	dead := []deadJSON{}
	for _, m := range missing {
		dead = append(dead, deadJSON{m.Name, fmt.Sprintf("looked in %s for %s: %s", m.File, m.LookedFor, m.Reason)})
	}
	return dead
}

func printConstants(w io.Writer, j paramsJSON) error {
	fmt.Fprintf(w, "%s\n\n", j.Ruby)
	if !j.Settable {
		fmt.Fprintf(w, "no parameter can be set: %s\n", j.Reason)
	}
	table := report.Table{Columns: []report.Column{
		{Name: "parameter", Title: "Parameter (constant)"}, {Name: "at", Title: "Found at"},
		{Name: "default", Title: "Default"}, {Name: "bounds", Title: "It takes", Width: 41},
		{Name: "searched", Title: "Searched", Width: 41}, {Name: "effect", Title: "A larger value", Width: 44},
	}}
	for _, p := range j.Parameters {
		standard, searched := p.Default, ""
		if standard == "" {
			standard = p.Note
		}
		if p.Searched != nil {
			searched = searchedText(p.Searched.Min, p.Searched.Max, p.Searched.AtLeast)
		}
		table.Rows = append(table.Rows, []any{p.Name, p.At, standard, p.Bounds, searched, p.Effect})
	}
	if len(table.Rows) > 0 {
		if err := table.Write(w, report.Text); err != nil {
			return err
		}
	}
	for _, d := range j.Dead {
		fmt.Fprintf(w, "%s: %s\n", d.Name, d.Reason)
	}
	return nil
}
