package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/gctune/gctune/config"
	"github.com/gctune/gctune/harness"
	"github.com/gctune/gctune/studies/report"
	"github.com/gctune/gctune/tuner"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:  "compare",
		Usage: "measure interpreters and settings side by side, page by page",
		Description: `The configuration's compare.variants are interpreters, by path or by source, with
or without a setting; each of its load.requests is a page. Every variant is
measured on every page in interleaved rounds, so that drift hits all alike.

Examples:
   gctune compare
   gctune compare --rounds 9 --format markdown`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rounds", DefaultText: "the configuration's, or 5", Usage: "measure each variant and page `N` times"},
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
	table, err := measureComparison(c, cfg, variants)
	if err != nil {
		return err
	}
	if format == report.JSON {
		return writeJSON(c.App.Writer, table.json())
	}
	return table.report().Write(c.App.Writer, format)
}

// variant is an interpreter with or without a setting, ready to be measured.
type variant struct {
	config.Variant
	target *target
}

// openVariants finds or builds each interpreter, and refuses settings that it
// does not take, before anything is measured.
func openVariants(c *cli.Context, cfg *config.Config) (variants []variant, err error) {
	for i, v := range cfg.Compare.Variants {
		own := *cfg
		own.Ruby, own.RubyGiven, own.Source = v.Ruby, v.Ruby != "", v.Source
		t := &target{config: &own}
		variants = append(variants, variant{v, t})
		if err = t.findVariant(c.Context, v, c.App.ErrWriter); err != nil {
			closeVariants(variants)
			return nil, fmt.Errorf("variant %q: %w", v.Name, t.at(cfg.At(fmt.Sprintf("compare.variants[%d]", i)), err))
		}
	}
	return variants, nil
}

func closeVariants(variants []variant) {
	for _, v := range variants {
		_ = v.target.close()
	}
}

type page struct {
	name    string
	request config.Request
}

func pagesOf(cfg *config.Config) []page {
	var pages []page
	for _, r := range cfg.Load.Requests {
		pages = append(pages, page{fmt.Sprintf("%s %s", r.Method, r.Path), r})
	}
	return pages
}

// measureComparison measures every variant on every page.
func measureComparison(c *cli.Context, cfg *config.Config, variants []variant) (*comparison, error) {
	pages := pagesOf(cfg)
	table := &comparison{variants: variants, pages: pages}
	rounds := int(cfg.Compare.Rounds)
	if c.IsSet("rounds") {
		rounds = c.Int("rounds")
	}
	dir, err := outputDirectory(c.String("store"), string(cfg.Study))
	if err != nil {
		return nil, err
	}
	marker, err := sweepOnce(c)
	if err != nil {
		return nil, err
	}
	run := &tuner.Comparison{
		Rounds: rounds,
		Measure: func(ctx context.Context, cell int) (harness.Result, error) {
			v, p := variants[cell%len(variants)], pages[cell/len(variants)]
			trial := harness.Trial{Setting: v.Setting, Marker: marker, OutputPath: filepath.Join(dir, fmt.Sprintf("compare-%02d.log", cell))}
			return v.target.onPage(p.request).Run(ctx, trial)
		},
		Observe: func(round, cell int, r harness.Result) { tellCell(c, table.cells[cell], round, rounds, r) },
	}
	for _, p := range pages {
		for _, v := range variants {
			run.Cells = append(run.Cells, tuner.Cell{Variant: string(v.Name), Page: p.name})
		}
	}
	table.cells = run.Cells
	if err := run.Run(c.Context); err != nil {
		return nil, err
	}
	return table, nil
}

func tellCell(c *cli.Context, cell tuner.Cell, round, rounds int, r harness.Result) {
	figures := string(r.State) + ": " + r.Reason
	if r.State == harness.Complete {
		figures = fmt.Sprintf("%s, %s", formatMetric("requests_per_second", r.Metrics["requests_per_second"]),
			formatMetric("memory_pss_peak_bytes", r.Metrics["memory_pss_peak_bytes"]))
	}
	fmt.Fprintf(c.App.ErrWriter, "round %d of %d, %s, %s: %s\n", round+1, rounds, cell.Variant, cell.Page, figures)
}
