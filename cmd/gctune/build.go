package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

func buildCommand() *cli.Command {
	return &cli.Command{
		Name:  "build",
		Usage: "make an interpreter with a setting compiled in, for use",
		Description: `For a configuration with a source in place of a ruby. The user's tree is copied
and stays as it is.

Examples:
   gctune build --trial 17 --to /opt/ruby-tuned
   gctune build --best knee --to ~/ruby-tuned`,
		Flags: append(selectionFlags(),
			&cli.StringFlag{Name: "to", Usage: "install it into `PREFIX`, a folder that is absent or empty"}),
		Action: buildInterpreter,
	}
}

func buildInterpreter(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	if c.String("to") == "" {
		return usagef("where to? --to PREFIX names a folder that is absent or empty")
	}
	way, err := onlyOne(c, "trial", "best", "max-memory")
	if err != nil {
		return err
	}
	cfg, err := readConfig(c)
	if err != nil {
		return err
	}
	if cfg.Source == nil {
		return usagef("%s has no source: only constants are compiled in; `gctune export` writes a setting for the environment", cfg.File)
	}
	s, err := readStudyNamed(c, string(cfg.Study))
	if err != nil {
		return err
	}
	chosen, err := s.fromStudy(c, way)
	if err != nil {
		return err
	}
	builder, err := openBuilder(c.Context, cfg.Source, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer builder.Close()
	built, err := builder.Build(c.Context, chosen.setting)
	if err != nil {
		return err
	}
	defer built.Close()
	path, err := builder.Install(c.Context, built, c.String("to"))
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s has %s compiled in\n", path, formatSetting(chosen.setting))
	return nil
}
