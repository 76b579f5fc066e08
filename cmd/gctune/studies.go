package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner/space"
)

func studiesCommand() *cli.Command {
	return &cli.Command{
		Name:  "studies",
		Usage: "list, show, delete, and copy studies to and from a file",
		Description: `Examples:
   gctune studies list
   gctune studies show blog
   gctune studies copy --to blog.json blog
   gctune studies copy --from blog.json --as blog-at-work
   gctune studies delete blog`,
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the studies of the store",
				Flags: []cli.Flag{formatFlag("table, json, csv or markdown")}, Action: listStudies,
			},
			{
				Name: "show", Usage: "show what a study is about", ArgsUsage: "[NAME]",
				Flags: []cli.Flag{formatFlag("table or json")}, Action: showStudy,
			},
			{
				Name: "delete", Usage: "delete a study with all its trials", ArgsUsage: "NAME", Action: deleteStudy,
			},
			{
				Name: "copy", Usage: "copy a study to or from a file", ArgsUsage: "[NAME]",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "to", Usage: "write the study NAME to `FILE` (- is standard output)"},
					&cli.StringFlag{Name: "from", Usage: "read a study from `FILE` (- is standard input)"},
					&cli.StringFlag{Name: "as", Usage: "give the study that is read another `NAME`"},
				},
				Action: copyStudy,
			},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return unknownName(c.Args().First(), c.Command.Subcommands)
			}
			return usagef("studies needs one of list, show, delete, copy (see `gctune studies --help`)")
		},
	}
}

func listStudies(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	format, err := tableFormat(c)
	if err != nil {
		return err
	}
	store, err := studies.OpenReadOnly(c.Context, c.String("store"))
	if err != nil {
		return err
	}
	defer store.Close()
	all, err := store.Studies(c.Context)
	if err != nil {
		return err
	}
	table := report.Table{Columns: []report.Column{
		{Name: "study", Title: "Study"}, {Name: "created", Title: "Created"},
		{Name: "trials", Title: "Trials"}, {Name: "front", Title: "Front"}, {Name: "ruby", Title: "Ruby"},
	}}
	for _, one := range all {
		s, err := loadStudy(c.Context, store, one.Name)
		if err != nil {
			return err
		}
		table.Rows = append(table.Rows, []any{s.Name, s.Created.Format(time.RFC3339), len(s.trials), len(s.front()), s.definition.Ruby})
	}
	return table.Write(c.App.Writer, format)
}

func showStudy(c *cli.Context) error {
	if err := nameArgument(c); err != nil {
		return err
	}
	if err := oneOf("--format", c.String("format"), "table", "json"); err != nil {
		return err
	}
	s, err := readStudy(c)
	if err != nil {
		return err
	}
	if c.String("format") == "json" {
		return writeJSON(c.App.Writer, s.Study)
	}
	return describe(c.App.Writer, s)
}

// describe writes what a study is about, for people. Facts in JSON are left to
// the JSON form.
func describe(w io.Writer, s *storedStudy) error {
	var text strings.Builder
	fmt.Fprintf(&text, "study    %s\ncreated  %s\nseed     %d\nsampler  %s\ntrials   %d\nreplays  %d\n\nmeasured with\n",
		s.Name, s.Created.Format(time.RFC3339), s.Seed, s.Sampler, len(s.trials), len(s.replays))
	for _, name := range slices.Sorted(maps.Keys(s.Fingerprint)) {
		if value := s.Fingerprint[name]; !json.Valid([]byte(value)) || len(value) < 40 {
			fmt.Fprintf(&text, "  %-20s %s\n", name, value)
		}
	}
	fmt.Fprintf(&text, "\nsearched\n")
	for _, p := range s.definition.Parameters {
		fmt.Fprintf(&text, "  %s\n", describeParameter(p))
	}
	fmt.Fprintf(&text, "\nconfiguration\n%s", indent(s.Config))
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("writing the study: %w", err)
	}
	return nil
}

func describeParameter(p space.Parameter) string {
	if p.Kind == space.Choice {
		return p.Name + ": " + strings.Join(p.Values, ", ")
	}
	return fmt.Sprintf("%s: %s to %s", p.Name, number(p.Min), number(p.Max))
}

func indent(text string) string {
	var indented strings.Builder
	for line := range strings.Lines(text) {
		indented.WriteString("  " + line)
	}
	return indented.String()
}

// nameArgument takes the study's name from the argument, if there is one.
func nameArgument(c *cli.Context) error {
	if err := noArguments(c, 1); err != nil || c.NArg() == 0 {
		return err
	}
	return c.Set("study", c.Args().First())
}

func deleteStudy(c *cli.Context) error {
	if err := noArguments(c, 1); err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("which study? gctune studies delete NAME")
	}
	store, err := openExisting(c)
	if err != nil {
		return err
	}
	defer store.Close()
	name := c.Args().First()
	if err := store.DeleteStudy(c.Context, name, ownerAlive); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "study %s is deleted\n", name)
	return nil
}

// openExisting opens a store for writing without making one.
func openExisting(c *cli.Context) (*studies.Store, error) {
	path := c.String("store")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("store %s: %w", path, studies.ErrNotFound)
	}
	return studies.Open(c.Context, path)
}

func copyStudy(c *cli.Context) error {
	way, err := onlyOne(c, "to", "from")
	if err != nil {
		return err
	}
	switch way {
	case "to":
		if err := nameArgument(c); err != nil {
			return err
		}
		return copyTo(c, c.String("to"))
	case "from":
		if err := noArguments(c, 0); err != nil {
			return err
		}
		return copyFrom(c, c.String("from"))
	}
	return usagef("copy needs --to FILE or --from FILE (see `gctune studies copy --help`)")
}

func copyTo(c *cli.Context, path string) error {
	store, err := studies.OpenReadOnly(c.Context, c.String("store"))
	if err != nil {
		return err
	}
	defer store.Close()
	name, err := studyName(c, store)
	if err != nil {
		return err
	}
	if path == "-" {
		return store.Export(c.Context, name, c.App.Writer)
	}
	if err := writeWhole(path, func(w io.Writer) error { return store.Export(c.Context, name, w) }); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "study %s is copied into %s\n", name, path)
	return nil
}

func copyFrom(c *cli.Context, path string) error {
	in := io.Reader(os.Stdin)
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return usagef("reading a study: %v", err)
		}
		defer file.Close()
		in = file
	}
	store, err := studies.Open(c.Context, c.String("store"))
	if err != nil {
		return err
	}
	defer store.Close()
	study, err := store.Import(context.WithoutCancel(c.Context), in, c.String("as"))
	if errors.Is(err, studies.ErrExists) {
		return fmt.Errorf("%w: --as NAME gives it another name", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "study %s is copied into %s\n", study.Name, c.String("store"))
	return nil
}
