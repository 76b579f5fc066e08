package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
	"github.com/gctune/gctune/tuner/importance"
	"github.com/gctune/gctune/tuner/space"
)

func importanceCommand() *cli.Command {
	return &cli.Command{
		Name:  "importance",
		Usage: "show which parameters matter for throughput, and which for memory",
		Description: `A parameter's share is the part of the variance of log throughput, or of log
memory, that it has a hand in, by the models that the search learns from the
trials. Its interval is from models of random three quarters of the trials. Where
that does not rise above chance, no effect was found: there is none worth
mentioning where it is at most some per cent, else the trials are too few to tell.

Shares are those among useful settings, which the models believe to be within the
reference point: as much throughput as the defaults, in no more memory than the
limit. In the whole space the bad settings rule.

Examples:
   gctune importance
   gctune importance --region whole
   gctune importance --format json | jq '.parameters[] | select(.throughput.effect).parameter'`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "region", Value: "useful", Usage: "take the shares among useful settings, or in the `REGION` whole"},
			formatFlag("table, json, csv or markdown"),
		},
		Action: showImportance,
	}
}

func showImportance(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	format, err := tableFormat(c)
	if err != nil {
		return err
	}
	if err := oneOf("--region", c.String("region"), "useful", "whole"); err != nil {
		return err
	}
	s, err := readStudy(c)
	if err != nil {
		return err
	}
	whole := c.String("region") == "whole"
	found, err := s.importance(whole)
	if err != nil {
		return err
	}
	switch format {
	case report.JSON:
		return writeJSON(c.App.Writer, found.json(s.Name, s.inert()))
	case report.CSV:
		return found.csv().Write(c.App.Writer, format)
	case report.Markdown:
		return found.table().Write(c.App.Writer, format)
	}
	if err := found.table().Write(c.App.Writer, format); err != nil {
		return err
	}
	return s.explainImportance(c.App.Writer, found, whole)
}

// ranking is the importance of the parameters, the most important first.
type ranking struct {
	tuner.Importance
	rows []rankedParameter
}

type rankedParameter struct {
	name               string
	throughput, memory importance.Share
}

func (s *storedStudy) importance(whole bool) (ranking, error) {
	searched, err := s.space()
	if err != nil {
		return ranking{}, err
	}
	shares, err := s.definition.Importance(searched, s.Seed, s.trials, whole)
	var few *importance.TooFewError
	if errors.As(err, &few) {
		return ranking{}, fmt.Errorf("study %s: %w: `gctune optimize --budget N` measures more", s.Name, err)
	}
	if err != nil {
		return ranking{}, fmt.Errorf("study %s: %w", s.Name, err)
	}
	return rank(shares, searched.Parameters()), nil
}

func rank(shares tuner.Importance, parameters []space.Parameter) ranking {
	r := ranking{Importance: shares}
	for i, p := range parameters {
		r.rows = append(r.rows, rankedParameter{p.Name, shares.Throughput[i], shares.Memory[i]})
	}
	weight := func(row rankedParameter) float64 { return max(estimateOf(row.throughput), estimateOf(row.memory)) }
	slices.SortStableFunc(r.rows, func(a, b rankedParameter) int { return cmp.Compare(weight(b), weight(a)) })
	return r
}

// estimateOf is 0 without an effect.
func estimateOf(s importance.Share) float64 {
	if !s.Found {
		return 0
	}
	return s.Total.Estimate
}

// explainImportance says what the shares are of, and among what.
func (s *storedStudy) explainImportance(w io.Writer, r ranking, whole bool) error {
	region := "the whole search space"
	switch {
	case r.Useful:
		reference, o := s.definition.Reference(s.trials), s.definition.Objectives
		region = fmt.Sprintf("settings that are believed to reach a throughput of %s within a memory of %s",
			formatLoss(o.Throughput, reference[0], -1), formatLoss(o.Memory, reference[1], 1)) +
			"; beyond them a parameter may do more: --region whole, gctune explain"
	case !whole:
		region += ": there is no reference point, or hardly a setting that is believed to be within it"
	}
	_, err := fmt.Fprintf(w, "\nshares      of the variance of log throughput and log memory, interactions included; 90 %% intervals; %s\nregion      %s\n",
		count(r.Trials, "usable trial"), region)
	s.printReasons(w)
	return err
}
