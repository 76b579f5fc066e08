package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/gctune/gctune/bench/problems"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner/sampler"
)

// options are the flags.
type options struct {
	problems, samplers []string // all when empty
	seeds, trials      int
	jobs               int
	format             report.Format
	write              string // a file
	python             string
	infeasible         bool
	void               float64
	untilStable        bool
	guess              string
}

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	var names, searches, format string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.StringVar(&names, "problems", "", "the problems, separated by commas (default all)")
	flags.StringVar(&searches, "samplers", "", "the searches, separated by commas (default all that this machine has)")
	flags.IntVar(&o.seeds, "seeds", 24, "how many seeds each figure is the mean of")
	flags.IntVar(&o.trials, "trials", 100, "trials of each search")
	flags.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "searches at a time")
	flags.StringVar(&format, "format", "table", "table or markdown")
	flags.StringVar(&o.write, "write", "", "put the table between its markers in this `file`, in Markdown, and not on standard output")
	flags.StringVar(&o.python, "python", "", "the Python that has Optuna (default the first of python3 and /usr/bin/python3 that has)")
	flags.BoolVar(&o.infeasible, "infeasible", false, "let a fifth of each space be infeasible, and count the infeasible trials")
	flags.Float64Var(&o.void, "void", 0, "let this share of the trials end without figures, and show what that costs")
	flags.BoolVar(&o.untilStable, "until-stable", false, "show where the searches would end with optimize --until-stable, and what that costs")
	flags.StringVar(&o.guess, "guess", "", "tell the searches guesses of the losses, "+strings.Join(problems.GuessKinds(), ", ")+", and show what comes of it")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.problems, o.samplers = split(names), split(searches)
	o.format = report.Format(format)
	if o.write != "" {
		o.format = report.Markdown
	}
	var empty error
	flags.Visit(func(f *flag.Flag) {
		if (f.Name == "problems" || f.Name == "samplers") && len(split(f.Value.String())) == 0 {
			empty = fmt.Errorf("-%s %q names none: leave it out for all", f.Name, f.Value)
		}
	})
	if empty != nil {
		return o, empty
	}
	return o, o.check(flags.Args())
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: problems and samplers are given by flags", rest[0])
	case o.seeds < 1 || o.trials < 1 || o.jobs < 1:
		return fmt.Errorf("-seeds, -trials and -jobs must be at least 1")
	case o.format != report.Text && o.format != report.Markdown:
		return fmt.Errorf("-format %q: use %s or %s", o.format, report.Text, report.Markdown)
	case !(o.void >= 0 && o.void < 1): // NaN is no share either
		return fmt.Errorf("-void %v: use a share from 0 to below 1", o.void)
	case o.guess != "" && !slices.Contains(problems.GuessKinds(), o.guess):
		return fmt.Errorf("-guess %q: use one of %s", o.guess, strings.Join(problems.GuessKinds(), ", "))
	case o.variants() > 1:
		return fmt.Errorf("-void, -infeasible, -guess and -until-stable: use one of them")
	case (o.void > 0 || o.infeasible || o.guess != "") && o.trials < problems.Middle:
		return fmt.Errorf("-trials %d: -void, -infeasible and -guess look at trial %d", o.trials, problems.Middle)
	}
	return nil
}

// variants counts the kinds of table that are asked for, the usual one aside.
func (o options) variants() int {
	n := 0
	for _, asked := range []bool{o.void > 0, o.infeasible, o.untilStable, o.guess != ""} {
		if asked {
			n++
		}
	}
	return n
}

// plan is what is to be measured.
type plan struct {
	options
	kind     kind
	problems []problems.Problem
	entrants []entrant
}

// plan chooses problems and searches. Optuna's are left out with a word about it
// where they are missing, unless they are asked for.
func (o options) plan(python *optuna, missing error, errOut io.Writer) (plan, error) {
	p := plan{options: o, kind: o.kind()}
	all, err := problems.All()
	if err != nil {
		return p, err
	}
	if p.problems, err = chooseProblems(all, o.problems); err != nil {
		return p, err
	}
	names := o.samplers
	if len(names) == 0 {
		names = sampler.Names()
		if missing == nil {
			names = append(names, optunaNames()...)
		} else {
			fmt.Fprintf(errOut, "bench: goes without Optuna: %v\n", missing)
		}
	}
	for _, name := range names {
		e, err := openEntrant(name, python, missing)
		if err != nil {
			return p, err
		}
		p.entrants = append(p.entrants, e)
	}
	return p, nil
}

func chooseProblems(all []problems.Problem, names []string) ([]problems.Problem, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []problems.Problem
	var known []string
	for _, p := range all {
		known = append(known, p.Name)
	}
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("unknown problem %q: choose of %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
