package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/tuner"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:  "compare",
		Usage: "measure interpreters and settings side by side, page by page",
		Description: `The configuration's compare.variants are interpreters, by path or by source, with
or without a setting; each of its load.requests is a page. Every variant is
measured on every page in interleaved rounds, so that drift hits all alike, each
beside the first one as twins: both are alive at once and get single requests in
turn. All intervals of ratios together hold with 95 %. A
variant that breaks a constraint on a page has failed there. An interrupt (Ctrl-C)
shows the rounds that were finished.

Examples:
   gctune compare
   gctune compare --rounds 10 --format markdown`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rounds", DefaultText: "the configuration's, or 6", Usage: "measure each variant and page `N` times"},
			formatFlag("table, markdown, csv or json"),
		},
		Action: compare,
	}
}

func compare(c *cli.Context) error {
	if err := noArguments(c, 0); err != nil {
		return err
	}
	format, err := tableFormat(c)
	if err != nil {
		return err
	}
	if c.IsSet("rounds") && c.Int("rounds") < 1 {
		return usagef("--rounds %d: at least 1 is needed", c.Int("rounds"))
	}
	cfg, err := readConfig(c)
	if err != nil {
		return err
	}
	if cfg.Compare == nil {
		return &config.Error{File: cfg.File, Message: "compare is missing: its variants are what `gctune compare` measures; see docs/configuration.md"}
	}
	variants, err := openVariants(c, cfg)
	if err != nil {
		return err
	}
	defer closeVariants(variants)
	if err := buildVariants(c, variants); err != nil {
		return err
	}
	table, err := measureComparison(c, cfg, variants)
	if err != nil && !interrupted(c.Context, err) {
		return err
	}
	if err := table.write(c.App.Writer, format); err != nil {
		return err
	}
	return table.verdict()
}

type page struct {
	name    string
	request config.Request
}

func pagesOf(cfg *config.Config) []page {
	var pages []page
	for _, r := range cfg.Load.Requests {
		pages = append(pages, page{r.Page(), r})
	}
	return pages
}

// measureComparison measures every variant on every page. After an interrupt, which
// is also the error, the table has what was measured until then.
func measureComparison(c *cli.Context, cfg *config.Config, variants []variant) (*comparison, error) {
	pages := pagesOf(cfg)
	rounds := int(cfg.Compare.Rounds)
	if c.IsSet("rounds") {
		rounds = c.Int("rounds")
	}
	table := &comparison{variants: variants, pages: pages, rounds: rounds}
	dir, err := outputDirectory(c.String("store"), string(cfg.Study))
	if err != nil {
		return nil, err
	}
	marker, err := sweepOnce(c)
	if err != nil {
		return nil, err
	}
	trial := func(cell int) harness.Trial {
		v := variants[cell%len(variants)]
		return harness.Trial{Setting: v.Setting, Marker: marker, OutputPath: filepath.Join(dir, fmt.Sprintf("compare-%02d.log", cell))}
	}
	run := &tuner.Comparison{
		Variants:   len(variants),
		Rounds:     rounds,
		Definition: tuner.Definition{Objectives: cfg.ObjectiveNames(), Constraints: cfg.Constraints},
		Measure: func(ctx context.Context, cell int) (harness.Result, error) {
			return variants[cell%len(variants)].target.onPage(pages[cell/len(variants)].request).Run(ctx, trial(cell))
		},
		MeasurePair: func(ctx context.Context, cell, first int, firstFirst bool, phase float64) (ofCell, ofFirst harness.Result, err error) {
			own, others := trial(cell), trial(first)
			own.Phase, others.Phase = phase, phase
			return variants[cell%len(variants)].beside(ctx, variants[0], pages[cell/len(variants)], own, others, firstFirst)
		},
		Observe: func(round, cell int, r harness.Result) { tellCell(c, table.cells[cell], round, rounds, r) },
	}
	for _, p := range pages {
		for _, v := range variants {
			run.Cells = append(run.Cells, tuner.Cell{Variant: string(v.Name), Page: p.name, Failure: v.failure})
		}
	}
	table.cells = run.Cells
	err = run.Run(c.Context)
	table.interrupted = interrupted(c.Context, err)
	return table, err
}

func tellCell(c *cli.Context, cell tuner.Cell, round, rounds int, r harness.Result) {
	figures := string(r.State) + ": " + r.Reason
	if r.State == harness.Complete {
		figures = fmt.Sprintf("%s, %s", formatMetric("requests_per_second", r.Metrics["requests_per_second"]),
			formatMetric("memory_pss_peak_bytes", r.Metrics["memory_pss_peak_bytes"]))
	}
	fmt.Fprintf(c.App.ErrWriter, "round %d of %d, %s, %s: %s\n", round+1, rounds, cell.Variant, cell.Page, figures)
}
