package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "look at an application and write a gctune.yaml for it",
		ArgsUsage: "[DIR]",
		Description: `Looks for Gemfile.lock, config.ru, config/puma.rb, Procfile and bin/rails, and
never overwrites a file. Look through what it writes, then run gctune doctor.

Examples:
   gctune init
   gctune init ~/src/blog`,
		Action: initialise,
	}
}

func initialise(c *cli.Context) error {
	if err := noArguments(c, 1); err != nil {
		return err
	}
	dir := "."
	if c.NArg() == 1 {
		dir = c.Args().First()
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("there is no directory %s", dir)
	}
	app, err := inspect(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "gctune.yaml")
	if c.IsSet("config") {
		path = c.String("config")
	}
	text, err := app.configurationAt(path)
	if err != nil {
		return err
	}
	if err := writeNew(path, text); err != nil {
		return err
	}
	for _, found := range app.found {
		fmt.Fprintln(c.App.ErrWriter, "found "+found)
	}
	fmt.Fprintf(c.App.Writer, "%s is written: look through it, then run `gctune doctor --config %s`\n", path, path)
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		fmt.Fprintln(c.App.ErrWriter, "gctune.db and gctune-output/, which studies leave here, are best ignored by git")
	}
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s exists already and is left as it is: move it away, or name another with --config", path)
	}
	if err != nil {
		return usagef("writing the configuration: %v", err)
	}
	if _, err := file.WriteString(text); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), file.Close(), os.Remove(path))
	}
	return file.Close()
}
