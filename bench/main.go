// Command bench shows how fast searches find the fronts of problems whose fronts
// are known: those of gctune, and Optuna's where it is installed. The figures
// and how to read them are in docs/search.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if code := exitCode(err); code != 0 {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(code)
	}
}

// usageError is a wrong command line.
type usageError struct{ error }

// exitCode is 0, 2 for a wrong command line, or 1.
func exitCode(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usageError{}):
		return 2
	}
	return 1
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	o, err := parse(args, errOut)
	if err != nil {
		return usageError{err}
	}
	python, missing := newOptuna(o.python)
	defer python.close()
	plan, err := o.plan(python, missing, errOut)
	if err != nil {
		return usageError{err}
	}
	if o.write != "" {
		if err := insertable(o.write, plan.kind.name); err != nil {
			return usageError{fmt.Errorf("-write: %w", err)}
		}
	}
	cells, err := plan.measure(ctx, errOut)
	if err != nil {
		return err
	}
	text, err := plan.kind.render(cells, plan.conditions(python), o.format)
	if err != nil {
		return err
	}
	if o.write != "" {
		return insert(o.write, plan.kind.name, text)
	}
	_, err = io.WriteString(out, text)
	return err
}
