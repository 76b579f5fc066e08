// Command bench shows how fast the samplers find the fronts of analytic
// problems: the normalised hypervolume after 20, 30, 50 and 100 trials, as the
// mean over seeds, and the worst seed's after the last.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/tuner/sampler"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, out, errOut io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	names := flags.String("samplers", "random,sobol,tpe,auto", "the samplers to run, separated by commas")
	seeds := flags.Int("seeds", 16, "how many seeds each figure is the mean of")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *seeds < 1 {
		return fmt.Errorf("usage: bench [-samplers NAMES] [-seeds N], with N at least 1")
	}
	all, err := problems.All()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "problem\tsampler\t20\t30\t50\t100\tworst\t")
	for _, p := range all {
		for _, name := range strings.Split(*names, ",") {
			if err := row(table, p, name, *seeds); err != nil {
				return err
			}
		}
	}
	return table.Flush()
}

func row(out io.Writer, p problems.Problem, name string, seeds int) error {
	s, err := sampler.New(name, nil)
	if err != nil {
		return err
	}
	summary, err := problems.Summarise(p, s, seeds)
	if err != nil {
		return err
	}
	m := summary.Means
	_, err = fmt.Fprintf(out, "%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t\n",
		p.Name, name, m[0], m[1], m[2], m[3], slices.Min(summary.Last))
	return err
}
