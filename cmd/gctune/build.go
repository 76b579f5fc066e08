package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness/ruby/source"
	"github.com/gctune/gctune/tuner/space"
)

func buildCommand() *cli.Command {
	return &cli.Command{
		Name:  "build",
		Usage: "make an interpreter with a setting compiled in, for use",
		Description: `For a configuration with a source in place of a ruby. The user's tree is copied
and stays as it is. With source.install the interpreter is configured anew for the
folder and installed there; the prefix in use is never written to.

Examples:
   gctune build --trial 17 --to /opt/ruby-tuned
   gctune build --best knee --to ~/ruby-tuned`,
		Flags: append(selectionFlags(),
			&cli.StringFlag{Name: "to", Usage: "install it into `PREFIX`, a folder that is absent or empty"},
			changesFlag("build although the source tree is not the one that the study measured")),
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
	if len(chosen.setting) == 0 {
		fmt.Fprintf(c.App.ErrWriter, "gctune: trial %d (%s) is the baseline: the interpreter is built as the tree is\n", chosen.trial, chosen.why)
	}
	builder, err := openBuilder(c.Context, cfg.Source, c.App.ErrWriter)
	if err != nil {
		return &config.Error{File: cfg.File, At: cfg.At("source"), Message: err.Error()}
	}
	defer builder.Close()
	if err := sameSource(c, s, cfg.Source, builder.Digest()); err != nil {
		return err
	}
	path, err := install(c, builder, chosen.setting)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s has %s compiled in\n", path, formatSetting(chosen.setting))
	return nil
}

// install refuses what it can before it builds.
func install(c *cli.Context, builder *source.Builder, setting space.Setting) (string, error) {
	if err := builder.Installable(c.String("to")); err != nil {
		return "", fmt.Errorf("--to: %w", err)
	}
	built, err := builder.Build(c.Context, setting)
	if err != nil {
		return "", err
	}
	defer built.Close()
	return builder.Install(c.Context, built, c.String("to"))
}

// sameSource refuses another tree than the one that a study measured: its setting
// was never tried there.
func sameSource(c *cli.Context, s *storedStudy, given *config.Source, digest string) error {
	measured, bySource := s.Fingerprint["source"]
	switch {
	case c.Bool("anyway") || measured == digest:
		return nil
	case !bySource:
		return usagef("study %s is not of a source tree but of %s: its settings are for `gctune export`. To go on in spite of it: --anyway", s.Name, s.definition.Ruby)
	}
	return usagef("study %s measured another source tree than %s is now (%s): it was changed or patched since, or the configuration names another. To go on in spite of it: --anyway",
		s.Name, given.Dir, s.definition.Ruby)
}
