package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
)

// version is set by the linker in releases.
var version = "development"

// run is the whole program: it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, release := interruptible(stderr)
	defer release()
	err := newApp(stdout, stderr).RunContext(ctx, args)
	if interrupted(ctx, err) && !errors.Is(err, errInterrupted) {
		err = fmt.Errorf("%w: %w", errInterrupted, err)
	}
	if unread(err) {
		return exitUnread
	}
	if err != nil {
		fmt.Fprintln(stderr, "gctune: "+err.Error())
	}
	return exitCode(err)
}

// unread reports whether whoever read our standard output has gone away, as `head`
// does when it has seen enough: nothing went wrong, and nobody is to be told.
func unread(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && path.Path == os.Stdout.Name() && errors.Is(path.Err, syscall.EPIPE)
}

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:      "gctune",
		Usage:     "finds the best garbage-collector settings for a Ruby application",
		Version:   version,
		Writer:    stdout,
		ErrWriter: stderr,
		Suggest:   true,
		// A value may have commas in it.
		DisableSliceFlagSeparator: true,
		Description: `Describe your application in gctune.yaml (gctune init writes a first one), then:

   gctune doctor                        # does every link work, and how noisy is this machine?
   gctune optimize --budget 50          # measure the defaults and 49 other settings
   gctune pareto --plot                 # the settings that no other beats
   gctune importance                    # which parameters matter
   gctune explain                       # what the heap does, and what a setting would do
   gctune replay --best knee            # measure one again, paired with the defaults
   gctune export --best knee --format env > gc.env`,
		Commands: []*cli.Command{
			initCommand(), paramsCommand(), doctorCommand(), optimizeCommand(), paretoCommand(),
			importanceCommand(), explainCommand(), trialsCommand(), studiesCommand(), replayCommand(), exportCommand(), compareCommand(), buildCommand(),
		},
		Action:         unknownCommand,
		ExitErrHandler: func(*cli.Context, error) {}, // run prints and counts once
		OnUsageError:   onUsageError,
	}
	prepareCommands(app.Commands)
	return app
}

// prepareCommands gives every command what all have in common.
func prepareCommands(commands []*cli.Command) {
	for _, command := range commands {
		command.OnUsageError = onUsageError
		command.Flags = append(command.Flags, commonFlags()...)
		command.HideHelpCommand = true
		prepareCommands(command.Subcommands)
	}
}

func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "config", Value: "gctune.yaml", Usage: "read the configuration from `FILE`"},
		&cli.StringFlag{Name: "store", Value: "gctune.db", Usage: "keep studies in `FILE`"},
		&cli.StringFlag{Name: "study", Usage: "work on the study `NAME` instead of the configuration's"},
	}
}

// usageError is a wrong command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	message := err.Error()
	if name, undefined := strings.CutPrefix(message, "flag provided but not defined: -"); undefined {
		message = fmt.Sprintf("unknown flag --%s", name)
		if near := config.Nearest(name, flagNames(c)); near != "" {
			message += fmt.Sprintf(": did you mean --%s?", near)
		}
	}
	if value, flag, invalid := strings.Cut(strings.TrimPrefix(message, "invalid value "), " for flag -"); invalid {
		name, why, _ := strings.Cut(flag, ": ")
		if wanted := wantedOf(c, name); wanted != "" && why == "parse error" {
			why = wanted
		}
		message = fmt.Sprintf("--%s: %s is no valid value (%s)", name, value, why)
	}
	return usagef("%s (see `%s --help`)", message, helpName(c))
}

// wantedOf says what a flag takes, in place of what a parser says of what it got.
func wantedOf(c *cli.Context, name string) string {
	for _, flag := range c.Command.Flags {
		if !slices.Contains(flag.Names(), name) {
			continue
		}
		switch flag.(type) {
		case *cli.IntFlag, *cli.Int64Flag:
			return "a whole number is expected"
		case *cli.UintFlag, *cli.Uint64Flag:
			return "a whole number from 0 up is expected"
		case *cli.Float64Flag:
			return "a number is expected"
		case *cli.DurationFlag:
			return "a duration such as 90s or 10m is expected"
		case *cli.BoolFlag:
			return "the flag takes no value"
		}
	}
	return ""
}

func flagNames(c *cli.Context) []string {
	var names []string
	for _, flag := range c.Command.Flags {
		names = append(names, flag.Names()...)
	}
	return names
}

func helpName(c *cli.Context) string {
	if c.Command != nil && c.Command.HelpName != "" {
		return c.Command.HelpName
	}
	return "gctune"
}

// unknownCommand runs when no command of that name exists.
func unknownCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		return cli.ShowAppHelp(c)
	}
	return unknownName(c.Args().First(), c.App.Commands)
}

func unknownName(typed string, commands []*cli.Command) error {
	var names []string
	for _, command := range commands {
		names = append(names, command.Name)
	}
	if near := config.Nearest(typed, names); near != "" {
		return usagef("unknown command %q: did you mean %q?", typed, near)
	}
	return usagef("unknown command %q: there are %s", typed, strings.Join(names, ", "))
}

// noArguments refuses what is left on the command line after at most n words.
func noArguments(c *cli.Context, n int) error {
	if c.NArg() <= n {
		return nil
	}
	left := c.Args().Slice()[n:]
	hint := ""
	if strings.HasPrefix(left[0], "-") {
		hint = ": flags go before arguments"
	}
	return usagef("leftover arguments: %s%s (see `%s --help`)", strings.Join(left, " "), hint, helpName(c))
}

// errInterrupted is the cause of a context that a signal has ended.
var errInterrupted = errors.New("interrupted")

// interrupted reports whether the work ended since the user wished so.
func interrupted(ctx context.Context, err error) bool {
	return err != nil && errors.Is(context.Cause(ctx), errInterrupted)
}
